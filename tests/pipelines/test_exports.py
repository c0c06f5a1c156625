"""The exported datasets as a client loads them."""

from pathlib import Path

import datasets
import polars as pl
import pytest

from tests.whole_runs import Curate, Curated, chat_rollout, write_jsonl


def _load(curated: Curated, name: str, cache: Path) -> datasets.Dataset:
    folder = Path(curated.store.root) / curated.manifest.folder / "exports"
    return datasets.load_dataset(str(folder), name, cache_dir=str(cache))["train"]


@pytest.fixture
def quiet_datasets() -> None:
    datasets.disable_progress_bars()


@pytest.mark.slow
@pytest.mark.usefixtures("quiet_datasets")
def test_every_snapshot_loads_as_itself(chat_lake: Path, tmp_path: Path, curate: Curate) -> None:
    first = curate(chat_lake)
    records = [chat_rollout(f"other{task}", n, reward=float(n % 2)) for task in range(5) for n in range(4)]
    second = curate(write_jsonl(tmp_path / "second" / "a.jsonl", records), store="other")
    third = curate(chat_lake, settings={"seed": 9})
    for curated in (first, second, third):
        loaded = _load(curated, "dpo", tmp_path / "cache")
        assert sorted(loaded["id"]) == sorted(curated.table("pairs")["row_id"].to_list())
        assert set(loaded["chosen_id"]) <= set(curated.table("trajectories")["traj_id"])


@pytest.mark.usefixtures("quiet_datasets")
def test_the_datasets_hold_what_uses_says(chat_lake: Path, tmp_path: Path, curate: Curate) -> None:
    curated = curate(chat_lake)
    uses = curated.table("uses").filter("used")
    classes = dict(curated.table("clusters").select("traj_id", "outcome_class").iter_rows())
    for name in ("dpo", "kto", "sft", "rl"):
        loaded = _load(curated, name, tmp_path / "cache")
        assert set(loaded["id"]) == set(uses.filter(pl.col("dataset") == name)["row_id"]), name
    assert {classes[row["traj_id"]] for row in _load(curated, "sft", tmp_path / "cache")} == {"success"}
    for row in _load(curated, "dpo", tmp_path / "cache"):
        for side in ("chosen", "rejected"):
            assert row[side][0]["role"] == row[side][-1]["role"] == "assistant"
            calls = [call for message in row[side] for call in message["tool_calls"] or []]
            assert all(isinstance(call["function"]["arguments"], dict) for call in calls)
