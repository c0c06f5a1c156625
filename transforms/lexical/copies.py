"""Copies: exact and near-exact repeats inside one task group and outcome class.

Rollouts of one cell (task group, outcome class) are compared with each other only: a success is never merged with a
failure. What travels are NumPy arrays of row numbers; signatures lie in a memory-mapped file.
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

from transforms.lexical.candidates import lexical_groups
from transforms.lexical.signatures import Signatures

MEMBER = np.dtype([("row", "<i8"), ("cell", "<i8"), ("rank", "<i8"), ("text", "<i8"), ("signature", "<i8")])
"""A trajectory: its row, the number of its cell, its place in the keeper order, the number of its comparable text and
skeleton (-1 for an empty view) and the row of its signature."""

GROUPING = np.dtype([("row", "<i8"), ("exact_keeper", "<i8"), ("lexical_keeper", "<i8"), ("similarity", "<f8")])
"""A trajectory's row, the rows of its exact and its lexical keeper, and its estimated similarity to the latter."""

GROUPING_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("exact_keeper", pa.int64(), nullable=False),
        pa.field("lexical_keeper", pa.int64(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
    ]
)
"""`GROUPING` as an Arrow schema."""

Members = NDArray[np.void]
"""Array of `MEMBER`, shape (trajectories,)."""

Groupings = NDArray[np.void]
"""Array of `GROUPING`, shape (trajectories,)."""


def group_cell(members: Members, signatures: Signatures, *, min_similarity: float) -> Groupings:
    """Group the members of one cell; every member comes back once, in the keeper order.

    Equal texts with equal skeletons form an exact group around its best member. The best members of the exact groups
    form lexical groups, keeper-first; the others follow theirs. An empty view stays alone.

    Args:
        members: The cell's members, in any order.
        signatures: Signatures of all views, shape (views, 128).
        min_similarity: Estimated Jaccard at or above which two rollouts are copies.
    """
    members = members[np.argsort(members["rank"], kind="stable")]
    exact = _first_with_equal(members["text"])
    leaders = np.flatnonzero((exact == np.arange(len(members))) & (members["text"] >= 0))
    stars = lexical_groups(
        np.asarray(signatures[members["signature"][leaders]]),
        np.arange(len(leaders)),
        min_similarity=min_similarity,
    )
    lexical = np.arange(len(members))
    similarity = np.ones(len(members))
    lexical[leaders] = leaders[stars.keeper]
    similarity[leaders] = stars.similarity
    grouped = np.empty(len(members), dtype=GROUPING)
    grouped["row"] = members["row"]
    grouped["exact_keeper"] = members["row"][exact]
    grouped["lexical_keeper"] = members["row"][lexical[exact]]
    grouped["similarity"] = similarity[exact]
    return grouped


def group_cells(members: Members, signatures: Signatures, *, min_similarity: float) -> Groupings:
    """Group the members of several cells, each cell by itself; rows in ascending order."""
    members = members[np.lexsort((members["rank"], members["cell"]))]
    bounds = np.flatnonzero(np.diff(members["cell"])) + 1
    grouped = [group_cell(cell, signatures, min_similarity=min_similarity) for cell in np.split(members, bounds)]
    return np.sort(np.concatenate(grouped), order="row")


def _first_with_equal(texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each position the first one with the same text; -1 equals nothing."""
    positions = np.arange(len(texts))
    _, first, inverse = np.unique(texts, return_index=True, return_inverse=True)
    return np.where(texts < 0, positions, first[inverse])


@dataclass
class GroupCopies(beam.PTransform[PCollection[tuple[int, int]], PCollection[tuple[str, pa.Table]]]):
    """Find exact and lexical copies inside each cell.

    Takes (start, stop) of shards of the member file, gives (part name, table of `GROUPING_SCHEMA`). One array per
    shard and partition is shuffled.

    Args:
        members_path: `.npy` file of `MEMBER`.
        signatures_path: `.npy` file of signatures, shape (views, 128).
        min_similarity: Estimated Jaccard at or above which two rollouts are copies.
        num_partitions: Partitions of the cells.
    """

    members_path: Path
    signatures_path: Path
    min_similarity: float
    num_partitions: int = 16

    def expand(self, shards: PCollection[tuple[int, int]]) -> PCollection[tuple[str, pa.Table]]:
        return (
            shards
            | "ShareOutCells" >> beam.ParDo(ShareOutCells(self.members_path, self.num_partitions))
            | "GroupByPartition" >> beam.GroupByKey()
            | "GroupCells" >> beam.ParDo(_GroupCells(self.signatures_path, self.min_similarity))
        )


class ShareOutCells(beam.DoFn):
    """Give each partition the members of its cells: (first, end) of a shard → (partition, members).

    Members come from a memory-mapped `.npy` file of rows with a `cell` number, so that none travels in the input.
    """

    def __init__(self, members_path: Path, num_partitions: int) -> None:
        self._members_path = members_path
        self._num_partitions = num_partitions

    def setup(self) -> None:
        self._members = np.load(self._members_path, mmap_mode="r")

    def process(self, shard: tuple[int, int]) -> Iterator[tuple[int, Members]]:
        members = np.array(self._members[shard[0] : shard[1]])
        partitions = members["cell"] % self._num_partitions
        for partition in np.unique(partitions).tolist():
            yield partition, members[partitions == partition]


class _GroupCells(beam.DoFn):
    def __init__(self, signatures_path: Path, min_similarity: float) -> None:
        self._signatures_path = signatures_path
        self._min_similarity = min_similarity

    def setup(self) -> None:
        self._signatures = np.load(self._signatures_path, mmap_mode="r")

    def process(self, element: tuple[int, Iterable[Members]]) -> Iterator[tuple[str, pa.Table]]:
        partition, shards = element
        members = np.concatenate(list(shards))
        grouped = group_cells(members, self._signatures, min_similarity=self._min_similarity)
        Metrics.counter("copies", "grouped").inc(int((grouped["lexical_keeper"] != grouped["row"]).sum()))
        columns = {name: np.ascontiguousarray(grouped[name]) for name in GROUPING_SCHEMA.names}
        yield f"{partition:05d}", pa.table(columns, schema=GROUPING_SCHEMA)
