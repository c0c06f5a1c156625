import numpy as np
import pytest

from pipelines.stages import boilerplate, copies, embed, sign, similar

WORDS = [f"word{number}" for number in range(300)]
COLUMNS = ["traj_id", "keeper_id", "method", "group_size"]


def chat(number, text, *, task_id="one", reward=1.0):
    messages = [{"role": "user", "content": f"Do task {task_id}"}, {"role": "assistant", "content": text}]
    return {"trajectory_id": f"t{number}", "task_id": task_id, "reward": reward, "messages": messages}


def spaced(step: int) -> str:
    """Return the same words with a new one after every `step`: few 5-grams in common, nearly equal vectors."""
    return " ".join(word if number % step else f"{word} x" for number, word in enumerate(WORDS))


CHATS = [
    chat(0, spaced(9)),
    chat(1, spaced(9)),
    chat(2, spaced(11)),
    chat(3, spaced(11), reward=0.0),
    chat(4, " ".join(WORDS[::-1])),
    chat(5, spaced(9), task_id="two"),
    chat(6, ""),
    chat(7, ""),
]
SETTINGS = {"semantic": {"min_similarity": 0.8}}


def grouped(context):
    for stage in (boilerplate, sign, copies, embed, similar):
        stage.run(context)
    return context.read("clusters")


def test_redundant_rollouts_join_a_verified_keeper_of_their_cell(stage_over, chat_trajectory):
    clusters = grouped(stage_over([chat_trajectory(each) for each in CHATS], settings=SETTINGS))

    assert [tuple(row.values()) for row in clusters.select(COLUMNS).to_pylist()] == [
        ("t0", "t0", "none", 3),
        ("t1", "t0", "exact", 3),
        ("t2", "t0", "semantic", 3),
        ("t3", "t3", "none", 1),
        ("t4", "t4", "none", 1),
        ("t5", "t5", "none", 1),
        ("t6", "t6", "none", 2),
        ("t7", "t6", "exact", 2),
    ]
    groups = clusters["semantic_group"].to_pylist()
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups)) == 5
    similarity = clusters["similarity_to_keeper"].to_pylist()
    assert 0.8 <= similarity[2] < 1
    assert similarity[:2] == [1, 1]


def test_the_search_can_be_switched_off(stage_over, chat_trajectory):
    settings = {"semantic": {"enabled": False, "min_similarity": 0.8}}
    clusters = grouped(stage_over([chat_trajectory(each) for each in CHATS], settings=settings))
    assert "semantic" not in clusters["method"].to_pylist()


def test_groups_do_not_depend_on_packs(stage_over, chat_trajectory):
    made = [chat_trajectory(each) for each in CHATS]
    one = grouped(stage_over(made, name="one", store="one", settings=SETTINGS))
    other = grouped(stage_over(made[5:], made[:5], name="other", store="other", settings=SETTINGS))
    assert one.equals(other)


@pytest.mark.parametrize("broken", [np.nan, np.inf, 0.0])
def test_a_broken_vector_is_named_and_stays_alone(stage_over, chat_trajectory, broken):
    made = [chat_trajectory(each) for each in CHATS]
    context = stage_over(made, settings={"semantic": {"min_similarity": 0.8}})
    for stage in (boilerplate, sign, copies, embed):
        stage.run(context)
    folder = context.work_dir / embed.VECTORS_FOLDER
    vectors = np.load(folder / "body.npy")
    vectors[np.load(folder / "ids.npy").tolist().index("t2"), 3 if broken else slice(None)] = broken
    np.save(folder / "body.npy", vectors)
    similar.run(context)
    rows = {row["traj_id"]: row for row in context.read("clusters").to_pylist()}
    assert (rows["t2"]["keeper_id"], rows["t2"]["method"], rows["t2"]["group_size"]) == ("t2", "unusable_vector", 1)
    assert [each for each, row in rows.items() if row["method"] == "unusable_vector"] == ["t2"]
