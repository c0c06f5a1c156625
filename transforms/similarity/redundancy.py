"""Semantic redundancy: rollouts of one cell whose bodies say nearly the same thing.

A cell is a task group and an outcome class: a success is never merged with a failure. Compared are the representatives
of the lexical groups. What travels are NumPy arrays of row numbers; vectors lie in a memory-mapped file.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.metrics import Metrics
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.lexical.copies import ShareOutCells
from transforms.similarity.large_cells import cell_groups
from transforms.similarity.rescoring import Matrix, usable_rows

MEMBER = np.dtype([("row", "<i8"), ("cell", "<i8"), ("rank", "<i8"), ("vector", "<i8")])
"""A representative: its row, the number of its cell, its place in the keeper order and the row of its vector."""

STAR_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("keeper", pa.int64(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
    ]
)
"""A representative's row, its keeper's row and their cosine (1 for a keeper)."""

_READ_ROWS = 16384

Members = NDArray[np.void]
"""Array of `MEMBER`, shape (representatives,)."""


def group_redundant(
    members: Members, vectors: Matrix, *, min_similarity: float, neighbours: int, seed: int
) -> pa.Table:
    """Group the members of several cells, each cell by itself.

    Up to `MAX_EXACT_MEMBERS` members of a cell are compared with every kept one; a larger cell is searched in buckets.

    Args:
        members: In any order.
        vectors: Body vectors, shape (vectors, dimensions).
        min_similarity: Cosine at or above which a rollout repeats its keeper.
        neighbours: As in `semantic_groups` and `cell_groups`.
        seed: Seed of the buckets.

    Returns:
        A table of `STAR_SCHEMA`, each member once, rows in ascending order.
    """
    members = members[np.lexsort((members["rank"], members["cell"]))]
    bounds = np.flatnonzero(np.diff(members["cell"])) + 1
    keeper = np.empty(len(members), dtype=np.int64)
    similarity = np.empty(len(members), dtype=np.float64)
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(members)], strict=True):
        cell = members[start:end]
        stars = cell_groups(vectors, cell["vector"], min_similarity=min_similarity, neighbours=neighbours, seed=seed)
        keeper[start:end] = cell["row"][stars.keeper]
        similarity[start:end] = stars.similarity
    order = np.argsort(members["row"])
    columns = [np.ascontiguousarray(members["row"][order]), keeper[order], similarity[order]]
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=STAR_SCHEMA)


def unusable_members(members: Members, vectors: Matrix) -> NDArray[np.int64]:
    """Return the ascending rows of the members whose vectors are zero or not finite, and so compared with nothing.

    Args:
        members: In any order.
        vectors: Body vectors, shape (vectors, dimensions).
    """
    usable = [
        usable_rows(vectors[members["vector"][start : start + _READ_ROWS]])
        for start in range(0, len(members), _READ_ROWS)
    ]
    return np.sort(members["row"][~np.concatenate([np.ones(0, dtype=np.bool_), *usable])])


@dataclass
class GroupRedundant(beam.PTransform[PCollection[tuple[int, int]], PCollection[tuple[str, pa.Table]]]):
    """Find semantic redundancy inside each cell.

    Takes (start, stop) of shards of the member file, gives (part name, table of `STAR_SCHEMA`). One array per shard
    and partition is shuffled.

    Args:
        members_path: `.npy` file of `MEMBER`.
        vectors_path: `.npy` file of body vectors, shape (vectors, dimensions).
        min_similarity: Cosine at or above which a rollout repeats its keeper.
        neighbours: As in `semantic_groups` and `cell_groups`.
        seed: Seed of the buckets of large cells.
        num_partitions: Partitions of the cells.
    """

    members_path: Path
    vectors_path: Path
    min_similarity: float
    neighbours: int
    seed: int
    num_partitions: int = 16

    def expand(self, shards: PCollection[tuple[int, int]]) -> PCollection[tuple[str, pa.Table]]:
        group = _GroupCells(self)
        return (
            shards
            | "ShareOutCells" >> beam.ParDo(ShareOutCells(self.members_path, self.num_partitions))
            | "GroupByPartition" >> beam.GroupByKey()
            | "GroupCells" >> beam.ParDo(group)
        )


class _GroupCells(beam.DoFn):
    def __init__(self, wanted: GroupRedundant) -> None:
        self._vectors_path = wanted.vectors_path
        self._min_similarity = wanted.min_similarity
        self._neighbours = wanted.neighbours
        self._seed = wanted.seed

    def setup(self) -> None:
        self._vectors = np.load(self._vectors_path, mmap_mode="r")

    def process(self, element: tuple[int, Iterable[Members]]) -> Iterator[tuple[str, pa.Table]]:
        partition, shards = element
        members = np.concatenate(list(shards))
        stars = group_redundant(
            members,
            self._vectors,
            min_similarity=self._min_similarity,
            neighbours=self._neighbours,
            seed=self._seed,
        )
        redundant = int((stars["keeper"].to_numpy() != stars["row"].to_numpy()).sum())
        Metrics.counter("similar", "redundant").inc(redundant)
        yield f"{partition:05d}", stars
