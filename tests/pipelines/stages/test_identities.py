import pyarrow.parquet as pq

from pipelines.stages.identities import write_identities


def chat(name, task_id, environment):
    messages = [{"role": "user", "content": "Book a flight."}]
    return {"trajectory_id": name, "task_id": task_id, "environment": environment, "messages": messages}


def test_identities_name_pack_environment_and_task_of_each_trajectory(stage_over, chat_trajectory):
    left = [chat_trajectory(chat("b", "two", "retail")), chat_trajectory(chat("c", "one", "airline"))]
    right = [chat_trajectory(chat("a", "two", "airline"))]
    context = stage_over(left, right)
    pack_of = {traj_id: pack_id for pack_id, ids in context.owned_ids.items() for traj_id in ids}

    identities = write_identities(context, context.work_dir / "folder" / "identities.parquet")

    assert identities.environments == {0: ("airline", 2), 1: ("retail", 1)}
    assert pq.read_table(identities.path).to_pylist() == [
        {"traj_id": "a", "pack_id": pack_of["a"], "environment": 0, "task": 1},
        {"traj_id": "b", "pack_id": pack_of["b"], "environment": 1, "task": 1},
        {"traj_id": "c", "pack_id": pack_of["c"], "environment": 0, "task": 0},
    ]
