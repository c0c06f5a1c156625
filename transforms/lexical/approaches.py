"""Approach groups: runs of one cell that go about their task in the same way.

Rollouts that end in the same patch share three shingles in ten as a rule, rollouts of other tasks one in a hundred:
what repeats an approach lies far below the threshold for copies. Such groups count toward a cap; they drop nothing.

At a threshold that low many runs of a cell are similar to several others. Stars around the best runs would part a run
and its noisy copy as soon as both resemble different ones, so groups grow from the most similar pairs down: what lies
nearest is joined first and never parted again.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from transforms.compiled import compiled
from transforms.lexical.bands import Rows, least_matches, num_equal, read_only
from transforms.lexical.scanning import NUM_SLOTS
from transforms.lexical.signatures import Signatures
from transforms.lexical.word_order import (
    OrderScratch,
    WordOrders,
    no_orders,
    order_scratch,
    similarity_by_order,
)

_MAX_COMPARED = 1024
"""Runs of a cell that are compared with each other, the best ones. Every further run is compared with them, and with
as many first members of groups found beyond them: a cell with more groups has no use for a cap."""

_MIN_SHARED = 6
"""Slots in which texts agree before they are compared word by word: a copy with every tenth word replaced shares at
least .1 of its 5-grams, 13 slots of 128, give or take 3."""


def approach_groups(
    signatures: Signatures,
    rows: Rows,
    bounds: NDArray[np.int64],
    *,
    keeper: NDArray[np.int64],
    actions: NDArray[np.int64],
    min_similarity: float,
    orders: WordOrders | None = None,
) -> NDArray[np.int64]:
    """Return the place of the first member of each run's approach group, shape (runs,).

    Copies, cut runs and runs with equal calls are one bundle with what they repeat. Two bundles are as similar as the
    most similar texts of theirs. Pairs of bundles are walked from the most similar to the least, ties by place: two
    groups become one if each bundle of both is similar to the first bundle of the better one, so that every member
    was compared with its group's first.

    Args:
        signatures: Signatures, shape (any, 128).
        rows: Row of each run's signature, -1 for an empty text; cell after cell, in a cell from best to worst.
        bounds: Cell i is `rows[bounds[i]:bounds[i + 1]]`, shape (cells + 1,).
        keeper: Place of the run that each is a copy of or was cut from, its own for the others.
        actions: A number for each run's calls in order, equal where they are, -1 for a run without a call.
        min_similarity: Jaccard at or above which two texts are one approach: as estimated, or as noise leaves that
            changes as many words of two short texts as theirs differ in.
        orders: Words of the texts by row of `signatures`; None compares none word by word.
    """
    bundle = _bundles(bounds, keeper=keeper, actions=actions)
    approach = bundle.copy()
    orders = no_orders(len(signatures)) if orders is None else orders
    has_own_text = (keeper == np.arange(len(rows))) & (rows >= 0)
    _group_cells(
        read_only(signatures), orders, np.where(has_own_text, rows, -1), bounds, bundle, least_matches(min_similarity),
        approach,
    )  # fmt: skip
    return approach[bundle]


def _bundles(bounds: NDArray[np.int64], *, keeper: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of the first run of each run's bundle: copies and equal calls of one cell, shape (runs,)."""
    count = len(keeper)
    cells = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    _, codes = np.unique(np.stack([cells, actions]), axis=1, return_inverse=True)
    acting = np.flatnonzero(actions >= 0)
    _, first, inverse = np.unique(codes.reshape(-1)[acting], return_index=True, return_inverse=True)
    left = np.concatenate([np.arange(count), acting])
    right = np.concatenate([keeper, acting[first][inverse] if len(acting) else acting])
    graph = coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.int64)


@compiled
def _matches(
    signatures: Signatures, orders: WordOrders, left: int, right: int, need: int, scratch: OrderScratch
) -> np.int64:
    """Return the slots in which two texts agree, or would by the order of their words where that says more."""
    matches = num_equal(signatures[left], signatures[right])
    if _MIN_SHARED <= matches < need:
        matches = max(matches, np.int64(similarity_by_order(orders, left, right, scratch) * NUM_SLOTS))
    return matches


