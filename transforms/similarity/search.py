"""Search among the kept members of a cell: candidates by matrix product or FAISS, each verified before it counts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.stars import Stars, keeper_first_groups
from transforms.similarity.rescoring import CANDIDATE_MARGIN, Matrix, pair_cosines, unit_rows, usable_rows

MATRIX_MAX_KEPT = 1000
"""Kept members up to which one matrix product is faster than an index."""

_BLOCK_MEMBERS = 512


def semantic_groups(
    vectors: Matrix,
    order: Sequence[int] | NDArray[np.int64],
    *,
    min_similarity: float,
    neighbours: int = 20,
    num_kept: int = 0,
) -> Stars:
    """Group the members of a cell into keeper-first stars by cosine.

    Every kept member within reach is found, whatever `neighbours` is, so the groups are those of a comparison of all
    pairs. A vector that is zero or not finite stays alone.

    Args:
        vectors: Shape (members, dimensions).
        order: The members from best to worst.
        min_similarity: Cosine at or above which a member joins a kept one.
        neighbours: Nearest kept members asked of FAISS at first; where all of them are within reach, the rest is asked
            for too.
        num_kept: So many of the first members are kept already.
    """
    search = _KeptSearch(
        vectors, np.asarray(order, dtype=np.int64), min_similarity=min_similarity, neighbours=neighbours
    )
    search.start_with(num_kept)
    return keeper_first_groups(order, search.similar_kept, on_keep=search.keep, num_kept=num_kept)


class _KeptSearch:
    """Looks members up in keeper order, in blocks: a block meets all members kept before it at once."""

    def __init__(self, vectors: Matrix, order: NDArray[np.int64], *, min_similarity: float, neighbours: int) -> None:
        self._vectors = vectors
        self._order = order
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._usable = usable_rows(vectors)
        self._min_similarity = min_similarity
        self._cut = np.float32(min_similarity - CANDIDATE_MARGIN)
        self._kept = _KeptIndex(vectors.shape[1], cut=self._cut, neighbours=neighbours)
        self._block_start = -1
        self._block: NDArray[np.int64] = order[:0]
        self._earlier: list[NDArray[np.int64]] = []
        self._within: NDArray[np.bool_] = np.zeros((0, 0), dtype=np.bool_)
        self._kept_of_block: list[int] = []

    def start_with(self, num_kept: int) -> None:
        """Put the first members of the order among the kept ones."""
        first = self._order[:num_kept]
        first = first[self._usable[first]]
        self._kept.add(first, unit_rows(self._vectors[first]))

    def keep(self, member: int) -> None:
        """Put a member among the kept ones."""
        if self._usable[member]:
            self._kept_of_block.append(int(self._place[member]) - self._block_start)

    def similar_kept(self, member: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the kept members within reach of a member, and their cosines."""
        place = int(self._place[member])
        if place >= self._block_start + len(self._block):
            self._next_block(place)
        position = place - self._block_start
        of_block = np.asarray(self._kept_of_block, dtype=np.int64)
        found = np.concatenate([self._earlier[position], self._block[of_block[self._within[position, of_block]]]])
        if not found.size or not self._usable[member]:
            return found[:0], np.empty(0)
        cosines = pair_cosines(self._vectors, np.full(len(found), member), found)
        close = cosines >= self._min_similarity
        return found[close], cosines[close]

    def _next_block(self, start: int) -> None:
        self._kept.add(self._block[self._kept_of_block], unit_rows(self._vectors[self._block[self._kept_of_block]]))
        self._kept_of_block = []
        self._block_start = start
        self._block = self._order[start : start + _BLOCK_MEMBERS]
        units = unit_rows(self._vectors[self._block])
        self._within = (units @ units.T) >= self._cut
        self._earlier = self._kept.candidates(units)


class _KeptIndex:
    """The kept members' unit vectors; gives all whose float32 score reaches the cut."""

    def __init__(self, dimensions: int, *, cut: np.float32, neighbours: int) -> None:
        self._dimensions = dimensions
        self._cut = cut
        self._neighbours = neighbours
        self._members: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._units: NDArray[np.float32] = np.empty((0, dimensions), dtype=np.float32)

    def add(self, members: NDArray[np.int64], units: NDArray[np.float32]) -> None:
        self._members = np.concatenate([self._members, members])
        self._units = np.concatenate([self._units, units])

    def candidates(self, units: NDArray[np.float32]) -> list[NDArray[np.int64]]:
        if not len(self._members):
            return [self._members] * len(units)
        if len(self._members) <= MATRIX_MAX_KEPT:
            return [self._members[row] for row in (units @ self._units.T) >= self._cut]
        return [self._members[rows] for rows in self._search(units)]

    def _search(self, units: NDArray[np.float32]) -> list[NDArray[np.int64]]:
        import faiss

        index = faiss.IndexFlatIP(self._dimensions)
        index.add(self._units)
        count = min(self._neighbours, len(self._units))
        scores, rows = index.search(units, count)
        found = [row[score >= self._cut] for score, row in zip(scores, rows, strict=True)]
        full = [position for position, row in enumerate(found) if len(row) == count < len(self._units)]
        if full:
            limits, _, wide = index.range_search(np.ascontiguousarray(units[full]), float(self._cut))
            for nth, position in enumerate(full):
                found[position] = wide[limits[nth] : limits[nth + 1]]
        return found
