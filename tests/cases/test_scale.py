"""SCA-03 and SCA-04: noise is unique and never dropped, and small environments pass."""

import hashlib
from pathlib import Path

import orjson
import pytest

from tests.whole_runs import Curate, Curated, chat_rollout


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
