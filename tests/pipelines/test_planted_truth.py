"""Planted copies with word noise through the whole job: how many are found, and what is joined across tasks."""

from itertools import count
from pathlib import Path

from tests.planted_truth import (
    MAX_CROSS_TASK,
    NOISE,
    RECALL,
    cross_task_share,
    found_pairs,
    planted_lake,
    synthetic_cells,
)
from tests.whole_runs import Curate, write_jsonl

_CELLS = {1: 24, 2: 12, 4: 6, 8: 3}
"""Originals of a cell → cells of each level of noise: 24 pairs of every cell size, 96 of every level."""


def test_noisy_copies_are_found_and_tasks_are_never_joined(tmp_path: Path, curate: Curate) -> None:
    starts = count(0, 30)
    lake = planted_lake(
        lambda originals: list(synthetic_cells(originals, _CELLS[originals], start=next(starts))), seed=3
    )
    curated = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", lake.records))
    tables = curated.table("clusters"), curated.table("trajectories")
    found = found_pairs(lake, *tables)
    share = cross_task_share(lake, *tables)
    for noise, each in found.items():
        print(f"noise {noise:g}: {each.together} of {each.planted} found, {each.dropped} of them one run stays for")
    print(f"joined across tasks: {share:.2g} of all pairs")

    assert all(
        found[noise].together >= recall * found[noise].planted for noise, recall in zip(NOISE, RECALL, strict=True)
    )
    assert found[0.0].dropped == found[0.0].planted
    assert share <= MAX_CROSS_TASK
