"""SCH: types and keys that change from file to file or row to row cost nothing and invent nothing."""

from pathlib import Path
from typing import Any

import duckdb
import orjson
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.whole_runs import Curate, Curated, chat_rollout, write_jsonl


def _by_native_id(curated: Curated) -> dict[str, dict[str, Any]]:
    return {row["native_id"]: row for row in curated.table("trajectories").to_dicts()}


def _exports(curated: Curated) -> list[Path]:
    return sorted((Path(curated.store.root) / curated.manifest.folder / "exports").glob("*/**/*.parquet"))


@pytest.mark.parametrize(("source", "count"), [("jsonl", 6), ("parquet", 3)])
def test_sch_01_a_call_has_the_keys_it_carried_and_no_other(
    shared_dir: Path, curate: Curate, source: str, count: int
) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCH-01" / "data" / source)
    assert curated.manifest.funnel["trajectories"] == count
    calls = curated.table("tool_calls")
    keys = {
        (row["tool_name"], tuple(sorted(orjson.loads(row["arguments_json"] or "{}"))), row["arguments_state"])
        for row in calls.to_dicts()
    }
    # A typed Parquet column cannot tell an explicit null from padding: `force` is lost there.
    moved = ("dst", "force", "src") if source == "jsonl" else ("dst", "src")
    expected = {
        ("ls", ("path",), "ok"), ("grep", ("flags", "pattern"), "ok"), ("move", moved, "ok"), ("noop", (), "ok"),
    }  # fmt: skip
    if source == "jsonl":
        expected |= {("bash", ("command",), "ok"), ("bash", ("command",), "double_encoded"), ("bash", (), "unparsed")}
    assert keys == expected
    if source == "jsonl":
        assert calls.filter(pl.col("tool_name") == "move")["arguments_json"].to_list() == [
            '{"dst":"b","force":null,"src":"a"}'
        ]
    for path in _exports(curated):
        text = path.read_bytes()
        assert b"not json at all" not in text, path


def test_sch_03_a_column_that_begins_with_nulls_keeps_its_later_values(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCH-03" / "data")
    rows = _by_native_id(curated)
    assert {name: row["extra_json"] for name, row in rows.items()} == {
        "p0": None, "p1": None, "p2": '{"tags":["flaky"]}', "p3": '{"tags":[]}',
    }  # fmt: skip


def test_sch_05_whole_and_broken_rewards_are_one_column(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCH-05" / "data")
    assert {name: row["reward"] for name, row in _by_native_id(curated).items()} == {
        "p0": 1.0, "p1": 0.0, "p2": 0.5, "p3": 0.3,
    }  # fmt: skip
    pattern = f"{curated.store.root}/**/trajectories*.parquet"
    (kind,) = duckdb.sql(f"SELECT DISTINCT typeof(reward) FROM read_parquet('{pattern}')").fetchall()
    assert kind == ("DOUBLE",)


def test_sch_07_a_key_first_seen_late_is_kept(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCH-07" / "data")
    extras = curated.table("trajectories")["extra_json"].drop_nulls().to_list()
    assert (curated.manifest.funnel["trajectories"], len(extras)) == (120, 10)
    assert all("failure_reason" in orjson.loads(extra) for extra in extras)


def test_sch_09_two_outputs_have_one_schema_and_can_be_joined(tmp_path: Path, curate: Curate) -> None:
    plain = [chat_rollout("a", n, reward=float(n % 2)) for n in range(4)]
    rich = [
        chat_rollout("b", n, reward=str(float(n % 2)))
        | {"tools": [{"type": "function"}], "info": {"n": n}, "tags": [n]}
        for n in range(4)
    ]
    (tmp_path / "rich").mkdir()
    pq.write_table(pa.Table.from_pylist(rich), tmp_path / "rich" / "b.parquet")
    runs = [
        curate(write_jsonl(tmp_path / "plain" / "a.jsonl", plain), store="one"),
        curate(tmp_path / "rich", store="two"),
    ]
    assert runs[0].manifest.tables.keys() == runs[1].manifest.tables.keys()
    for name in runs[0].manifest.tables:
        one, two = (run.table(name) for run in runs)
        assert one.schema == two.schema, name
    for first, second in zip(*map(_exports, runs), strict=True):
        assert (first.parent.name, first.name.split("-")[0]) == (second.parent.name, second.name.split("-")[0])
        joined = pa.concat_tables([pq.read_table(first), pq.read_table(second)])
        assert joined.num_rows == pq.read_metadata(first).num_rows + pq.read_metadata(second).num_rows
        assert not any(pa.types.is_large_list(field.type) or pa.types.is_null(field.type) for field in joined.schema)


def test_sch_11_required_fields_are_checked_by_value(tmp_path: Path, curate: Curate) -> None:
    rows = [chat_rollout("t", n, reward=1.0) for n in range(2)]
    rows[1]["task_id"] = None
    rows.append({"trajectory_id": "no-messages", "task_id": "t"})
    (tmp_path / "lake").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "lake" / "a.parquet")
    curated = curate(tmp_path / "lake")
    table = _by_native_id(curated)
    assert {name: row["task_id"] for name, row in table.items()} == {"t-r0": "t", "t-r1": None}
    assert curated.table("quarantine").select("record_key", "reason").to_dicts() == [
        {"record_key": "row:3", "reason": "missing_messages"}
    ]
    keys = curated.table("clusters")["task_key"].to_list()
    assert None not in keys
    assert "id:t" in keys
