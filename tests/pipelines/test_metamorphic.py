"""Changes of a lake that must change nothing: records and files that stand twice, environments of other tasks."""

import shutil
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipelines.cli import main
from tests.pipelines.redundant_lake import redundant_records
from tests.whole_runs import Curate, Curated, write_jsonl

PROVENANCE = {
    "trajectories": ["unit_key", "record_key", "record_offset"],
    "quarantine": ["unit_key", "record_key", "byte_offset"],
}
"""Where a record was found: the one thing of it that may change with the file it is found in."""

FAMILY_COLUMNS = ["family_id", "family_label", "family_medoid", "family_probability", "family_is_noise", "family_size"]
UNIT_FILES = {"inputs", "steps", "tool_calls", "blocks"}
"""`inputs` counts the repeats; the others lie in the packs, which keep what each unit holds."""


def assert_same_but_repeats(once: Curated, twice: Curated, *, num_repeats: int) -> None:
    funnel = once.manifest.funnel
    assert twice.manifest.funnel == funnel | {
        "read": funnel["read"] + num_repeats,
        "repeats": funnel["repeats"] + num_repeats,
    }
    assert twice.manifest.summary == once.manifest.summary
    assert once.manifest.tables.keys() == twice.manifest.tables.keys()
    for name in sorted(once.manifest.tables.keys() - UNIT_FILES):
        dropped = PROVENANCE.get(name, [])
        first, second = once.table(name).drop(dropped), twice.table(name).drop(dropped)
        assert first.equals(second), name
    assert exports(once) == exports(twice)


def exports(curated: Curated) -> dict[str, list[bytes]]:
    """Return the data files of each dataset; their names bear the snapshot's id."""
    folder = f"{curated.manifest.folder}/exports/"
    files: dict[str, list[bytes]] = {}
    for name in sorted(curated.store.list(folder)):
        if name.endswith(".parquet"):
            files.setdefault(name.removeprefix(folder).split("-")[0], []).append(curated.store.read_bytes(name))
    return files


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    records = redundant_records(num_tasks=6)
    for number in range(3):
        write_jsonl(tmp_path / "lake" / f"part-{number}.jsonl", records[number::3])
    return tmp_path / "lake"


def test_every_record_twice_in_its_file_changes_nothing_but_repeats(lake: Path, curate: Curate) -> None:
    once = curate(lake, store="once")
    for path in lake.glob("*.jsonl"):
        path.write_bytes(b"".join(line + line for line in path.read_bytes().splitlines(keepends=True)))
    assert_same_but_repeats(once, curate(lake, store="twice"), num_repeats=54)


def test_every_record_again_in_another_file_changes_nothing_but_repeats(lake: Path, curate: Curate) -> None:
    once = curate(lake, store="once")
    write_jsonl(lake / "again.jsonl", redundant_records(num_tasks=6)[::-1])
    assert_same_but_repeats(once, curate(lake, store="twice"), num_repeats=54)


def test_every_file_under_another_path_changes_nothing_but_repeats(tmp_path: Path, curate: Curate) -> None:
    assert main(["sample-lake", str(tmp_path / "sample"), "--tasks", "8", "--rollouts", "6", "--seed", "3"]) == 0
    lake = tmp_path / "sample" / "lake"
    once = curate(lake, store="once")
    num_records = once.manifest.funnel["read"]
    shutil.copytree(lake, tmp_path / "copy")
    shutil.move(tmp_path / "copy", lake / "copied" / "elsewhere")
    twice = curate(lake, store="twice")
    assert twice.table("inputs").height == 2 * once.table("inputs").height
    assert_same_but_repeats(once, twice, num_repeats=num_records)


@pytest.mark.parametrize(("kind", "free"), [("other", FAMILY_COLUMNS), ("dialog", [])])
def test_an_unrelated_environment_leaves_the_clusters_of_the_others(
    kind: str, free: list[str], lake: Path, curate: Curate
) -> None:
    alone = curate(lake, store="alone")
    others = redundant_records(num_tasks=4, prefix="stranger", environment="elsewhere")
    write_jsonl(lake / "others.jsonl", [record | {"env_type": kind} for record in others])
    together = curate(lake, store="together")
    kinds = together.table("trajectories").select("env_name", "env_type").unique()
    assert sorted(kinds.iter_rows()) == [("elsewhere", kind), ("repo", "other")]
    for name in ("clusters", "boilerplate", "background", "embeddings"):
        mine = together.table(name)
        if "environment" in mine.columns:
            mine = mine.filter(pl.col("environment") == "repo")
        else:
            mine = mine.filter(pl.col("traj_id").is_in(alone.table("clusters")["traj_id"].to_list()))
        dropped = free if name == "clusters" else []
        assert_frame_equal(mine.drop(dropped), alone.table(name).drop(dropped))
