"""The similarity tables have the same bytes however a run is carried out and whatever the store has seen before."""

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
import yaml

from pipelines import plan
from pipelines.run import execute
from pipelines.settings_files import load_settings
from pipelines.stages import copies, similar
from tests.pipelines.redundant_lake import SIMILARITY_TABLES, redundant_records
from tests.whole_runs import write_jsonl
from transforms.embedding import encoding
from transforms.store.files import Store
from transforms.store.manifest import snapshot_folder
from transforms.store.packs import plan_packs

pytestmark = pytest.mark.slow

Digests = dict[str, str]
Similar = Callable[..., Digests]

SETTINGS = {"families": {"min_cluster_size": 3, "min_samples": 1}, "semantic": {"min_similarity": 0.9}}
NUM_ORDERS = 20
NUM_HASH_SEEDS = 10
IN_A_PROCESS = """
import sys
from pathlib import Path
from pipelines.run import execute
from pipelines.settings_files import load_settings
execute(load_settings([Path(sys.argv[1])]), until="select")
"""


def spread(folder: Path, records: list[dict[str, Any]], *, seed: int) -> Path:
    """Write the records as JSON lines, shuffled and shared out to one to twelve files under drawn names."""
    draws = random.Random(seed)
    shuffled = draws.sample(records, len(records))
    num_files = draws.randint(1, 12)
    for number in range(num_files):
        name = f"{draws.randbytes(3).hex()}/{draws.randbytes(3).hex()}.jsonl"
        write_jsonl(folder / name, shuffled[number::num_files])
    return folder


def digests(store: Path) -> Digests:
    """Return the SHA-256 of each similarity table of the newest snapshot that a run left."""
    place = Store(str(store))
    (record,) = [orjson.loads(place.read_bytes(name)) for name in sorted(place.list("runs"))[-1:]]
    folder = f"{snapshot_folder(record['snapshot_id'])}/tables"
    return {
        name: hashlib.sha256(place.read_bytes(f"{folder}/{name}.parquet")).hexdigest() for name in SIMILARITY_TABLES
    }


def settings_file(folder: Path, lake: Path, store: Path, settings: dict[str, Any]) -> Path:
    path = folder / f"{store.name}.yaml"
    tree = {"lake": {"root": str(lake), "include": ["**/*.jsonl"]}, "store": str(store)}
    path.write_text(yaml.safe_dump(tree | {"execution": {"progress": "quiet"}} | SETTINGS | settings))
    return path


@pytest.fixture(scope="module")
def similar_of(tmp_path_factory: pytest.TempPathFactory) -> Similar:
    """Run the stages up to `select` and return the digests: `similar_of(lake, store=…, settings={…}, flags=[…])`."""
    folder = tmp_path_factory.mktemp("similar")

    def run(lake: Path, *, store: str, settings: dict[str, Any] | None = None, flags: tuple[str, ...] = ()) -> Digests:
        conf = settings_file(folder, lake, folder / store, settings or {})
        result = execute(load_settings([conf]), flags=flags, until="select")
        assert result.run_file is not None
        place = Store(str(folder / store))
        tables = f"{snapshot_folder(result.plan.snapshot_id)}/tables"
        return {
            name: hashlib.sha256(place.read_bytes(f"{tables}/{name}.parquet")).hexdigest()
            for name in SIMILARITY_TABLES
        }

    return run


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return spread(tmp_path_factory.mktemp("lake"), redundant_records(), seed=0)


@pytest.fixture(scope="module")
def expected(lake: Path, similar_of: Similar) -> Digests:
    """The digests of a plain run, which finds redundancy of every kind."""
    return similar_of(lake, store="plain")


