"""What is rebuilt of some columns against whole trajectories."""

import pytest

from schemas.records import Call, Header, Step, Trajectory
from transforms.store.columns import ReadColumns, read_columns
from transforms.store.files import Store

COLUMNS = ReadColumns(header=("instruction", "tools_json"), steps=("step_id", "message"), calls=("tool_name",))


def _trajectory(traj_id: str) -> Trajectory:
    calls = (
        Call(0, "c1", "bash", "shell", "{}", "ok", "h"),
        Call(1, "c2", f"edit {traj_id}", "edit", "{}", "ok", "h"),
    )
    steps = (
        Step(1, "user", "Repair it.", "text"),
        Step(2, "agent", "I look.", "text", calls=calls, obs_text="a"),
        Step(3, "agent", None, "null", calls=calls[1:], obs_text="b"),
    )
    return Trajectory(traj_id, Header("f", task_text="Repair it.", tools_json="[]"), steps, None, "r", 0, "t", None)


@pytest.mark.parametrize("row_group_bytes", [1, 10**9])
def test_wanted_trajectories_have_the_columns_and_nothing_else(tmp_path, row_group_bytes, write_pack):
    store = Store(str(tmp_path))
    pack = write_pack(store, list(map(_trajectory, ["b", "a", "c", "a"])), row_group_bytes=row_group_bytes)

    found = {each.traj_id: each for each in read_columns(store, pack, wanted={"a", "c"}, columns=COLUMNS)}

    assert sorted(found) == ["a", "c"]
    first = found["a"]
    assert (first.header.task_text, first.header.tools_json, first.header.reward) == ("Repair it.", "[]", None)
    assert [(step.step_id, step.message, step.obs_text) for step in first.steps] == [
        (1, "Repair it.", None),
        (2, "I look.", None),
        (3, None, None),
    ]
    assert [[call.tool_name for call in step.calls] for step in first.steps] == [[], ["bash", "edit a"], ["edit a"]]
