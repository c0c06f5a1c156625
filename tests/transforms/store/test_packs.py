from pathlib import Path

import pytest

from schemas.errors import StoreError
from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.records import BadRecord, Call, Header, SourceUnit, Step, Trajectory
from transforms.store.files import Store
from transforms.store.packs import CommitRecord, PackWriter, UnitCounts, plan_packs, read_commits, read_trajectories


def _unit(key: str, size: int = 10) -> SourceUnit:
    return SourceUnit(
        unit_key=key, uri=f"{key}.jsonl", adapter="openai_chat", adapter_version="1", size=size, sha256=""
    )


def _trajectory(traj_id: str) -> Trajectory:
    one = Call(0, "c1", "bash", "shell", '{"command":"ls"}', "ok", "h", result_text="a\nb", result_state="ok")
    two = one._replace(call_index=1, call_id="c2", result_text=None, result_state="missing")
    return Trajectory(
        traj_id=traj_id,
        header=Header(
            "openai_chat",
            EnvType.TERMINAL,
            task_text="list",
            reward=1.0,
            reward_components={"b": 1.0, "a": 0.5},
            termination=Termination.FINISHED,
        ),
        steps=(
            Step(1, "user", "list", "text"),
            Step(2, "agent", None, "null", calls=(one,), obs_text="a\nb"),
            Step(3, "agent", "two", "text", calls=(one, two), obs_text="a\nb"),
        ),
        native_id=None,
        record_key="line 1",
        record_offset=0,
        task_hash="t",
        system_prompt_hash=None,
    )


def _write(store: Store, ids: list[str], *, row_group_bytes: int = 1) -> CommitRecord:
    unit = _unit("u1")
    (pack,) = plan_packs([unit], layer_key="k")
    with PackWriter(store, pack, layer_key="k", row_group_bytes=row_group_bytes) as writer:
        for traj_id in ids:
            writer.add(_trajectory(traj_id), unit, {})
        writer.add_bad(BadRecord("line 9", QuarantineReason.TRUNCATED, "cut"), unit)
        writer.end_unit(UnitCounts("u1", len(ids) + 1, len(ids), 1, 0))
    (record,) = read_commits(store, layer_key="k")
    return record


@pytest.mark.parametrize("row_group_bytes", [1, 10**9])
def test_a_pack_gives_its_trajectories_back(tmp_path: Path, row_group_bytes: int) -> None:
    store = Store(str(tmp_path))
    record = _write(store, ["b", "a", "c"], row_group_bytes=row_group_bytes)
    assert sorted(read_trajectories(store, record.pack), key=lambda t: t.traj_id) == [
        _trajectory("a"),
        _trajectory("b"),
        _trajectory("c"),
    ]
    assert [t.traj_id for t in read_trajectories(store, record.pack, {"c"})] == ["c"]
    assert {table: file.rows for table, file in record.files.items() if file.rows} == {
        "trajectories": 3,
        "steps": 9,
        "tool_calls": 9,
        "quarantine": 1,
    }


def test_an_id_of_two_units_is_rebuilt_once(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    record = _write(store, ["a", "a"], row_group_bytes=10**9)
    assert record.files["trajectories"].rows == 2
    assert list(read_trajectories(store, record.pack)) == [_trajectory("a")]


def test_a_failed_pack_leaves_nothing(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    (pack,) = plan_packs([_unit("u1")], layer_key="k")

    def fail() -> None:
        with PackWriter(store, pack, layer_key="k") as writer:
            writer.add(_trajectory("a"), _unit("u1"), {})
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert store.list("layers") == []


def test_packs_follow_the_keys_and_close_at_their_size() -> None:
    units = [_unit(key, size=6) for key in ("d", "a", "c", "b")]
    assert [pack.unit_keys for pack in plan_packs(units, layer_key="k", pack_bytes=10)] == [("a", "b"), ("c", "d")]
    assert plan_packs(units, layer_key="k") == plan_packs(units[::-1], layer_key="k")
    assert plan_packs(units, layer_key="k") != plan_packs(units, layer_key="other")


def test_commits_of_other_settings_are_left_alone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    _write(store, ["a"])
    assert read_commits(store, layer_key="other") == []


def test_a_damaged_commit_record_is_said(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_atomic("layers/ingest/x.json", b"{}")
    with pytest.raises(StoreError, match="damaged"):
        read_commits(store, layer_key="k")
