"""Lakes with planted truth: rollouts and noisy copies of them in cells of known size, and what a run made of them.

A cell holds so many rollouts of one task and outcome: half of them originals, and a copy of each in which every word
that agent, tools and user said after the task (arguments of calls included) was replaced with one probability.
"""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import polars as pl

from transforms.synthesis.actions import LINE_KINDS_OF
from transforms.synthesis.chat_records import chat_record
from transforms.synthesis.episodes import write_episode
from transforms.synthesis.planting import Planted, RolloutPlan, plan_task
from transforms.synthesis.vocabulary import task_vocabulary

NOISE: Final = (0.0, 0.02, 0.05, 0.1)
"""Probabilities that a word of a copy is replaced."""

RECALL: Final = (1.0, 0.99, 0.95, 0.85)
"""Share of the copies to be found at each of them, at least."""

MAX_CROSS_TASK: Final = 1e-4
"""Share of the pairs of rollouts of different tasks that may be joined."""

CELL_SIZES: Final = (2, 4, 8, 16)

_WORD: Final = re.compile(r"\w+")

Record = dict[str, Any]


class PlantedLake(NamedTuple):
    """Chat records in an order that tells nothing, and the native ids of each pair of a level of noise."""

    records: list[Record]
    pairs: dict[float, list[tuple[str, str]]]


class Found(NamedTuple):
    """Of a level of noise: pairs planted, in one approach group, and of these in one group of which one run stays."""

    planted: int
    together: int
    dropped: int


def plant(cells: Sequence[Sequence[Record]], *, seed: int, noise: float) -> Iterator[tuple[Record, Record]]:
    """Give each record of the cells and its copy, under ids and numbers of their own."""
    words = sorted({word for cell in cells[:200] for record in cell for word in _WORD.findall(json.dumps(record))})
    for number, cell in enumerate(cells):
        rng = random.Random(f"{seed}:{noise}:{number}")
        for place, record in enumerate(cell):
            pair = (copy.deepcopy(record), _with_noise(rng, record, noise=noise, words=words))
            for half, each in enumerate(pair):
                name = f"n{noise:g}-c{number}-{place}-{half}"
                each |= {"trajectory_id": name, "run_id": name, "rollout_index": 2 * place + half}
            yield pair


def planted_lake(cells_of: Callable[[int], Sequence[Sequence[Record]]], *, seed: int) -> PlantedLake:
    """Return a lake of cells of every size and noise.

    Args:
        cells_of: Gives the originals of cells of so many of them, each time others, of tasks of their own.
        seed: Seed of the noise and of the order.
    """
    records: list[Record] = []
    pairs: dict[float, list[tuple[str, str]]] = {}
    for noise in NOISE:
        for size in CELL_SIZES:
            for original, noisy in plant(cells_of(size // 2), seed=seed + size, noise=noise):
                for each in (original, noisy):
                    # Cells of unequal size or noise are of different tasks, so that each is as large as it says.
                    each["trajectory_id"] = f"s{size}-{each['trajectory_id']}"
                    each["task_id"] = f"{each['task_id']}-s{size}-n{noise:g}"
                    each["messages"][1]["content"] += f" [variant s{size} n{noise:g}]"
                records += [original, noisy]
                pairs.setdefault(noise, []).append((original["trajectory_id"], noisy["trajectory_id"]))
    random.Random(seed).shuffle(records)
    return PlantedLake(records, pairs)


def synthetic_cells(
    num_originals: int, num_cells: int, *, start: int, size_kb: float = 12.0
) -> Iterator[list[Record]]:
    """Give cells of rollouts as realistic as those of the sample lake: one policy, one task and success each."""
    for number in range(start, start + num_cells):
        task = plan_task(5, number, num_rollouts=1)
        vocabulary = task_vocabulary(5, number, kinds=LINE_KINDS_OF[task.env_type], file_chars=int(size_kb * 250))
        cell = []
        for index in range(num_originals):
            plan = RolloutPlan(index, Planted.PLAIN, "north-7b", True)
            episode = write_episode(5, task, plan, vocabulary=vocabulary, num_chars=size_kb * 300)
            record = dict(chat_record(task, plan, episode, native_id=f"{number}-{index}"))
            cell.append(record | {"reward": 1.0, "reward_components": None})
        yield cell


def found_pairs(lake: PlantedLake, clusters: pl.DataFrame, trajectories: pl.DataFrame) -> dict[float, Found]:
    """Return what a run made of the planted pairs."""
    named = clusters.join(trajectories.select("traj_id", "native_id"), on="traj_id")
    rows = {row["native_id"]: row for row in named.iter_rows(named=True)}
    found = {}
    for noise, pairs in lake.pairs.items():
        both = [(rows[left], rows[right]) for left, right in pairs]
        together = sum(left["approach_group"] == right["approach_group"] for left, right in both)
        dropped = sum(left["semantic_group"] == right["semantic_group"] for left, right in both)
        found[noise] = Found(len(both), together, dropped)
    return found


def cross_task_share(lake: PlantedLake, clusters: pl.DataFrame, trajectories: pl.DataFrame) -> float:
    """Return the share of the pairs of rollouts of different tasks that any group joins."""
    tasks = pl.DataFrame([{"native_id": each["trajectory_id"], "planted": each["task_id"]} for each in lake.records])
    named = clusters.join(trajectories.select("traj_id", "native_id"), on="traj_id").join(tasks, on="native_id")
    joined = max(
        _num_pairs(named, [group]) - _num_pairs(named, [group, "planted"])
        for group in ("lexical_group", "approach_group", "semantic_group", "task_group")
    )
    return joined / (named.height * (named.height - 1) / 2 - _num_pairs(named, ["planted"]))


def _num_pairs(table: pl.DataFrame, keys: list[str]) -> int:
    sizes = table.group_by(keys).len()["len"].to_list()
    return sum(size * (size - 1) // 2 for size in sizes)


def _with_noise(rng: random.Random, record: Record, *, noise: float, words: Sequence[str]) -> Record:
    noisy = copy.deepcopy(record)
    for message in noisy["messages"][2:]:
        if message.get("content"):
            message["content"] = _noisy_text(rng, message["content"], noise=noise, words=words)
        for call in message.get("tool_calls") or []:
            arguments = json.loads(call["function"]["arguments"])
            for name, value in arguments.items():
                if isinstance(value, str):
                    arguments[name] = _noisy_text(rng, value, noise=noise, words=words)
            call["function"]["arguments"] = json.dumps(arguments)
    return noisy


def _noisy_text(rng: random.Random, text: str, *, noise: float, words: Sequence[str]) -> str:
    return _WORD.sub(lambda match: rng.choice(words) if rng.random() < noise else match.group(), text)
