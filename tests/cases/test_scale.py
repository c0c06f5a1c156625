"""SCA-03, SCA-04, SCA-12: noise is never dropped, small environments pass, a full bucket stays small work."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import orjson
import pytest

from tests.whole_runs import Curate, Curated, chat_rollout
from transforms.lexical.candidates import lexical_groups, similar_pairs


def _curated(curate: Curate, folder: Path, rows: list[dict[str, object]]) -> Curated:
    folder.mkdir()
    (folder / "lake.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return curate(folder)


def _words(number: int, count: int = 60) -> str:
    return " ".join(hashlib.sha256(f"{number} {place}".encode()).hexdigest()[:9] for place in range(count))


@pytest.mark.parametrize("tasks", [1, 200])
def test_sca_03_near_copies_and_nothing_else_are_one_family(curate: Curate, tmp_path: Path, tasks: int) -> None:
    rows = []
    for number in range(200):
        row = chat_rollout("parser", 0, reward=1.0, words=_words(0))
        row |= {"trajectory_id": f"copy-{number}", "task_id": f"parser-{number % tasks}"}
        row["messages"][-1]["content"] += f" Attempt {number}."
        rows.append(row)
    clusters = _curated(curate, tmp_path / "lake", rows).table("clusters")
    assert clusters.height == 200
    assert clusters["family_id"].n_unique() == 1
    assert not clusters["family_is_noise"].any()
    assert set(clusters["family_size"]) == {200}


def test_sca_03_unrelated_runs_are_all_noise_and_none_is_dropped(curate: Curate, tmp_path: Path) -> None:
    rows = []
    for number in range(200):
        said = [_words(1000 * number + turn) for turn in range(6)]
        messages = [
            {"role": "user" if turn % 2 == 0 else "assistant", "content": text} for turn, text in enumerate(said)
        ]
        identity = {
            "trajectory_id": f"run-{number}",
            "task_id": f"task-{number}",
            "environment": "repo",
            "reward": 1.0,
        }
        rows.append(identity | {"messages": messages})
    curated = _curated(curate, tmp_path / "lake", rows)
    assert curated.table("clusters")["family_is_noise"].all()
    assert set(curated.table("decisions")["decision"]) == {"keep"}
    assert curated.table("decisions").height == 200


def test_sca_04_small_environments_survive(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCA-04" / "data")
    assert curated.manifest.funnel["trajectories"] == 10
    assert set(curated.table("decisions")["decision"]) == {"keep"}
    assert sorted(curated.table("trajectories").group_by("env_name").len()["len"].to_list()) == [1, 2, 3, 4]


def test_sca_12_the_edges_of_what_is_alike_grow_with_the_texts_and_not_with_their_pairs() -> None:
    rng = np.random.default_rng(12)
    for count in (1000, 2000, 4000, 8000):
        signatures = np.tile(rng.integers(0, 2**32, 128, dtype=np.uint32), (count, 1))
        signatures[np.arange(count), rng.integers(0, 128, count)] = 7
        stars = lexical_groups(signatures, np.arange(count), min_similarity=0.8)
        assert set(stars.keeper.tolist()) == {0}
        # A band gives a text two edges at most.
        assert count - 1 <= len(similar_pairs(signatures, min_similarity=0.8)) <= 2 * 18 * count


_ONE_BUCKET = """
import resource
import numpy as np
from transforms.lexical.candidates import lexical_groups

rng = np.random.default_rng(1)
signatures = np.tile(rng.integers(0, 2**32, 128, dtype=np.uint32), (1_000_000, 1))
for start in range(0, len(signatures), 100_000):
    part = signatures[start : start + 100_000]
    part[np.arange(len(part)), rng.integers(7, 128, len(part))] = rng.integers(0, 2**32, len(part), dtype=np.uint32)
stars = lexical_groups(signatures, np.arange(len(signatures)), min_similarity=0.8)
print(len(set(stars.keeper.tolist())), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_sca_12_a_million_texts_of_one_bucket_stay_under_two_gigabytes() -> None:
    done = subprocess.run([sys.executable, "-c", _ONE_BUCKET], check=True, capture_output=True, text=True)
    num_keepers, peak_kb = map(int, done.stdout.split())
    assert num_keepers == 1
    assert peak_kb * 1024 < 2e9