def test_the_lake_has_redundancy_of_every_kind(lake: Path, expected: Digests, tmp_path: Path) -> None:
    conf = settings_file(tmp_path, lake, tmp_path / "store", {})
    result = execute(load_settings([conf]))
    assert result.manifest is not None
    summary, store = result.manifest.summary, Store(str(tmp_path / "store"))
    clusters = pl.read_parquet(Path(store.root) / result.manifest.tables["clusters"][0].path)
    assert clusters.height == 81
    assert {"none", "exact", "lexical", "semantic"} <= set(clusters["method"])
    assert summary["task keys/near_text"] > 0
    assert clusters["family_id"].n_unique() > 1
    assert digests(tmp_path / "store") == expected


@pytest.mark.parametrize("workers", [2, 4])
def test_worker_processes(workers: int, lake: Path, expected: Digests, similar_of: Similar) -> None:
    flags = ("--direct_running_mode=multi_processing", f"--direct_num_workers={workers}")
    assert similar_of(lake, store=f"workers-{workers}", flags=flags) == expected


def test_input_orders(expected: Digests, similar_of: Similar, tmp_path: Path) -> None:
    for seed in range(1, NUM_ORDERS + 1):
        shuffled = spread(tmp_path / str(seed), redundant_records(), seed=seed)
        assert similar_of(shuffled, store=f"order-{seed}") == expected, seed


@pytest.mark.parametrize(("rows", "pack_bytes"), [(1, 1), (7, 20_000), (1000, 2**30)])
def test_bundle_sizes(
    rows: int,
    pack_bytes: int,
    lake: Path,
    expected: Digests,
    similar_of: Similar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (copies, similar):
        monkeypatch.setattr(module, "_SHARD_ROWS", rows)
    for size in ("_READ_ROWS", "_ENCODED_AT_ONCE", "_CHUNK_TEXTS"):
        monkeypatch.setattr(encoding, size, rows)
    monkeypatch.setattr(plan, "plan_packs", partial(plan_packs, pack_bytes=pack_bytes))
    assert similar_of(lake, store=f"bundles-{rows}") == expected


def test_hash_seeds_and_thread_counts(lake: Path, expected: Digests, tmp_path: Path) -> None:
    for first in range(0, NUM_HASH_SEEDS, 2):
        running = [_in_a_process(seed, lake, tmp_path) for seed in (first, first + 1)]
        for seed, process in zip((first, first + 1), running, strict=True):
            assert process.wait(timeout=600) == 0
            assert digests(tmp_path / f"hash-{seed}") == expected, seed


def _in_a_process(seed: int, lake: Path, folder: Path) -> "subprocess.Popen[bytes]":
    conf = settings_file(folder, lake, folder / f"hash-{seed}", {})
    threads = str(1 + seed % 2)
    environment = os.environ | {
        "PYTHONHASHSEED": str(seed),
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "NUMBA_NUM_THREADS": threads,
    }
    return subprocess.Popen([sys.executable, "-c", IN_A_PROCESS, str(conf)], env=environment)


def test_a_warm_and_a_differently_filled_store(
    lake: Path, expected: Digests, similar_of: Similar, tmp_path: Path
) -> None:
    assert similar_of(lake, store="warm") == expected
    assert similar_of(lake, store="warm") == expected
    others = redundant_records(num_tasks=4) + redundant_records(num_tasks=3, prefix="other", environment="shop")
    other = spread(tmp_path / "other", others, seed=5)
    assert similar_of(other, store="filled") != expected
    assert similar_of(lake, store="filled") == expected


def test_a_model_s_vectors(tiny_model: Path, lake: Path, similar_of: Similar, tmp_path: Path) -> None:
    settings = {
        "embedding": {"encoder": str(tiny_model), "batch_size": 8},
        # A random model tells nothing apart, which is what the alarm is for.
        "views": {"window_tokens": 32, "max_windows": 3, "leak_alarm": {"enabled": False}},
    }
    first = similar_of(lake, store="model", settings=settings)
    assert similar_of(lake, store="model", settings=settings) == first
    other = spread(tmp_path / "other", redundant_records(num_tasks=2), seed=4)
    similar_of(other, store="model-filled", settings=settings)
    shuffled = spread(tmp_path / "shuffled", redundant_records(), seed=3)
    assert similar_of(shuffled, store="model-filled", settings=settings) == first
