"""A model that gives NaN for some texts: their rollouts are quarantined by id, and all else is as without them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from safetensors.numpy import load_file, save_file

from pipelines.cli import main
from schemas.errors import QualityError
from tests.whole_runs import Curate, Curated, chat_rollout, write_jsonl


@pytest.fixture
def broken_model(tiny_model: Path, tmp_path: Path) -> Path:
    """The tiny model with NaN for its word `9`, so that a text that holds it has no vector."""
    folder = tmp_path / "broken"
    shutil.copytree(tiny_model, folder)
    (weights,) = [path for path in folder.rglob("*.safetensors")]
    tensors = load_file(weights)
    (name,) = [each for each in tensors if each.endswith("word_embeddings.weight")]
    words = next(iter(tiny_model.parent.rglob("vocab.txt"))).read_text().split()
    tensors[name] = tensors[name].copy()
    tensors[name][[place for place, word in enumerate(words) if word in {"9", "##9"}]] = float("nan")
    save_file(tensors, weights, metadata={"format": "pt"})
    return folder


def _said(name: str, task: str, text: str) -> dict[str, Any]:
    record = chat_rollout(task, 0, reward=1.0) | {"trajectory_id": name}
    messages = [message for message in record["messages"] if message["role"] in ("system", "user")]
    return record | {"messages": [*messages, {"role": "assistant", "content": text}]}


def _records() -> list[dict[str, Any]]:
    words = [f"{first}{second}" for first in "abcdefgh" for second in "klmnopqr"]
    text = " ".join(words)
    return [
        _said("whole", "one", " ".join(reversed(words))),
        _said("nan", "two", f"9 {text}"),
        _said("nan-copy", "two", f"9 {text}"),
        _said("near-copy", "two", f"8 {text}"),
        *(_said(f"other{number}", f"task{number}", f"{text[number * 9 :]} {number}") for number in range(4)),
    ]


@pytest.fixture
def curated(tmp_path: Path, curate: Curate, broken_model: Path) -> Callable[..., Curated]:
    lake = write_jsonl(tmp_path / "lake" / "part.jsonl", _records())
    (lake / "bad.jsonl").write_text('{"messages": [')

    return _curating(curate, lake, broken_model)


def _curating(curate: Curate, lake: Path, model: Path) -> Callable[..., Curated]:
    def run(**more: Any) -> Curated:
        embedding = {"encoder": str(model), "batch_size": 8, "precision": "float32"}
        views = {"window_tokens": 64, "max_windows": 1, "leak_alarm": {"enabled": False}}
        return curate(
            lake, settings={"embedding": embedding, "views": views, "execution": {"progress": "quiet"}}, **more
        )

    return run


def _names(curated: Curated, table: str) -> set[str]:
    ids = dict(curated.table("trajectories").select("traj_id", "native_id").iter_rows())
    return {ids[traj_id] for traj_id in curated.table(table)["traj_id"]}


def test_rollouts_without_a_vector_are_quarantined_by_id_and_counted(curated: Callable[..., Curated]) -> None:
    snapshot = curated()
    funnel = snapshot.manifest.funnel
    rows = snapshot.table("quarantine")
    kept = {"whole", "near-copy", *(f"other{number}" for number in range(4))}

    assert (funnel["read"], funnel["trajectories"], funnel["quarantined"], funnel["repeats"]) == (9, 6, 3, 0)
    dropped = sum(count for name, count in funnel.items() if name.startswith("dropped/"))
    assert funnel["read"] == funnel["kept"] + dropped + funnel["quarantined"] + funnel["repeats"]
    assert set(snapshot.table("inputs").select("num_trajectories", "num_quarantined").rows()) == {(6, 2), (0, 1)}
    assert rows.height == 3
    rows = rows.filter(pl.col("trajectory_id").is_not_null())
    assert set(rows.select("stage", "reason").iter_rows()) == {("embed", "unusable_vector")}
    assert sorted(rows["record_key"]) == ["line:2", "line:3"]
    assert rows["byte_offset"].null_count() == 0
    assert all(name in message for name, message in rows.select("trajectory_id", "message").iter_rows())
    for table in ("trajectories", "clusters", "decisions", "features", "views", "embeddings"):
        assert _names(snapshot, table) == kept
        assert not set(rows["trajectory_id"]) & set(snapshot.table(table)["traj_id"])
    assert set(snapshot.table("clusters").filter(pl.col("method") == "unusable_vector")["traj_id"]) == set()
    exports = [path for path in snapshot.store.list("snapshots") if "/exports/" in path]
    assert not any(b"9 ak al" in snapshot.store.read_bytes(path) for path in exports)
    assert any(b"8 ak al" in snapshot.store.read_bytes(path) for path in exports)


def test_a_later_run_over_kept_vectors_decides_the_same(curated: Callable[..., Curated]) -> None:
    first = curated()
    assert curated().result.was_done
    again = curated(overrides=["seed=1"])

    assert again.table("quarantine").equals(first.table("quarantine"))
    assert again.manifest.funnel == first.manifest.funnel


def test_a_window_or_a_task_without_a_vector_sets_its_rollouts_aside_and_every_run_counts_it(
    tmp_path: Path, curate: Curate, broken_model: Path
) -> None:
    words = " ".join(f"{first}{second}" for first in "abcdefgh" for second in "klmnopqr")
    records = [
        _said("window", "one", f"{words} {words} 9"),
        _said("task", "t9", f"{words} 3"),
        _said("task-too", "t9", f"{words[60:]} 4"),
        *(_said(f"other{number}", f"task{number}", f"{words[number * 8 :]} {words[::-1]} 5") for number in range(5)),
    ]
    lake = write_jsonl(tmp_path / "lake" / "part.jsonl", records)
    settings = {
        "embedding": {"encoder": str(broken_model), "batch_size": 8, "precision": "float32"},
        "views": {"window_tokens": 64, "max_windows": 8, "leak_alarm": {"enabled": False}},
        "execution": {"progress": "quiet"},
    }
    cold = curate(lake, settings=settings)
    warm = curate(lake, settings=settings, overrides=["seed=1"])

    for snapshot in (cold, warm):
        assert _names(snapshot, "clusters") == {f"other{number}" for number in range(5)}
        assert set(snapshot.table("quarantine")["reason"]) == {"unusable_vector"}
        counts = _embed_counts(snapshot)
        assert (counts["quarantined"], counts["unusable_vectors"]) == (3, 2)
    assert warm.table("quarantine").equals(cold.table("quarantine"))


def _embed_counts(curated: Curated) -> dict[str, float]:
    assert curated.result.run_file is not None
    record = json.loads(curated.store.read_bytes(curated.result.run_file))
    (counts,) = (stage["counts"] for stage in record["stages"] if stage["stage"] == "embed")
    return dict(counts)


def test_the_verbs_tell_of_them(
    curated: Callable[..., Curated], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traj_id = curated().table("quarantine")["trajectory_id"].drop_nulls()[0]
    conf = str(tmp_path / "curate.yaml")

    assert main(["quarantine", "list", "--conf", conf]) == 0
    assert traj_id in capsys.readouterr().out
    assert main(["quarantine", "show", traj_id, conf]) == 0
    shown = capsys.readouterr().out
    assert "unusable_vector" in shown
    assert "embed" in shown
    for verb in (["explain", traj_id], ["similar", traj_id[:12]]):
        assert main([*verb, "--conf", conf]) == 3
        told = " ".join(capsys.readouterr().err.split())
        assert f"{traj_id} is quarantined, and so in no table: unusable_vector at stage embed" in told
        assert "gave no usable vector" in told
    assert main(["quarantine", "replay", conf]) == 0
    replayed = capsys.readouterr().out
    assert "run_again" in replayed
    assert "accepted" not in replayed
    assert "still_bad" in replayed


def test_a_model_that_fails_on_most_rollouts_stops_the_run(curated: Callable[..., Curated]) -> None:
    with pytest.raises(QualityError, match=r"3 of 9 records are quarantined, more than ingest\.max_bad_ratio=0\.2"):
        curated(overrides=["ingest.max_bad_ratio=0.2"])


@pytest.mark.parametrize("num_others", [0, 1, 2])
def test_a_small_lake_goes_on_without_a_cell_whose_only_rollout_has_no_vector(
    tmp_path: Path, curate: Curate, broken_model: Path, num_others: int
) -> None:
    text = " ".join(f"{first}{second}" for first in "abcdefgh" for second in "klmnopqr")
    others = [_said(f"o{number}", f"t{number}", f"{text[number * 9 :]} 8 {number}") for number in range(num_others)]
    lake = write_jsonl(tmp_path / "lake" / "part.jsonl", [_said("nan", "t9", f"9 {text}"), *others])

    snapshot = _curating(curate, lake, broken_model)(overrides=["ingest.max_bad_ratio=1"])

    funnel = snapshot.manifest.funnel
    assert (funnel["trajectories"], funnel["quarantined"]) == (num_others, 1)
    assert _names(snapshot, "clusters") == {f"o{number}" for number in range(num_others)}