@compiled
def _group_cells(
    signatures: Signatures,
    orders: WordOrders,
    rows: Rows,
    bounds: NDArray[np.int64],
    bundle: NDArray[np.int64],
    need: int,
    approach: NDArray[np.int64],
) -> None:
    """Write the first run of the group of each bundle's first run to `approach`; runs of row -1 have no own text."""
    scratch = order_scratch()
    number = np.full(rows.size, -1, dtype=np.int64)
    for cell in range(bounds.size - 1):
        runs = np.empty(bounds[cell + 1] - bounds[cell], dtype=np.int64)
        num_runs = 0
        for run in range(bounds[cell], bounds[cell + 1]):
            if rows[run] >= 0:
                runs[num_runs] = run
                num_runs += 1
        if num_runs < 2:
            continue
        best = runs[: min(num_runs, _MAX_COMPARED)]
        # The bundles of the best runs, numbered in the order of their first runs.
        heads = np.unique(bundle[best])
        number[heads] = np.arange(heads.size)
        found = np.zeros((heads.size, heads.size), dtype=np.int16)
        for turn in range(best.size):
            mine = number[bundle[best[turn]]]
            for earlier in range(turn):
                other = number[bundle[best[earlier]]]
                if mine != other:
                    matches = _matches(signatures, orders, rows[best[turn]], rows[best[earlier]], need, scratch)
                    found[mine, other] = found[other, mine] = max(found[mine, other], np.int16(matches))
        first = _joined(found, need)
        for index in range(heads.size):
            approach[heads[index]] = heads[first[index]]
        if num_runs > best.size:
            _place_others(signatures, orders, rows, runs[:num_runs], bundle, need, approach, scratch)


@compiled
def _similar_pairs(found: NDArray[np.int16], need: int) -> NDArray[np.int64]:
    """Return the similar pairs of bundles, most similar first, each as number of the one × bundles + the other's."""
    count = found.shape[0]
    pairs = np.empty(count * (count - 1) // 2, dtype=np.int64)
    num_pairs = 0
    for low in range(count):
        for high in range(low + 1, count):
            pairs[num_pairs] = ((NUM_SLOTS - found[low, high]) * count + low) * count + high
            num_pairs += found[low, high] >= need
    pairs = pairs[:num_pairs]
    pairs.sort()
    return pairs % (count * count)


@compiled
def _joined(found: NDArray[np.int16], need: int) -> NDArray[np.int64]:
    """Return the first bundle of each bundle's group, from the slots in which any two agree, shape (bundles,)."""
    count = found.shape[0]
    first = np.arange(count)
    # The members of a group hang one on the other; the last of them is known to its first.
    following = np.full(count, -1, dtype=np.int64)
    last = np.arange(count)
    for pair in _similar_pairs(found, need):
        one, other = first[pair // count], first[pair % count]
        if one == other:
            continue
        better, worse = min(one, other), max(one, other)
        member = worse
        while member >= 0 and found[better, member] >= need:
            member = following[member]
        if member >= 0:
            continue
        member = worse
        while member >= 0:
            first[member] = better
            member = following[member]
        following[last[better]] = worse
        last[better] = last[worse]
    return first


@compiled
def _place_others(
    signatures: Signatures,
    orders: WordOrders,
    rows: Rows,
    runs: NDArray[np.int64],
    bundle: NDArray[np.int64],
    need: int,
    approach: NDArray[np.int64],
    scratch: OrderScratch,
) -> None:
    """Give each bundle beyond the best runs the group of the run most like it whose first bundle is like it, too."""
    compared = np.empty(2 * _MAX_COMPARED, dtype=np.int64)
    compared[:_MAX_COMPARED] = runs[:_MAX_COMPARED]
    num_compared = _MAX_COMPARED
    matches = np.empty(compared.size, dtype=np.int64)
    is_placed = np.zeros(bundle.size, dtype=np.bool_)
    is_placed[bundle[compared[:num_compared]]] = True
    similar_to = np.full(bundle.size, -1, dtype=np.int64)
    for turn in range(_MAX_COMPARED, runs.size):
        run = runs[turn]
        head = bundle[run]
        if is_placed[head]:
            continue
        is_placed[head] = True
        for index in range(num_compared):
            matches[index] = _matches(signatures, orders, rows[run], rows[compared[index]], need, scratch)
            if matches[index] >= need:
                similar_to[bundle[compared[index]]] = run
        most = np.int64(need - 1)
        for index in range(num_compared):
            first = approach[bundle[compared[index]]]
            if matches[index] > most and similar_to[first] == run:
                approach[head], most = first, matches[index]
        if approach[head] == head and num_compared < compared.size:
            compared[num_compared] = run
            num_compared += 1
