import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from pipelines.cli.explain import explain
from pipelines.cli.rollback import rollback
from pipelines.cli.snapshots import parents_first, snapshots
from pipelines.cli.sql import Format, choose_format, sql
from schemas.errors import InputError, QueryError, SettingsError, StoreError
from transforms.store.files import Store
from transforms.store.manifest import Manifest, current_id, read_manifest, set_current, write_manifest

app = typer.Typer()
for verb in (sql, explain, snapshots, rollback):
    app.command()(verb)


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_sql_writes_csv_where_there_is_no_terminal(small_store: Store) -> None:
    text = _run("sql", "SELECT traj_id, weight FROM curated WHERE traj_id < 'b'", "--store", small_store.root)
    assert text == "traj_id,weight\naa01,1.0\naa03,3.0\n"


def test_sql_writes_json_and_a_table(small_store: Store) -> None:
    query = "SELECT step, num_rows FROM funnel WHERE step = 'kept'"
    assert json.loads(_run("sql", query, "--store", small_store.root, "--format", "json")) == [
        {"step": "kept", "num_rows": 4}
    ]
    assert _run("sql", query, "--store", small_store.root, "--format", "table").split() == [
        "step", "num_rows", "kept", "4",
    ]  # fmt: skip


def test_sql_writes_parquet_to_a_file(small_store: Store, tmp_path: Path) -> None:
    target = tmp_path / "rows.parquet"
    shown = _run("sql", "SELECT traj_id FROM dropped", "--store", small_store.root, "--output", str(target))
    assert shown == f"1 rows → {target}\n"
    assert pq.read_table(target).to_pydict() == {"traj_id": ["aa02"]}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.parquet", "store"]


def test_sql_table_shows_terminal_escapes_written_out(small_store: Store) -> None:
    query = "SELECT instruction FROM trajectories LIMIT 1"
    text = _run("sql", query, "--store", small_store.root, "--format", "table")
    assert "book\\x1b[31m <b>a flight</b>" in text
    assert "\x1b" not in text


def test_sql_refuses_what_is_no_select(small_store: Store) -> None:
    with pytest.raises(QueryError, match="exactly one SELECT is allowed, got DROP"):
        _run("sql", "DROP TABLE decisions", "--store", small_store.root)


@pytest.mark.parametrize(
    ("wanted", "output", "on_terminal", "chosen"),
    [
        (None, None, True, Format.TABLE),
        (None, None, False, Format.CSV),
        (Format.JSON, None, True, Format.JSON),
        (None, "a.parquet", True, Format.PARQUET),
        (Format.CSV, "a.txt", False, Format.CSV),
    ],
)
def test_format_follows_the_place(wanted: Format, output: str, on_terminal: bool, chosen: Format) -> None:
    path = None if output is None else Path(output)
    assert choose_format(wanted, output=path, on_terminal=on_terminal) is chosen


@pytest.mark.parametrize(
    ("wanted", "output"), [(Format.PARQUET, None), (None, "a.txt"), (Format.TABLE, "a.csv"), (None, "a")]
)
def test_format_that_does_not_go_with_the_place_is_refused(wanted: Format, output: str) -> None:
    with pytest.raises(SettingsError, match="needs --"):
        choose_format(wanted, output=None if output is None else Path(output), on_terminal=True)


def test_explain_tells_decision_and_keeper(small_store: Store) -> None:
    text = _run("explain", "run-aa02", "--store", small_store.root)
    assert "aa02: drop (semantic_duplicate)" in text
    assert "similarity_to_keeper" in text
    assert "runs/a.json" in text
    assert "\x1b" not in text
    explained = json.loads(_run("explain", "aa02", "--store", small_store.root, "--json"))
    assert explained["decision"]["reference_id"] == "aa01"


def test_explain_names_near_ids(small_store: Store) -> None:
    with pytest.raises(InputError, match="no trajectory 'zz'; nearest ids: aa01"):
        _run("explain", "zz", "--store", small_store.root)


def test_snapshots_marks_current(small_store: Store) -> None:
    write_manifest(small_store, replace(read_manifest(small_store, "s1"), snapshot_id="r2", parent_id="s1"))
    rows = [line.split() for line in _run("snapshots", "--store", small_store.root).splitlines()]
    assert rows == [
        ["snapshot", "parent", "read", "trajectories", "kept", "files"],
        ["CURRENT", "s1", "6", "5", "4", "16"],
        ["r2", "s1", "6", "5", "4", "16"],
    ]


def test_parents_first_orders_lines_and_bears_loops() -> None:
    def snapshot(name: str, parent: str | None) -> Manifest:
        return Manifest(
            snapshot_id=name, parent_id=parent, run_key="", inputs={}, packs=[], tables={}, files=[], funnel={}
        )

    line = [snapshot("a", "b"), snapshot("b", "c"), snapshot("c", None), snapshot("z", "gone")]
    assert [manifest.snapshot_id for manifest in parents_first(line)] == ["c", "z", "b", "a"]
    assert len(parents_first([snapshot("a", "b"), snapshot("b", "a")])) == 2


def test_rollback_moves_current_to_a_whole_snapshot(small_store: Store) -> None:
    write_manifest(small_store, replace(read_manifest(small_store, "s1"), snapshot_id="r2", parent_id="s1"))
    set_current(small_store, "r2")
    assert _run("rollback", "s", "--store", small_store.root) == "CURRENT: r2 → s1 (4 kept)\n"
    assert current_id(small_store) == "s1"
    assert _run("rollback", "s1", "--store", small_store.root) == "CURRENT is s1 already; nothing to do\n"
    assert not small_store.exists("lock.json")


@pytest.mark.parametrize(
    ("damage", "message"), [(None, "steps/p1.parquet is missing"), (b"short", "has 5 bytes, the manifest says")]
)
def test_rollback_to_a_damaged_snapshot_moves_nothing(small_store: Store, damage: bytes | None, message: str) -> None:
    write_manifest(small_store, replace(read_manifest(small_store, "s1"), snapshot_id="r2", parent_id="s1"))
    set_current(small_store, "r2")
    if damage is None:
        small_store.delete("layers/steps/p1.parquet")
    else:
        small_store.write_atomic("layers/steps/p1.parquet", damage)
    with pytest.raises(StoreError, match=message):
        _run("rollback", "s1", "--store", small_store.root)
    assert current_id(small_store) == "r2"


def test_rollback_to_an_unknown_snapshot_names_the_known_ones(small_store: Store) -> None:
    with pytest.raises(StoreError, match=r"no snapshot 'x' in .*; snapshots: s1"):
        _run("rollback", "x", "--store", small_store.root)


@pytest.mark.parametrize("verb", [["sql", "SELECT 1"], ["explain", "a"], ["snapshots"], ["rollback", "a"]])
def test_every_verb_says_when_no_store_is_named_or_there(verb: list[str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no store is named; give --store DIR, or --conf FILE"):
        _run(*verb)
    with pytest.raises(SettingsError, match="both --store and --conf"):
        _run(*verb, "--store", "s", "--conf", "c.yaml")
    with pytest.raises(StoreError, match="holds no published snapshot"):
        _run(*verb, "--store", str(tmp_path / "none"))


def test_conf_names_the_store(small_store: Store, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("lake: {root: lake}\nstore: store\n")
    text = _run("sql", "SELECT count(*) AS n FROM trajectories", "--conf", str(tmp_path / "run.yaml"))
    assert text == "n\n5\n"
