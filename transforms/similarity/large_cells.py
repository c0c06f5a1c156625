"""Keeper-first groups of a set too large for comparing each member with every kept one."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.stars import Stars
from transforms.similarity.buckets import Pairs, Rows, content_order, near_pairs
from transforms.similarity.rescoring import Matrix, pair_cosines
from transforms.similarity.search import semantic_groups

MAX_EXACT_MEMBERS: Final = 5000
"""Members up to which each is compared with every kept one."""

_DENSE_SHARE = 0.5


def cell_groups(vectors: Matrix, rows: Rows, *, min_similarity: float, neighbours: int, seed: int) -> Stars:
    """Group the members of a cell of any size; arguments as in `large_groups`."""
    if len(rows) > MAX_EXACT_MEMBERS:
        return large_groups(vectors, rows, min_similarity=min_similarity, neighbours=neighbours, seed=seed)
    return semantic_groups(
        np.asarray(vectors[rows]), np.arange(len(rows)), min_similarity=min_similarity, neighbours=neighbours
    )


def large_groups(vectors: Matrix, rows: Rows, *, min_similarity: float, neighbours: int, seed: int) -> Stars:
    """Group members into keeper-first stars by cosine, as `semantic_groups` does, with pairs found in buckets.

    Equal vectors count as one first. Each dropped member was verified against its own keeper; about one in a hundred
    that an exact search drops is kept. A vector that is zero or not finite stays alone.

    Args:
        vectors: Shape (any, dimensions).
        rows: The members' rows, best first.
        min_similarity: Cosine at or above which a member joins a kept one.
        neighbours: Better members told per member and bucket at most.
        seed: Seed of the buckets.
    """
    order = content_order(vectors, rows, seed=seed)
    members = np.sort(order.drawn[order.twin[order.drawn] == order.drawn])
    keeper = np.arange(len(rows))
    similarity = np.ones(len(rows))
    while len(members) > 1:
        stars = _one_round(vectors, rows[members], min_similarity=min_similarity, neighbours=neighbours, seed=seed)
        keeper[members] = members[stars.keeper]
        similarity[members] = stars.similarity
        _follow(vectors, rows, keeper, similarity=similarity, min_similarity=min_similarity)
        kept = members[keeper[members] == members]
        # In a cloud of near members each bucket keeps one of its own: what they kept is compared once more.
        is_last = len(members) <= MAX_EXACT_MEMBERS or len(kept) > _DENSE_SHARE * len(members)
        members = kept
        if is_last:
            break
    return Stars(keeper[order.twin], np.where(keeper[order.twin] == np.arange(len(rows)), 1, similarity[order.twin]))


def _one_round(vectors: Matrix, rows: Rows, *, min_similarity: float, neighbours: int, seed: int) -> Stars:
    if len(rows) <= MAX_EXACT_MEMBERS:
        return cell_groups(vectors, rows, min_similarity=min_similarity, neighbours=neighbours, seed=seed)
    pairs = near_pairs(vectors, rows, min_similarity=min_similarity, seed=seed, limit=neighbours)
    return stars_of_pairs(vectors, rows, pairs, min_similarity=min_similarity)


def _follow(
    vectors: Matrix, rows: Rows, keeper: Rows, *, similarity: NDArray[np.float64], min_similarity: float
) -> None:
    """Let members whose keeper was dropped go to its keeper if they are near it, else keep them."""
    lost = np.flatnonzero(keeper[keeper] != keeper)
    further = keeper[keeper[lost]]
    cosines = pair_cosines(vectors, rows[lost], rows[further])
    near = cosines >= min_similarity
    keeper[lost] = np.where(near, further, lost)
    similarity[lost] = np.where(near, cosines, 1)


def stars_of_pairs(vectors: Matrix, rows: Rows, pairs: Pairs, *, min_similarity: float) -> Stars:
    """Return the keeper-first stars of near pairs, places being ranks.

    A member joins the best kept one it has a pair with. If all it has pairs with were dropped, it joins the best of
    their keepers that it is near to.

    Args:
        vectors: Shape (any, dimensions).
        rows: Row of each place, best first.
        pairs: The near pairs.
        min_similarity: Cosine a member must have to its keeper.
    """
    keeper = np.arange(len(rows))
    similarity = np.ones(len(rows))
    starts = np.flatnonzero(np.diff(pairs.later, prepend=-1))
    ends = np.append(starts, len(pairs.later))[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        member = int(pairs.later[start])
        better = pairs.earlier[start:end]
        is_kept = keeper[better] == better
        if is_kept.any():
            first = int(is_kept.argmax())
            keeper[member], similarity[member] = better[first], pairs.cosine[start + first]
            continue
        keepers = np.unique(keeper[better])
        cosines = pair_cosines(vectors, np.full(len(keepers), rows[member]), rows[keepers])
        near = cosines >= min_similarity
        if near.any():
            first = int(near.argmax())
            keeper[member], similarity[member] = keepers[first], cosines[first]
    return Stars(keeper, similarity)
