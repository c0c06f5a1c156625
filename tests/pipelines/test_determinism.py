"""Equal lakes give equal snapshots, byte for byte, however the run is carried out."""

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from tests.whole_runs import Curate, Curated

pytestmark = pytest.mark.slow

WORKERS = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    assert main(["sample-lake", str(tmp_path / "sample"), "--tasks", "24", "--rollouts", "8", "--seed", "3"]) == 0
    return tmp_path / "sample"


def _files(lake: Path) -> list[str]:
    return sorted(str(path.relative_to(lake)) for path in lake.rglob("*") if path.is_file())


def _primary(lake: Path) -> list[str]:
    return [name for name in _files(lake) if not name.endswith("report.json")]


def _catalog(curated: Curated) -> dict[str, list[tuple[object, ...]]]:
    path = Path(curated.store.root) / curated.manifest.folder / "catalog.duckdb"
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [
            row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        ]
        return {name: connection.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in names}


def test_four_ways_of_running_give_one_snapshot(sample: Path, curate: Curate, tmp_path: Path) -> None:
    lake = sample / "lake"
    names = _primary(lake)
    assert len(names) >= 8
    copied = tmp_path / "elsewhere" / "lake"
    shutil.copytree(lake, copied)
    for number, name in enumerate(_files(copied)):
        os.utime(copied / name, (1_000_000_000 + number, 1_000_000_000 + number))
    settings = {"seed_file": str(sample / "seeds.jsonl")}
    runs = [
        curate(lake, store="default", include=names, settings=settings),
        curate(lake, store="workers", include=names, settings=settings, flags=WORKERS),
        curate(lake, store="shuffled", include=names[::2][::-1] + names[1::2], settings=settings),
        curate(copied, store="copied", include=names, settings=settings),
    ]
    first = runs[0].tree()
    assert any(name.endswith("manifest.json") for name in first)
    assert len([name for name in first if "/exports/" in name]) >= 5
    for run in runs[1:]:
        assert run.tree().keys() == first.keys()
        assert [name for name, content in run.tree().items() if content != first[name]] == []
        assert _catalog(run) == _catalog(runs[0])
    fifth = curate(lake, store="default", include=names, settings=settings)
    assert fifth.result.was_done
    assert fifth.tree() == first
