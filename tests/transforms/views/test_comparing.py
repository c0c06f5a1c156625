"""What is read for views against whole trajectories: the views are the same."""

import pytest

from schemas.records import Call, Header, Step, Trajectory
from transforms.store.files import Store
from transforms.store.packs import read_trajectories
from transforms.views.bodies import view_of
from transforms.views.comparing import read_comparable


def _trajectory(traj_id: str) -> Trajectory:
    shell = Call(0, "c1", "bash", "shell", '{"command":"sed -n 1,9p src/a.py"}', "ok", "h", result_text="a\nb")
    other = Call(1, "c2", "edit", "other", None, "unparsed", "h", arguments_raw="{path: b.py", is_error=True)
    steps = (
        Step(1, "system", "You repair programs.", "text"),
        Step(2, "user", "An example.", "text", is_demo=True),
        Step(3, "agent", "I copy.", "text", is_copied_context=True),
        Step(4, "user", f"Repair {traj_id}.", "text", timestamp=None, actor="someone"),
        Step(5, "agent", "I look.", "text", calls=(shell,), reasoning="It is in a.", obs_text="a\n\nb", exit_code=0),
        Step(6, "agent", None, "null", calls=(shell, other), obs_text="a\nno such file", is_error=True),
        Step(7, "agent", "run it", "text", command="python -m pytest", obs_text="1 failed", is_error=True),
        Step(8, "environment", "Time is up.", "text", obs_text="x" * 900),
    )
    header = Header("openai_chat", task_text=f"Repair {traj_id}.", reward=1.0)
    return Trajectory(traj_id, header, steps, None, "line 1", 0, "t", None)


@pytest.mark.parametrize("row_group_bytes", [1, 10**9])
def test_views_are_those_of_whole_trajectories(tmp_path, row_group_bytes, write_pack):
    store = Store(str(tmp_path))
    pack = write_pack(store, list(map(_trajectory, ["b", "a", "c"])), row_group_bytes=row_group_bytes)
    whole = {each.traj_id: view_of(each, (), observation_edge_chars=300) for each in read_trajectories(store, pack)}

    for wanted in ({"a", "b", "c"}, {"b"}, {"a", "c"}, set()):
        found = list(read_comparable(store, pack, wanted))

        assert {each.traj_id: view_of(each, (), observation_edge_chars=300) for each in found} == {
            traj_id: whole[traj_id] for traj_id in wanted
        }
        assert len(found) == len(wanted)


def test_an_id_of_two_units_is_rebuilt_once(tmp_path, write_pack):
    store = Store(str(tmp_path))
    pack = write_pack(store, list(map(_trajectory, ["a", "b", "a"])), row_group_bytes=10**9)

    assert sorted(each.traj_id for each in read_comparable(store, pack, {"a", "b"})) == ["a", "b"]
