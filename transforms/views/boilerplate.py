"""Boilerplate: the blocks that a large share of an environment's tasks carries.

Shares are counted over tasks, not trajectories: in a small or hot lake every block of a copied run reaches a fifth of
the trajectories.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.store.files import Store
from transforms.store.packs import Pack
from transforms.store.tables import read_table
from transforms.views.blocks import REST_INDEX

Row = dict[str, Any]

OCCURRENCE = np.dtype([("environment", "<i4"), ("high", "<u8"), ("low", "<u8"), ("task", "<i4")])
"""A block in a task: environment and task as positions in sorted lists, the block's hash in two halves."""

Occurrences = NDArray[np.void]
"""Array of `OCCURRENCE`, shape (occurrences,)."""

_BLOCK = ["environment", "high", "low"]
_OCCURRENCE = [*_BLOCK, "task"]


def boilerplate_rows(
    occurrences: Occurrences,
    *,
    environments: Mapping[int, tuple[str, int]],
    min_share: float,
    min_tasks: int,
) -> list[Row]:
    """Return the rows of the table `boilerplate`, ordered by environment and block hash.

    Args:
        occurrences: Blocks in tasks, in any order, any number of times.
        environments: Position → (name, number of its task keys).
        min_share: Smallest share of the environment's task keys that makes a block boilerplate.
        min_tasks: Smallest number of task keys that does.
    """
    distinct = _distinct(occurrences)
    first = np.flatnonzero(_is_new(distinct, _BLOCK))
    counts = np.diff(first, append=len(distinct))
    is_frequent = counts >= min_tasks
    blocks = distinct[first[is_frequent]][_BLOCK]
    rows = []
    for (environment, high, low), num_tasks in zip(blocks.tolist(), counts[is_frequent].tolist(), strict=True):
        name, total = environments[environment]
        share = num_tasks / total
        if share >= min_share:
            block_hash = f"{high:016x}{low:016x}"
            rows.append({"environment": name, "block_hash": block_hash, "num_tasks": num_tasks, "share": share})
    return sorted(rows, key=lambda row: (row["environment"], row["block_hash"]))


def occurrences_of(blocks: pa.Table, identities: pa.Table) -> Occurrences:
    """Return which blocks stand in which tasks, each once.

    Args:
        blocks: Columns `traj_id`, `block_index`, `block_hash`; trajectories that `identities` lacks are left out.
        identities: Columns `traj_id` and, as positions, `environment` and `task`.
    """
    blocks = blocks.filter(pc.not_equal(blocks["block_index"], REST_INDEX))
    positions = pc.index_in(blocks["traj_id"], value_set=identities["traj_id"].combine_chunks())
    blocks, positions = blocks.filter(pc.is_valid(positions)), positions.drop_null()
    found = np.empty(blocks.num_rows, dtype=OCCURRENCE)
    hashes = b"".join(bytes.fromhex(value) for value in blocks["block_hash"].to_pylist())
    halves = np.frombuffer(hashes, dtype=">u8").reshape(-1, 2)
    found["high"], found["low"] = halves[:, 0], halves[:, 1]
    for name in ("environment", "task"):
        found[name] = identities[name].to_numpy()[positions.to_numpy()]
    return _distinct(found)


def _distinct(occurrences: Occurrences) -> Occurrences:
    """Return the occurrences in order, each once, as `np.unique` does, which compares such rows byte by byte."""
    ordered = occurrences[np.lexsort([occurrences[name] for name in reversed(_OCCURRENCE)])]
    return ordered[_is_new(ordered, _OCCURRENCE)]


def _is_new(ordered: Occurrences, names: Sequence[str]) -> NDArray[np.bool_]:
    """Say of each row whether one of the named values differs from the row before."""
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = False
    for name in names:
        is_new[1:] |= ordered[name][1:] != ordered[name][:-1]
    return is_new


@dataclass
class FindBoilerplate(beam.PTransform[PCollection[Pack], PCollection[tuple[str, list[Row]]]]):
    """Find the blocks that a large share of an environment's tasks carries.

    Takes packs, gives (part name, rows of the table `boilerplate`). What is shuffled is one array of block hashes per
    pack and partition.

    Args:
        store: Where the packs lie.
        identities_path: Parquet file with `traj_id`, `environment` and `task` as positions.
        environments: Position → (name, number of its task keys).
        min_share: Smallest share of the environment's task keys that makes a block boilerplate.
        min_tasks: Smallest number of task keys that does.
        num_partitions: Partitions of the block hashes.
    """

    store: Store
    identities_path: Path
    environments: Mapping[int, tuple[str, int]]
    min_share: float
    min_tasks: int
    num_partitions: int = 16

    def expand(self, packs: PCollection[Pack]) -> PCollection[tuple[str, list[Row]]]:
        return (
            packs
            | "PairWithTasks" >> beam.ParDo(_PairWithTasks(self.store, self.identities_path, self.num_partitions))
            | "GroupByPartition" >> beam.GroupByKey()
            | "CountTasks" >> beam.MapTuple(self._count)
        )

    def _count(self, partition: int, shards: Iterable[Occurrences]) -> tuple[str, list[Row]]:
        rows = boilerplate_rows(
            np.concatenate(list(shards)),
            environments=self.environments,
            min_share=self.min_share,
            min_tasks=self.min_tasks,
        )
        return f"{partition:05d}", rows


class _PairWithTasks(beam.DoFn):
    def __init__(self, store: Store, identities_path: Path, num_partitions: int) -> None:
        self._store = store
        self._identities_path = identities_path
        self._num_partitions = num_partitions

    def setup(self) -> None:
        self._identities = pq.read_table(self._identities_path)

    def process(self, pack: Pack) -> Iterator[tuple[int, Occurrences]]:
        blocks = read_table(self._store, pack.path("blocks"), ["traj_id", "block_index", "block_hash"])
        found = occurrences_of(blocks, self._identities)
        partitions = found["low"] % self._num_partitions
        for partition in np.unique(partitions).tolist():
            yield partition, found[partitions == partition]
