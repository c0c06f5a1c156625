"""DET-02 and DET-08: groups follow no order of the rows, and files tell neither when nor where they were made."""

import hashlib
import os
import shutil
import socket
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipelines.cli import main
from tests.whole_runs import Curate
from transforms.similarity.search import semantic_groups


def _vectors(count: int) -> NDArray[np.float32]:
    """Return vectors without structure, every fifth of them one before it, moved a little."""
    draws = np.random.default_rng(2)
    vectors = draws.normal(size=(count, 16)).astype(np.float32)
    moved = np.arange(4, count, 5)
    vectors[moved] = vectors[moved - draws.integers(1, 4, size=len(moved))] + draws.normal(0, 0.05, (len(moved), 16))
    return vectors


def test_det_02_groups_of_twenty_thousand_follow_no_order_of_the_rows() -> None:
    vectors = _vectors(20_000)
    keepers = []
    for seed in (None, 0, 1):
        rows = np.arange(len(vectors)) if seed is None else np.random.default_rng(seed).permutation(len(vectors))
        # Members are taken best first: row `rows[n]` of the vectors is met at place `n` of the matrix.
        order = np.argsort(rows)
        stars = semantic_groups(vectors[rows], order, min_similarity=0.95)
        keepers.append(rows[stars.keeper][order])
    assert len(np.unique(keepers[0])) < 17_000
    assert np.array_equal(keepers[0], keepers[1])
    assert np.array_equal(keepers[0], keepers[2])


def test_det_02_the_seed_stands_with_the_snapshot(chat_lake: Path, curate: Curate) -> None:
    curated = curate(chat_lake, settings={"seed": 7})
    config = curated.store.read_bytes(f"{curated.manifest.folder}/config.yaml").decode()
    assert "seed: 7" in config.splitlines()
    assert curate(chat_lake, settings={"seed": 8}).manifest.run_key != curated.manifest.run_key


def test_det_08_two_runs_elsewhere_and_later_leave_the_same_files(tmp_path: Path, curate: Curate) -> None:
    assert main(["sample-lake", str(tmp_path / "sample"), "--tasks", "8", "--rollouts", "4", "--seed", "3"]) == 0
    lake, moved = tmp_path / "sample" / "lake", tmp_path / "moved" / "lake"
    shutil.copytree(lake, moved)
    for path in moved.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    first, second = curate(lake, store="here").tree(), curate(moved, store="there").tree()
    assert first.keys() == second.keys()
    digests = [{name: hashlib.sha256(content).hexdigest() for name, content in run.items()} for run in (first, second)]
    assert digests[0] == digests[1]
    host = socket.gethostname()
    # A short name may stand in a file's bytes by chance.
    marks = [str(tmp_path), str(Path.cwd()), *([host] if len(host) > 5 else [])]
    assert [name for name, content in first.items() for mark in marks if mark.encode() in content] == []
    assert list((tmp_path / "here" / "runs").glob("*.json"))
