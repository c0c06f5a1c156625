"""Background similarity: how alike rollouts of different tasks are, which tells whether vectors carry information.

Where every rollout of an environment opens with the same text, all vectors point the same way: no threshold means
anything then, and unlike rollouts are called redundant.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.signatures import Signatures, estimated_similarity
from transforms.similarity.rescoring import Matrix, pair_cosines, usable_rows
from transforms.store.keys import seeded_order


class Rollout(NamedTuple):
    """A rollout whose body has a vector: its id, its task group, the row of the vector and that of its signature."""

    traj_id: str
    task_group: str
    row: int
    signature: int


@dataclass(frozen=True, slots=True)
class Background:
    """The cosines of drawn pairs of rollouts of different task groups of one environment.

    Attributes:
        num_task_groups: Task groups with a usable vector.
        num_pairs: Pairs drawn; 0 leaves the figures None.
        mean_cosine: Mean of their cosines.
        p99_cosine: Their 99th percentile.
        share_similar: Share of the pairs at or above the similarity at which a rollout is redundant.
        mean_jaccard: Mean of their estimated word 5-gram Jaccards.
    """

    num_task_groups: int
    num_pairs: int
    mean_cosine: float | None
    p99_cosine: float | None
    share_similar: float | None
    mean_jaccard: float | None

    def is_leaking(self, *, min_task_groups: int, max_background_cosine: float, max_cross_task_share: float) -> bool:
        """Say whether unlike rollouts are too alike for vectors to mean anything; few task groups are not judged."""
        if self.mean_cosine is None or self.share_similar is None or self.num_task_groups < min_task_groups:
            return False
        return self.mean_cosine > max_background_cosine or self.share_similar > max_cross_task_share

    def is_sharing(self, *, min_task_groups: int, max_jaccard: float) -> bool:
        """Say whether bodies of unlike rollouts share more of their text; few task groups are not judged."""
        return self.num_task_groups >= min_task_groups and (self.mean_jaccard or 0) > max_jaccard


def background_of(
    rollouts: Sequence[Rollout],
    vectors: Matrix,
    signatures: Signatures,
    *,
    seed: int,
    max_pairs: int,
    min_similarity: float,
) -> Background:
    """Return the background similarity of an environment.

    Args:
        rollouts: Its rollouts, in any order; those whose vector is zero or not finite are left out.
        vectors: Body vectors, shape (rows, dimensions).
        signatures: Signatures, shape (any, 128).
        seed: Seed of the draw.
        max_pairs: Pairs drawn at most.
        min_similarity: Cosine at or above which a rollout repeats another.
    """
    rows = np.array([each.row for each in rollouts], dtype=np.int64)
    usable = usable_rows(vectors[rows]) if len(rows) else np.empty(0, dtype=np.bool_)
    compared = [each for each, is_usable in zip(rollouts, usable.tolist(), strict=True) if is_usable]
    pairs = draw_cross_task_pairs(compared, seed=seed, max_pairs=max_pairs)
    num_groups = len({each.task_group for each in compared})
    if not pairs:
        return Background(num_groups, 0, None, None, None, None)
    left, right = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    cosines = pair_cosines(vectors, left, right)
    signature_of = {each.row: each.signature for each in compared}
    shared = [
        estimated_similarity(signatures[signature_of[one]], signatures[[signature_of[other]]]).item()
        for one, other in pairs
    ]
    return Background(num_groups, len(pairs), *_figures(cosines, min_similarity), sum(shared) / len(shared))


def draw_cross_task_pairs(rollouts: Sequence[Rollout], *, seed: int, max_pairs: int) -> list[tuple[int, int]]:
    """Return pairs of vector rows of different task groups, drawn so that every task group counts alike.

    Groups and their members are put in an order drawn by (seed, id). Each group is paired with the one after it, then
    with the one after that, and so on, and later rounds take the groups' next members: no pair comes twice.
    """
    by_group: dict[str, dict[str, int]] = defaultdict(dict)
    for each in rollouts:
        by_group[each.task_group][each.traj_id] = each.row
    groups = seeded_order(by_group, seed=seed, purpose="background groups")
    members = [
        [by_group[name][traj_id] for traj_id in seeded_order(by_group[name], seed=seed, purpose="background members")]
        for name in groups
    ]
    pairs: dict[tuple[int, int], None] = {}
    for pair in _ring_pairs(members):
        if len(pairs) >= max_pairs:
            break
        pairs.setdefault(pair)
    return list(pairs)


def _ring_pairs(members: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    count = len(members)
    for turn in range(max(map(len, members), default=0)):
        for distance in range(1, count // 2 + 1):
            for place in range(count):
                other = (place + distance) % count
                if 2 * distance == count and place >= other:
                    continue
                mine, theirs = members[place], members[other]
                yield mine[turn % len(mine)], theirs[(turn + distance - 1) % len(theirs)]


def _figures(cosines: NDArray[np.float64], min_similarity: float) -> tuple[float, float, float]:
    ordered = np.sort(cosines)
    p99 = ordered[min(len(ordered) - 1, int(np.ceil(0.99 * len(ordered))) - 1)]
    return float(ordered.mean()), float(p99), float((ordered >= min_similarity).mean())
