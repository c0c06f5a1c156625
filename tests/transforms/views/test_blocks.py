from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Header, Step, Trajectory
from transforms.store.keys import short_id
from transforms.views.blocks import blocks_of, hash_of_block, view_hash
from transforms.views.bodies import view_of

LONG = "a paragraph that is long enough to be a block of its own"
PARAGRAPHS = st.sampled_from(["ok", "no", LONG, LONG + " (2)", LONG.upper()])
TEXTS = st.lists(PARAGRAPHS, max_size=3).map("\n\n".join)
STEPS = st.lists(st.tuples(st.sampled_from(["user", "agent", "system", "environment"]), TEXTS, TEXTS), max_size=3)


def trajectory_of(task_text, steps, traj_id="a"):
    made = tuple(
        Step(step_id=number, source=source, message=message, message_state="text", obs_text=observation)
        for number, (source, message, observation) in enumerate(steps, start=1)
    )
    header = Header(source_format="openai_chat", task_text=task_text)
    return Trajectory(traj_id, header, made, None, traj_id, None, short_id(task_text), None)


def hashed(trajectory, boilerplate, edge=300):
    rows = [(row["block_index"], row["step_id"], row["block_hash"]) for row in blocks_of(trajectory)]
    return view_hash(rows, boilerplate, observation_edge_chars=edge)


def test_blocks_are_the_long_paragraphs_of_task_users_and_observations():
    steps = [("system", LONG, None), ("user", f"hi\n\n{LONG}!", None), ("agent", LONG, f"ok\n\n{LONG}?")]
    rows = blocks_of(trajectory_of(f"{LONG}.", steps))

    assert [(row["block_index"], row["step_id"], row["num_chars"]) for row in rows[1:]] == [
        (1, 0, len(LONG) + 1),
        (2, 2, len(LONG) + 1),
        (3, 3, len(LONG) + 1),
    ]
    assert [row["block_hash"] for row in rows[1:]] == [hash_of_block(LONG + end) for end in ".!?"]
    assert (rows[0]["block_index"], rows[0]["num_chars"]) == (0, len("hi") + len(LONG) + len("ok"))


def test_view_hash_passes_over_boilerplate_and_nothing_else():
    left = trajectory_of("Fix it.", [("agent", "I look.", f"{LONG}\n\nsrc")])
    right = trajectory_of("Fix it.", [("agent", "I look.", f"{LONG.upper()}\n\nsrc")])
    boilerplate = {hash_of_block(LONG), hash_of_block(LONG.upper())}

    assert hashed(left, boilerplate) == hashed(right, boilerplate)
    assert hashed(left, set()) != hashed(right, set())
    assert hashed(left, set()) != hashed(left, set(), edge=200)


def test_view_hash_tells_tasks_apart_whose_statements_are_boilerplate_from_end_to_end():
    left, right = trajectory_of(LONG, []), trajectory_of(LONG.upper(), [])
    boilerplate = {hash_of_block(LONG), hash_of_block(LONG.upper())}

    assert hashed(left, boilerplate) != hashed(right, boilerplate)


@given(TEXTS, TEXTS, STEPS, STEPS, st.sets(st.sampled_from([LONG, LONG + " (2)", LONG.upper()])), st.integers(0, 40))
def test_equal_view_hashes_mean_equal_views(left_task, right_task, left_steps, right_steps, shared, edge):
    boilerplate = {hash_of_block(text) for text in shared}
    left, right = trajectory_of(left_task, left_steps), trajectory_of(right_task, right_steps, traj_id="b")
    views = [view_of(each, boilerplate, observation_edge_chars=edge) for each in (left, right)]

    assert hashed(left, boilerplate, edge) != hashed(right, boilerplate, edge) or views[0] == views[1]
    assert hashed(left, boilerplate, edge) == hashed(trajectory_of(left_task, left_steps, "c"), boilerplate, edge)
