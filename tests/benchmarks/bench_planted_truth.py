"""Planted copies with word noise through the whole job, on realistic rollouts and on real ones.

python -m tests.benchmarks.bench_planted_truth                          # synthetic originals
python -m tests.benchmarks.bench_planted_truth --lake FOLDER --conf conf/examples/tau_airline.yaml
python -m tests.benchmarks.bench_planted_truth --encoder minilm         # what vectors of a model make of them
"""

import argparse
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from pipelines.run import execute
from pipelines.settings_files import load_settings
from tests.planted_truth import (
    RECALL,
    Record,
    cross_task_share,
    found_pairs,
    planted_lake,
    synthetic_cells,
)
from tests.whole_runs import Curated, write_jsonl
from transforms.store.files import Store


def main() -> None:
    """Print what was found at each level of noise, with the interval of 95 % (Wilson), and what was joined."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lake", type=Path, help="real rollouts, as the settings file wants them")
    parser.add_argument("--conf", type=Path, help="settings of the real rollouts")
    parser.add_argument("--encoder", default="hashed")
    parser.add_argument("--pairs", type=int, default=640, help="planted pairs of each level of noise, about")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        cells_of = _originals(options.lake, options.conf, work / "real", num_pairs=options.pairs // 4)
        lake = planted_lake(cells_of, seed=11)
        curated = _curated(
            work / "planted",
            {"embedding": {"encoder": options.encoder}, "views": {"leak_alarm": {"enabled": False}}},
            lake=write_jsonl(work / "lake" / "part.jsonl", lake.records),
        )
        tables = curated.table("clusters"), curated.table("trajectories")
        print(f"{len(lake.records)} rollouts, encoder {options.encoder}")
        for (noise, found), recall in zip(found_pairs(lake, *tables).items(), RECALL, strict=True):
            low, high = interval(found.together, found.planted)
            print(
                f"noise {noise:g}: one approach {found.together}/{found.planted} = "
                f"{found.together / found.planted:.4f} [{low:.4f}, {high:.4f}], bar {recall:g}; "
                f"one run stays for both {found.dropped / found.planted:.4f}"
            )
        print(f"joined across tasks: {cross_task_share(lake, *tables):.2g} of all pairs (bar 1e-4)")


def _originals(
    lake: Path | None, conf: Path | None, work: Path, *, num_pairs: int
) -> Callable[[int], list[list[Record]]]:
    """Return what gives as many cells of so many originals each as hold the pairs wanted."""
    if lake is None:
        starts = count(0, 10_000)
        return lambda size: list(synthetic_cells(size, num_pairs // size, start=next(starts)))
    cells = real_cells(_curated(work, {}, base=conf, lake=lake))
    return lambda size: _drawn(cells, size, num_pairs // size)


def real_cells(curated: Curated) -> list[list[Record]]:
    """Return the rollouts of a snapshot as chat records, by cell; copies and those under 20 words are left out."""
    clusters = curated.table("clusters")
    clusters = clusters.filter(pl.col("traj_id") == pl.col("keeper_id"))
    instructions = dict(curated.table("trajectories").select("traj_id", "instruction").iter_rows())
    steps, calls = curated.table("steps"), curated.table("tool_calls")
    steps_of = {key[0]: part.sort("step_id") for key, part in steps.group_by("traj_id")}
    calls_of = {key: part.sort("call_index") for key, part in calls.group_by("traj_id", "step_id")}
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in clusters.sort("traj_id").iter_rows(named=True):
        messages = list(_messages(steps_of[row["traj_id"]], calls_of))
        if sum(len(each["content"].split()) for each in messages) < 20:
            continue
        opening = [
            {"role": "system", "content": "."},
            {"role": "user", "content": instructions[row["traj_id"]] or "."},
        ]
        cells[row["task_group"], row["outcome_class"]].append(
            {
                "task_id": f"{row['task_group']}/{row['outcome_class']}",
                "environment": "real",
                "model": "real",
                "messages": [*opening, *messages],
                "reward": 1.0,
            }
        )
    return list(cells.values())


def interval(found: int, planted: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson)."""
    z, share = 1.96, found / planted
    middle = (share + z * z / (2 * planted)) / (1 + z * z / planted)
    half = z * (share * (1 - share) / planted + z * z / (4 * planted**2)) ** 0.5 / (1 + z * z / planted)
    return middle - half, middle + half


def _messages(steps: pl.DataFrame, calls_of: dict[tuple[Any, ...], pl.DataFrame]) -> Iterator[Record]:
    """Give the messages after the task's statement."""
    is_stated = False
    for step in steps.iter_rows(named=True):
        if step["source"] == "agent":
            mine = calls_of.get((step["traj_id"], step["step_id"]))
            rows = [] if mine is None else list(mine.iter_rows(named=True))
            text = "\n".join(each for each in (step["reasoning"], step["message"]) if each)
            names = [f"c{step['step_id']}-{row['call_index']}" for row in rows]
            tool_calls = [
                {
                    "id": name,
                    "type": "function",
                    "function": {"name": row["tool_name"], "arguments": row["arguments_json"] or "{}"},
                }
                for name, row in zip(names, rows, strict=True)
            ]
            yield {"role": "assistant", "content": text} | ({"tool_calls": tool_calls} if tool_calls else {})
            for name, row in zip(names, rows, strict=True):
                result = step["obs_text"] if len(rows) == 1 else row["result_text"]
                yield {"role": "tool", "tool_call_id": name, "content": result or ""}
        elif step["source"] == "user" and not is_stated:
            is_stated = True
        elif step["source"] == "user" and step["message"]:
            yield {"role": "user", "content": step["message"]}


def _drawn(cells: list[list[Record]], size: int, wanted: int) -> list[list[Record]]:
    """Return cells of so many rollouts of one real cell each; no rollout stands twice."""
    rng = random.Random(size)
    found = []
    for cell in cells:
        order = rng.sample(cell, len(cell))
        parts = [order[start : start + size] for start in range(0, len(order) - size + 1, size)]
        found += [[_in_part(each, number) for each in part] for number, part in enumerate(parts)]
    return rng.sample(found, min(len(found), wanted))


def _in_part(record: Record, number: int) -> Record:
    """Return the record as one of a task of its own: equal statements would be one task."""
    system, statement, *messages = record["messages"]
    told = statement | {"content": f"{statement['content']} [part {number} of {record['task_id']}]"}
    return record | {"task_id": f"{record['task_id']}-{number}", "messages": [system, told, *messages]}


def _curated(folder: Path, settings: dict[str, Any], *, lake: Path, base: Path | None = None) -> Curated:
    folder.mkdir()
    (folder / "own.yaml").write_text(yaml.safe_dump(settings | {"execution": {"progress": "quiet"}}))
    places = [f"lake.root={json.dumps(str(lake))}", f"store={folder / 'store'}"]
    if base is None:
        places.append("lake.include=['**/*.jsonl']")
    result = execute(load_settings([*([base] if base else []), folder / "own.yaml"], places))
    return Curated(Store(str(folder / "store")), result)


if __name__ == "__main__":
    main()
