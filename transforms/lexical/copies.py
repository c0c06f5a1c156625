"""Copies: exact and near-exact repeats and cut runs inside one task group and outcome class.

Rollouts of one cell (task group, outcome class) are compared with each other only: a success is never merged with a
failure. What travels are NumPy arrays of row numbers; signatures and sketches lie in memory-mapped files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.metrics import Metrics
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.lexical.approaches import approach_groups
from transforms.lexical.bands import least_matches, read_only
from transforms.lexical.candidates import is_small, lexical_groups, small_groups
from transforms.lexical.containment import Containers, Runs, Sketches, find_containers
from transforms.lexical.signatures import Signatures, signature_matrix
from transforms.lexical.stars import Stars
from transforms.lexical.word_order import WordOrders

MEMBER = np.dtype(
    [(name, "<i8") for name in ("row", "cell", "rank", "text", "signature", "actions", "num_steps", "is_open")]
)
"""A trajectory: its row, the number of its cell, its place in the keeper order, the number of its comparable text and
skeleton (-1 for an empty view), the row of its signature, the number of its calls in order (-1 for none), how many
steps of the agent it has, and whether it stops in the middle (1) or ends (0)."""

GROUPING_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("exact_keeper", pa.int64(), nullable=False),
        pa.field("lexical_keeper", pa.int64(), nullable=False),
        pa.field("keeper", pa.int64(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
        pa.field("approach", pa.int64(), nullable=False),
    ]
)
"""A trajectory's row, the rows of the best run of its text, of its lexical keeper and of its keeper, which stays: the
lexical one, or the run that holds it, for a cut one. Then its estimated similarity to the keeper (the share of it that
lies inside, for a cut one) and the row of the first member of its approach group."""

Members = NDArray[np.void]
"""Array of `MEMBER`, shape (trajectories,)."""


class CopyRules(NamedTuple):
    """When runs belong together.

    Attributes:
        min_similarity: Estimated Jaccard at or above which two rollouts are copies.
        containment_min_share: Share of a cut run that its full twin holds, at least; None looks for no cut runs.
        approach_min_similarity: Jaccard at or above which two rollouts are of one approach.
    """

    min_similarity: float
    containment_min_share: float | None
    approach_min_similarity: float


def group_cells(
    members: Members,
    signatures: Signatures,
    sketches: Sketches,
    *,
    rules: CopyRules,
    orders: WordOrders | None = None,
) -> pa.Table:
    """Group the members of several cells, each cell by itself.

    Equal texts with equal skeletons form an exact group around its best member, and share its keeper. Of the best
    members of the exact groups each goes to one that stays, or stays itself and is never dropped later, so that each
    was compared with the run it names: see `_settle`. An empty view stays alone.

    Args:
        members: In any order.
        signatures: Signatures of all views, shape (views, 128).
        sketches: Bottom sketches of all views.
        rules: When runs belong together.
        orders: Words of all views; None compares none word by word.

    Returns:
        A table of `GROUPING_SCHEMA`, each member once, rows in ascending order.
    """
    members = members[np.lexsort((members["rank"], members["cell"]))]
    exact = _first_with_equal(members["cell"], members["text"])
    places = np.arange(len(members))
    leaders = np.flatnonzero((exact == places) & (members["text"] >= 0))
    settled = _settle(members[leaders], read_only(signatures), sketches, rules=rules)
    keeper, lexical, similarity = places.copy(), places.copy(), np.ones(len(members))
    keeper[leaders] = leaders[settled.keeper]
    lexical[leaders] = np.where(settled.is_cut, leaders, keeper[leaders])
    similarity[leaders] = settled.similarity
    keeper, lexical = keeper[exact], lexical[exact]
    similarity = np.where(keeper == exact, 1, similarity[exact])
    approach = approach_groups(
        signatures,
        np.where(members["text"] < 0, -1, members["signature"]),
        _cell_bounds(members["cell"]),
        keeper=keeper,
        actions=np.ascontiguousarray(members["actions"]),
        min_similarity=rules.approach_min_similarity,
        orders=orders,
    )
    rows = members["row"]
    columns = [rows, rows[exact], rows[lexical], rows[keeper], similarity, rows[approach]]
    order = np.argsort(rows)
    return pa.Table.from_arrays([pa.array(column[order]) for column in columns], schema=GROUPING_SCHEMA)


class _Settled(NamedTuple):
    """The place of each leader's keeper, the similarity to it, and whether the leader is a run cut from it."""

    keeper: NDArray[np.int64]
    similarity: NDArray[np.float64]
    is_cut: NDArray[np.bool_]


