"""Containment: runs whose text lies inside that of a longer one, as a cut run lies inside its full twin.

The Jaccard similarity of a run's first third to the whole is a third: no threshold for copies finds it. What is asked
here is the share of the shorter text's shingles that the longer one holds, estimated from the bottom sketches: below
the smaller of the two sketches' largest values both are known completely, so the shingles there are a sample of the
shorter text of which each is either in the longer one or not. A text that lies inside another wholly is never missed
for the estimate; with a true share of .8, a sample of 42 shingles reads .95 or more once in 400 times.

A near-copy is no cut run, though the longer of the two may hold all of the shorter: which of them stays is for the
keeper order to say, unless one stops in the middle and the longer one ends.

Found are texts of which at least 16 shingles are sampled: cuts longer than an eighth to a quarter of the whole. Missed
are shorter cuts, runs under twenty words, and runs cut from one that differs early and goes on differing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.lexical.bands import num_equal
from transforms.lexical.signatures import Signatures

_MIN_COMPARED = 16
"""Shingles of the shorter text on which a share is judged, at least."""

_MAX_COMPARED_WITH_ALL = 512
_INDEXED = np.uint32(8)
"""In a larger cell, one value in so many is indexed."""

_MAX_LISTED = 64
"""Longest list of texts that hold an indexed value; what many texts hold tells little."""


class Sketches(NamedTuple):
    """Bottom sketches of texts.

    Attributes:
        bottom: The sketches, one after the other, each ascending; uint32.
        bounds: Sketch i is `bottom[bounds[i]:bounds[i + 1]]`; int64, shape (texts + 1,).
        num_shingles: Distinct shingles of each text; int32, shape (texts,).
    """

    bottom: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    num_shingles: NDArray[np.int32]


class Runs(NamedTuple):
    """What tells a run that was cut from a near-copy of the same length, or so.

    Attributes:
        signatures: Signatures by the rows of the texts, read-only, shape (any, 128).
        least_matches: Slots in which near-copies agree, at least.
        num_steps: Steps of each text's agent; int64, shape (texts,), as the texts are given.
        is_open: 1 for a text that stops in the middle, 0 for one that ends; int64, shape (texts,).
    """

    signatures: Signatures
    least_matches: int
    num_steps: NDArray[np.int64]
    is_open: NDArray[np.int64]


class Containers(NamedTuple):
    """What each text lies inside.

    Attributes:
        container: Place of the text it lies inside, its own where there is none; int64, shape (texts,).
        share: Share of its shingles found there, 1 where there is none; float64, shape (texts,).
    """

    container: NDArray[np.int64]
    share: NDArray[np.float64]


def find_containers(
    sketches: Sketches, rows: NDArray[np.int64], bounds: NDArray[np.int64], *, min_share: float, runs: Runs
) -> Containers:
    """Find for each text of a cell the best one of the same cell that it was cut from.

    The texts of a cell are walked from the longest to the shortest. Each joins the best of those longer ones that hold
    `min_share` of it and lie inside none themselves, so that every contained text was compared with a text that stays.
    A near-copy joins a longer one only if it stops in the middle and that one, of more steps, ends.

    Args:
        sketches: Sketches of the texts.
        rows: Rows of the texts in `sketches`, cell after cell, in a cell from best to worst.
        bounds: Cell i is `rows[bounds[i]:bounds[i + 1]]`, shape (cells + 1,).
        min_share: Share of a text's shingles that its container holds, at least.
        runs: What tells cut runs from near-copies.
    """
    places = np.arange(len(rows), dtype=np.int64)
    cells = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    lengths = sketches.num_shingles[rows]
    order = np.lexsort((places, -lengths, cells))
    found = Containers(places.copy(), np.ones(len(rows)))
    is_large = np.diff(bounds) > _MAX_COMPARED_WITH_ALL
    if not is_large.all():
        _compare_with_all(sketches, rows, bounds, is_large, order, min_share, runs, found)
    for cell in np.flatnonzero(is_large).tolist():
        members = order[bounds[cell] : bounds[cell + 1]]
        numbers, starts = _indexed_values(sketches, rows[members])
        _compare_with_listed(sketches, rows, members, numbers, starts, min_share, runs, found)
    return found


def _indexed_values(sketches: Sketches, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for the texts in turn, the number of each indexed value, and where each text's begin."""
    pieces = [sketches.bottom[sketches.bounds[row] : sketches.bounds[row + 1]] for row in rows.tolist()]
    pieces = [piece[piece % _INDEXED == 0] for piece in pieces]
    bounds = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    _, numbers = np.unique(np.concatenate(pieces), return_inverse=True)
    return numbers.astype(np.int64), bounds


