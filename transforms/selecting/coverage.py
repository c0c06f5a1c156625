"""Coverage: pick rows so that every other row has a picked one like it (lazy greedy facility location).

A row's gain is how much closer it brings the other rows to their nearest picked one: Σ max(0, cos(i, row) - covered i)
over all i but itself; once picked it is covered itself. What a row shows of itself counts for nothing: counted in,
an outlier (garbled text, a stray log) would be worth as much as a row that stands for fifty once the rest is covered;
left out, outliers come last. Apart from that the gains are those of facility location, for which greedy picks reach
1 - 1/e of the best choice (Nemhauser, Wolsey and Fisher 1978). Gains never grow as more is covered, so that one
counted earlier bounds the gain of today and most rows go uncounted (lazy greedy, Minoux 1978).

Cosines are products of vectors rounded to whole numbers: their sums are exact in float32 in any order, so that the
picks do not depend on the number of threads.
"""

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.similarity.centres import whole_rows
from transforms.similarity.rescoring import Matrix

_SHIFT: Final = 9
"""Cosines are kept in steps of 2^9 / 4,000^2 = 1 / 31,250, which a 16-bit integer holds."""

TABLE_BYTES: Final = 256 * 2**20
"""Size up to which similarities are tabled; above it the rows to be covered are a sample."""

_MOST = np.iinfo(np.int16).max
_BLOCK_ROWS = 1024


class Coverage:
    """What picked rows cover, and what each further row would add.

    Args:
        vectors: Shape (rows, dimensions); an unusable vector is like no other.
        quality: Factor of each row's gain, positive, shape (rows,).
        targets: Rows to be covered, ascending: all, or a sample.
    """

    def __init__(self, vectors: Matrix, quality: NDArray[np.float64], *, targets: NDArray[np.int64]) -> None:
        self._similarity = _similarity_table(vectors, targets)
        self._covered = np.zeros(len(targets), dtype=np.int16)
        self._place_of = {row: place for place, row in enumerate(targets.tolist())}
        self._quality = quality
        first = [self._similarity[start : start + _BLOCK_ROWS].sum(axis=1, dtype=np.int64) for start in _blocks(self)]
        self._bounds = np.concatenate(first) * quality if first else np.zeros(0)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._similarity)

    def bound(self, row: int) -> float:
        """Return the last gain counted for a row: its gain of today is no larger."""
        return float(self._bounds[row])

    def gain(self, row: int) -> float:
        """Return what a row would add, times its quality."""
        added = np.maximum(self._similarity[row] - self._covered, 0).sum(dtype=np.int64)
        self._bounds[row] = float(added) * self._quality[row]
        return float(self._bounds[row])

    def pick(self, row: int) -> None:
        """Cover a row and what it covers."""
        np.maximum(self._covered, self._similarity[row], out=self._covered)
        if row in self._place_of:
            self._covered[self._place_of[row]] = _MOST


def pick_covering(
    coverage: Coverage,
    rows: Iterable[int],
    *,
    places: int,
    is_open: Callable[[int], bool],
    take: Callable[[int], None],
) -> None:
    """Take rows by the largest gain, ties in the order given, until the places are spent.

    Args:
        coverage: What is covered; picks are added to it.
        rows: Candidates, best first.
        places: Rows taken at most.
        is_open: Says whether a candidate may still be taken; once it may not, it never may.
        take: Called with each row taken.
    """
    heap = [(-coverage.bound(row), place, row) for place, row in enumerate(rows)]
    heapq.heapify(heap)
    while heap and places > 0:
        _, place, row = heapq.heappop(heap)
        if not is_open(row):
            continue
        counted = (-coverage.gain(row), place, row)
        if heap and counted > heap[0]:
            heapq.heappush(heap, counted)
            continue
        coverage.pick(row)
        take(row)
        places -= 1


def choose_targets(order: Sequence[int], *, num_rows: int) -> NDArray[np.int64]:
    """Return the rows to be covered, ascending: as many of `order`, a draw by hash, as the table has room for."""
    room = max(1, TABLE_BYTES // (2 * max(1, num_rows)))
    return np.array(sorted(order[:room]), dtype=np.int64)


def _similarity_table(vectors: Matrix, targets: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return cosines to the targets, none below 0 and 0 to oneself, in 1 / 31,250, shape (rows, targets)."""
    whole = whole_rows(vectors)
    table = np.empty((len(whole), len(targets)), dtype=np.int16)
    wanted = np.ascontiguousarray(whole[targets].T)
    for start in range(0, len(whole), _BLOCK_ROWS):
        products = (whole[start : start + _BLOCK_ROWS] @ wanted).astype(np.int32) >> _SHIFT
        table[start : start + _BLOCK_ROWS] = np.clip(products, 0, _MOST)
    table[targets, np.arange(len(targets))] = 0
    return table


def _blocks(coverage: Coverage) -> range:
    return range(0, len(coverage), _BLOCK_ROWS)
