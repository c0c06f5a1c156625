from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from schemas.errors import InputError
from transforms.querying.catalog import build_catalog
from transforms.querying.explain import explain_trajectory, find_trajectory, open_catalog


@pytest.fixture
def catalog(small_tables: dict[str, pa.Table], tmp_path: Path) -> duckdb.DuckDBPyConnection:
    build_catalog(tmp_path / "catalog.duckdb", small_tables)
    return open_catalog(tmp_path / "catalog.duckdb")


def test_explain_tells_source_keeper_decision_and_uses(catalog: duckdb.DuckDBPyConnection) -> None:
    explained = explain_trajectory(catalog, "aa02")
    assert explained.source["uri"] == "runs/a.json"
    assert explained.source["record_offset"] == 100
    assert explained.hashes["actions_hash"] == "ha"
    assert explained.groups["keeper_id"] == "aa01"
    assert explained.groups["similarity_to_keeper"] == 0.97
    assert (explained.groups["keeper_decision"], explained.groups["keeper_reason"]) == ("keep", "kept")
    assert explained.decision["reason"] == "semantic_duplicate"
    assert explained.decision["reference_id"] == "aa01"
    assert [copy["traj_id"] for copy in explained.copies] == ["aa01"]
    assert [(row["policy"], row["posterior_a"], row["posterior_b"]) for row in explained.posterior] == [
        ("m", 2.5, 1.5)
    ]
    assert explained.description["secrets_redacted"] == {"jwt": 1}
    assert explained.uses == []
    assert [use["role"] for use in explain_trajectory(catalog, "aa03").uses] == ["rejected"]


def test_explain_tells_what_a_row_fell_with(small_tables: dict[str, pa.Table], tmp_path: Path) -> None:
    fallen = small_tables["decisions"].to_pylist()
    for row in fallen[:2]:
        row |= {"decision": "drop", "reason": "task_cap", "reference_id": None, "similarity": None}
    tables = small_tables | {"decisions": pa.Table.from_pylist(fallen, small_tables["decisions"].schema)}
    build_catalog(tmp_path / "catalog.duckdb", tables)

    keeper, row = (explain_trajectory(open_catalog(tmp_path / "catalog.duckdb"), each) for each in ("aa01", "aa02"))

    assert (row.decision["reason"], row.decision["reference_id"]) == ("task_cap", None)
    assert (row.groups["keeper_id"], row.groups["keeper_reason"]) == ("aa01", "task_cap")
    assert (keeper.groups["keeper_id"], keeper.groups["keeper_reason"]) == ("aa01", None)


@pytest.mark.parametrize(("wanted", "found"), [("bb02", "bb02"), ("aa03", "aa03"), ("run-bb01", "bb01")])
def test_find_accepts_id_and_native_id(catalog: duckdb.DuckDBPyConnection, wanted: str, found: str) -> None:
    assert find_trajectory(catalog, wanted) == found


def test_find_accepts_a_unique_prefix(small_tables: dict[str, pa.Table], tmp_path: Path) -> None:
    small_tables["trajectories"] = small_tables["trajectories"].slice(2, 2)
    build_catalog(tmp_path / "catalog.duckdb", small_tables)
    assert find_trajectory(open_catalog(tmp_path / "catalog.duckdb"), "a") == "aa03"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("aa", r"3 trajectories answer to 'aa': aa01, aa02, aa03; give more of the id"),
        ("ab01", r"no trajectory 'ab01'; nearest ids: aa01, bb01, aa02, aa03, bb02"),
        ("a%", r"no trajectory 'a%'"),
        ("", r"no trajectory ''"),
        ("' OR 1=1 --", r"no trajectory"),
    ],
)
def test_find_names_near_ids(catalog: duckdb.DuckDBPyConnection, wanted: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_trajectory(catalog, wanted)