def _settle(leaders: Members, signatures: Signatures, sketches: Sketches, *, rules: CopyRules) -> _Settled:
    """Give each leader a keeper that stays, by places in `leaders`.

    What was cut from another run waits until that one is settled, and goes to it if it stays. The others are settled
    from best to worst: each joins the best one staying that it is a near-copy of, or stays. Who stays is never looked
    at again. A run whose full twin went to a run that does not hold it is settled like the others, after them.

    Args:
        leaders: Cell after cell, in a cell from best to worst.
        signatures: Signatures of all views.
        sketches: Bottom sketches of all views.
        rules: When runs belong together.
    """
    places, cells = np.arange(len(leaders)), leaders["cell"]
    found = _Settled(places.copy(), np.ones(len(leaders)), np.zeros(len(leaders), dtype=np.bool_))
    left = np.ones(len(leaders), dtype=np.bool_)
    while left.any():
        container, share = places.copy(), np.ones(len(leaders))
        if rules.containment_min_share is not None:
            among = np.flatnonzero((found.keeper == places) & np.isin(cells, cells[left]))
            inside = _containers(leaders[among], signatures, sketches, rules=rules)
            container[among], share[among] = among[inside.container], inside.share
        goes = left & (container != places) & ~left[container]
        found.keeper[goes], found.similarity[goes], found.is_cut[goes] = container[goes], share[goes], True
        free = left & (container == places)
        stays = (found.keeper == places) & ~left & np.isin(cells, cells[free])
        order = np.flatnonzero(stays | free)
        order = order[np.lexsort((order, free[order], cells[order]))]
        views = np.ascontiguousarray(leaders["signature"][order])
        stars = _lexical_stars(signatures, views, _cell_bounds(cells[order]), min_similarity=rules.min_similarity)
        new = free[order]
        found.keeper[order[new]], found.similarity[order[new]] = order[stars.keeper][new], stars.similarity[new]
        left &= ~(goes | free)
    return found


def _containers(leaders: Members, signatures: Signatures, sketches: Sketches, *, rules: CopyRules) -> Containers:
    """Return what each of some leaders was cut from, over places in `leaders`."""
    return find_containers(
        sketches,
        np.ascontiguousarray(leaders["signature"]),
        _cell_bounds(leaders["cell"]),
        min_share=rules.containment_min_share or 1.0,
        runs=Runs(
            signatures,
            least_matches(rules.min_similarity),
            np.ascontiguousarray(leaders["num_steps"]),
            np.ascontiguousarray(leaders["is_open"]),
        ),
    )


