"""Keeper-first stars: redundant groups in which every member was compared with its own keeper."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Neighbours = Callable[[int], tuple[Sequence[int] | NDArray[np.int64], Sequence[float] | NDArray[np.float64]]]
"""Gives the members similar to a member, verified, in any order, and how similar each is."""


class Stars(NamedTuple):
    """A keeper for each member.

    Attributes:
        keeper: Index of each member's keeper, its own for a keeper; int64, shape (members,).
        similarity: Similarity of each member to its keeper, 1 for a keeper; float64, shape (members,).
    """

    keeper: NDArray[np.int64]
    similarity: NDArray[np.float64]


def keeper_first_groups(
    order: Sequence[int] | NDArray[np.int64],
    neighbours: Neighbours,
    *,
    on_keep: Callable[[int], None] | None = None,
    num_kept: int = 0,
) -> Stars:
    """Group members around the best of them.

    The members are walked from the best to the worst; each joins the best already kept member it is similar to, and is
    kept itself when there is none. So chains never join unlike members, and kept members are never similar to a better
    kept one.

    Args:
        order: Members 0 … n − 1 from best to worst, each once.
        neighbours: Members similar enough to join, with their similarity; the member itself and members that are not
            kept may be among them and are passed over. Must be symmetric for the groups to mean what they say.
        on_keep: Told each kept member before the next one is looked up, for a search that holds kept members only.
        num_kept: So many of the first members are kept already: they are not looked up, and told to no one.
    """
    count = len(order)
    members = np.asarray(order, dtype=np.int64)
    place = np.full(count, count, dtype=np.int64)
    place[members[:num_kept]] = np.arange(num_kept)
    keeper = np.arange(count, dtype=np.int64)
    similarity = np.ones(count, dtype=np.float64)
    for rank, member in enumerate(members[num_kept:].tolist(), start=num_kept):
        found, similarities = neighbours(member)
        indices = np.asarray(found, dtype=np.int64)
        best = int(indices[np.argmin(place[indices])]) if indices.size else member
        if place[best] < count:
            keeper[member] = best
            similarity[member] = float(np.asarray(similarities)[np.flatnonzero(indices == best)[0]])
        else:
            place[member] = rank
            if on_keep is not None:
                on_keep(member)
    return Stars(keeper, similarity)
