from pipelines.stages import boilerplate
from transforms.views.blocks import hash_of_block

RULES = "Always answer in the tone of a patient librarian."


def chat(number, *, task_id=None, environment="airline"):
    return {
        "trajectory_id": f"t{number}",
        "task_id": task_id or f"task-{number}",
        "environment": environment,
        "messages": [
            {"role": "user", "content": f"Book flight {number}."},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": RULES},
        ],
    }


def test_boilerplate_is_found_per_environment_over_tasks_of_all_packs(stage_over, chat_trajectory):
    airline = [chat_trajectory(chat(number)) for number in range(3)]
    retail = [chat_trajectory(chat(number, task_id="one", environment="retail")) for number in range(3, 7)]
    context = stage_over(airline[:2], [*airline[2:], *retail])

    boilerplate.run(context)

    assert context.read("boilerplate").to_pylist() == [
        {"environment": "airline", "block_hash": hash_of_block(RULES), "num_tasks": 3, "share": 1.0}
    ]


def test_a_lake_without_boilerplate_gives_an_empty_table(stage_over, chat_trajectory):
    context = stage_over([chat_trajectory(chat(1))])

    boilerplate.run(context)

    assert context.read("boilerplate").num_rows == 0


def test_aliases_make_two_tasks_one(stage_over, chat_trajectory):
    aliases = {"identity": {"task_aliases": {"task-1": "task-0"}}}
    context = stage_over([chat_trajectory(chat(number)) for number in range(3)], settings=aliases)

    boilerplate.run(context)

    assert context.read("boilerplate").num_rows == 0