def _first_with_equal(cells: NDArray[np.int64], texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each place the first one of its cell with the same text; -1 equals nothing."""
    places = np.arange(len(texts))
    order = np.lexsort((texts, cells))
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (cells[order][1:] != cells[order][:-1]) | (texts[order][1:] != texts[order][:-1])
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
    return np.where(texts < 0, places, first)


def _cell_bounds(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each cell begins, and the end; cells lie one after the other."""
    starts = np.flatnonzero(np.diff(cells)) + 1
    return np.concatenate([[0], starts, [len(cells)]] if len(cells) else [[0]]).astype(np.int64)


def _lexical_stars(
    signatures: Signatures, views: NDArray[np.int64], bounds: NDArray[np.int64], *, min_similarity: float
) -> Stars:
    """Return the stars of all cells, small ones together, over places in `views`."""
    keeper, similarity = np.arange(len(views), dtype=np.int64), np.ones(len(views))
    sizes = np.diff(bounds)
    in_small = np.repeat([is_small(size) for size in sizes.tolist()], sizes).astype(bool)
    small = np.flatnonzero(in_small)
    small_bounds = np.concatenate([[0], np.cumsum(sizes[[is_small(size) for size in sizes.tolist()]])])
    stars = small_groups(signatures, views[small], small_bounds.astype(np.int64), min_similarity=min_similarity)
    keeper[small], similarity[small] = small[stars.keeper], stars.similarity
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if not is_small(end - start):
            stars = lexical_groups(signatures, views[start:end], min_similarity=min_similarity)
            keeper[start:end], similarity[start:end] = start + stars.keeper, stars.similarity
    return Stars(keeper, similarity)


@dataclass
class GroupCopies(beam.PTransform[PCollection[tuple[int, int]], PCollection[tuple[str, pa.Table]]]):
    """Find exact copies, lexical copies, cut runs and approaches inside each cell.

    Takes (start, stop) of shards of the member file, gives (part name, table of `GROUPING_SCHEMA`). One array per
    shard and partition is shuffled.

    Args:
        members_path: `.npy` file of `MEMBER`.
        views_dir: Folder that `save_views` wrote.
        rules: When runs belong together.
        num_partitions: Partitions of the cells.
    """

    members_path: Path
    views_dir: Path
    rules: CopyRules
    num_partitions: int = 16

    def expand(self, shards: PCollection[tuple[int, int]]) -> PCollection[tuple[str, pa.Table]]:
        return (
            shards
            | "ShareOutCells" >> beam.ParDo(ShareOutCells(self.members_path, self.num_partitions))
            | "GroupByPartition" >> beam.GroupByKey()
            | "GroupCells" >> beam.ParDo(_GroupCells(self.views_dir, self.rules))
        )


def save_views(folder: Path, signatures: pa.Table) -> None:
    """Write the signatures, sketches and words of views as files that workers map into memory.

    Args:
        folder: Local folder.
        signatures: Columns `minhash`, `bottom`, `num_shingles`, `words` of the table `signatures`.
    """
    np.save(folder / "minhash.npy", signature_matrix(signatures["minhash"]))
    for name in ("bottom", "words"):
        lists = signatures[name].combine_chunks()
        lengths = lists.value_lengths().to_numpy()
        np.save(folder / f"{name}.npy", lists.flatten().to_numpy())
        np.save(folder / f"{name}_bounds.npy", np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))
    np.save(folder / "num_shingles.npy", signatures["num_shingles"].to_numpy())


def load_views(folder: Path) -> tuple[Signatures, Sketches, WordOrders]:
    """Map into memory what `save_views` wrote."""
    names = ("minhash", "bottom", "bottom_bounds", "num_shingles", "words", "words_bounds")
    minhash, *sketches, words, bounds = (np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in names)
    return minhash, Sketches(*sketches), WordOrders(words, bounds)


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
    def __init__(self, views_dir: Path, rules: CopyRules) -> None:
        self._views_dir = views_dir
        self._rules = rules

    def setup(self) -> None:
        self._signatures, self._sketches, self._orders = load_views(self._views_dir)

    def process(self, element: tuple[int, Iterable[Members]]) -> Iterator[tuple[str, pa.Table]]:
        partition, shards = element
        members = np.concatenate(list(shards))
        grouped = group_cells(members, self._signatures, self._sketches, rules=self._rules, orders=self._orders)
        Metrics.counter("copies", "grouped").inc(
            int(np.sum(grouped["keeper"].to_numpy() != grouped["row"].to_numpy()))
        )
        yield f"{partition:05d}", grouped
