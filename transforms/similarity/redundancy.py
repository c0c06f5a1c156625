"""Semantic redundancy: rollouts of one cell whose bodies say nearly the same thing.

A cell is a task group and an outcome class: a success is never merged with a failure. Compared are the runs that text
leaves, and where one of them is dropped, those it stood for: they need not resemble what stays for it. What travels
are NumPy arrays of row numbers; vectors lie in a memory-mapped file.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.metrics import Metrics
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.lexical.copies import ShareOutCells
from transforms.lexical.stars import Stars
from transforms.similarity.large_cells import cell_groups
from transforms.similarity.rescoring import Matrix, usable_rows
from transforms.similarity.search import semantic_groups

MEMBER = np.dtype([(name, "<i8") for name in ("row", "cell", "rank", "vector", "repeats")])
"""The best run of a text: its row, the number of its cell, its place in the keeper order, the row of its vector, and
the row of the run that it is a near-copy of or was cut from, its own for a representative."""

STAR_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("keeper", pa.int64(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
    ]
)
"""The row of a run that vectors decided on, its keeper's row and their cosine (1 for a keeper)."""

_STAR = np.dtype([("row", "<i8"), ("keeper", "<i8"), ("similarity", "<f8")])

_READ_ROWS = 16384

Members = NDArray[np.void]
"""Array of `MEMBER`, shape (members,)."""


def group_redundant(
    members: Members, vectors: Matrix, *, min_similarity: float, neighbours: int, seed: int
) -> pa.Table:
    """Group the members of several cells, each cell by itself.

    Representatives are grouped first. A near-copy of one that is dropped, or a run cut from it, is decided on by its
    own vector then: it joins the best run that stays and that it is near to, or stays after all those. Up to
    `MAX_EXACT_MEMBERS` representatives of a cell are compared with every kept one; more are searched in buckets.

    Args:
        members: In any order; what a member repeats is a member.
        vectors: Body vectors, shape (vectors, dimensions).
        min_similarity: Cosine at or above which a rollout repeats its keeper.
        neighbours: As in `semantic_groups` and `cell_groups`.
        seed: Seed of the buckets.

    Returns:
        A table of `STAR_SCHEMA`, rows in ascending order: each representative, and what such a one left behind. Every
        keeper stays.
    """

    def group(cell: Members) -> Stars:
        return cell_groups(vectors, cell["vector"], min_similarity=min_similarity, neighbours=neighbours, seed=seed)

    def group_the_rest(cell: Members) -> Stars:
        return semantic_groups(
            np.asarray(vectors[cell["vector"]]),
            np.arange(len(cell)),
            min_similarity=min_similarity,
            neighbours=neighbours,
            num_kept=int(np.isin(cell["row"], kept).sum()),
        )

    stands = members["repeats"] == members["row"]
    stars = _stars(members[stands], group)
    kept = stars["row"][stars["row"] == stars["keeper"]]
    left_behind = members[~stands & ~np.isin(members["repeats"], kept)]
    if len(left_behind):
        staying = members[np.isin(members["row"], kept) & np.isin(members["cell"], left_behind["cell"])]
        left_behind["rank"] += members["rank"].max() + 1
        again = _stars(np.concatenate([staying, left_behind]), group_the_rest)
        stars = np.concatenate([stars, again[np.isin(again["row"], left_behind["row"])]])
    stars = stars[np.argsort(stars["row"])]
    return pa.Table.from_arrays(
        [pa.array(np.ascontiguousarray(stars[name])) for name in _STAR.names or ()], schema=STAR_SCHEMA
    )


def _stars(members: Members, group: Callable[[Members], Stars]) -> NDArray[np.void]:
    """Return the keeper of each member among those of its cell, as an array of `_STAR`, cell by cell."""
    members = members[np.lexsort((members["rank"], members["cell"]))]
    bounds = np.flatnonzero(np.diff(members["cell"])) + 1
    found = np.empty(len(members), dtype=_STAR)
    found["row"] = members["row"]
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(members)], strict=True):
        cell = members[start:end]
        stars = group(cell)
        found["keeper"][start:end] = cell["row"][stars.keeper]
        found["similarity"][start:end] = stars.similarity
    return found


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