@compiled
def _share_inside(sketches: Sketches, row: int, other: int, min_share: float) -> float:
    """Return the estimated share of a text that lies in another, 0 where it is too small or rests on too little."""
    bottom, bounds = sketches.bottom, sketches.bounds
    left, left_end = bounds[row], bounds[row + 1]
    right, right_end = bounds[other], bounds[other + 1]
    limit = np.uint32(0xFFFFFFFF)
    if left_end - left < sketches.num_shingles[row]:
        limit = min(limit, bottom[left_end - 1])
    if right_end - right < sketches.num_shingles[other]:
        limit = min(limit, bottom[right_end - 1])
    compared, common = 0, 0
    spare = np.int64((1 - min_share) * (left_end - left) + 1e-9)
    while left < left_end and bottom[left] <= limit:
        while right < right_end and bottom[right] < bottom[left]:
            right += 1
        compared += 1
        common += right < right_end and bottom[right] == bottom[left]
        if compared - common > spare:
            return 0.0
        left += 1
    if compared < _MIN_COMPARED or common < min_share * compared - 1e-9:
        return 0.0
    return common / compared


@compiled
def _is_cut(runs: Runs, rows: NDArray[np.int64], text: int, other: int) -> bool:
    """Say whether a text that lies in another is more than a near-copy of it."""
    if runs.num_steps[other] > runs.num_steps[text] and runs.is_open[text] > runs.is_open[other]:
        return True
    return bool(num_equal(runs.signatures[rows[text]], runs.signatures[rows[other]]) < runs.least_matches)


@compiled
def _compare_with_all(
    sketches: Sketches,
    rows: NDArray[np.int64],
    bounds: NDArray[np.int64],
    is_skipped: NDArray[np.bool_],
    order: NDArray[np.int64],
    min_share: float,
    runs: Runs,
    found: Containers,
) -> None:
    for cell in range(bounds.size - 1):
        if is_skipped[cell]:
            continue
        for turn in range(bounds[cell], bounds[cell + 1]):
            text = order[turn]
            for earlier in range(bounds[cell], turn):
                other = order[earlier]
                if found.container[other] != other or (
                    found.container[text] != text and other > found.container[text]
                ):
                    continue
                if sketches.num_shingles[rows[other]] <= sketches.num_shingles[rows[text]]:
                    break
                share = _share_inside(sketches, rows[text], rows[other], min_share)
                if share > 0 and _is_cut(runs, rows, text, other):
                    found.container[text] = other
                    found.share[text] = share


@compiled
def _compare_with_listed(
    sketches: Sketches,
    rows: NDArray[np.int64],
    members: NDArray[np.int64],
    numbers: NDArray[np.int64],
    starts: NDArray[np.int64],
    min_share: float,
    runs: Runs,
    found: Containers,
) -> None:
    """Compare the members of one cell, longest first, with those kept ones that hold an indexed value of theirs."""
    first = np.full(numbers.size + 1, -1, dtype=np.int64)
    following = np.full(numbers.size + 1, -1, dtype=np.int64)
    listed = np.zeros(numbers.size + 1, dtype=np.int64)
    holder = np.empty(numbers.size + 1, dtype=np.int64)
    asked_by = np.full(rows.size, -1, dtype=np.int64)
    for turn in range(members.size):
        text = members[turn]
        for index in range(starts[turn], starts[turn + 1]):
            entry = first[numbers[index]]
            while entry >= 0:
                other = holder[entry]
                entry = following[entry]
                if asked_by[other] == text or (found.container[text] != text and other > found.container[text]):
                    continue
                asked_by[other] = text
                if sketches.num_shingles[rows[other]] <= sketches.num_shingles[rows[text]]:
                    continue
                share = _share_inside(sketches, rows[text], rows[other], min_share)
                if share > 0 and _is_cut(runs, rows, text, other):
                    found.container[text] = other
                    found.share[text] = share
        if found.container[text] != text:
            continue
        for index in range(starts[turn], starts[turn + 1]):
            number = numbers[index]
            if listed[number] < _MAX_LISTED:
                listed[number] += 1
                holder[index] = text
                following[index] = first[number]
                first[number] = index
