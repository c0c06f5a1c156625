"""The pairs of one task group: which success stands against which failure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from schemas.reasons import UseReason
from transforms.pairing.candidates import Candidate
from transforms.store.keys import draw

_MAX_SIDE: Final = 256
"""Successes and failures of one task group that are looked at: a bound on one task's work."""

_MIN_SCORE: Final = 0.05
_UNKNOWN_SCORE: Final = 0.5
"""No failure is drawn never, and one without a score is drawn as one in the middle."""

MARGIN_TOLERANCE: Final = 1e-9
"""1.0 against 0.8 is a margin of 0.2, though not in binary fractions."""

Pair = tuple[int, int]
"""Index into the pool's successes, index into its failures."""


@dataclass(frozen=True, slots=True)
class PairLimits:
    """What a pair must hold to; names are the settings of `export.pairs`."""

    max_per_task: int
    max_uses_per_trajectory: int
    min_margin: float
    max_length_ratio: float


@dataclass(frozen=True)
class TaskPool:
    """The successes and failures of one task group that may stand in a pair, in the order in which they are tried.

    The matrices have shape (successes, failures): `allowed`, `is_over_ratio`, and `longer`: 1 where the success is the
    longer side, -1 where it is the shorter, 0 where both are equal.
    """

    chosen: tuple[Candidate, ...]
    rejected: tuple[Candidate, ...]
    allowed: npt.NDArray[np.bool_]
    is_over_ratio: npt.NDArray[np.bool_]
    longer: npt.NDArray[np.int8]

    @property
    def environment(self) -> str:
        """Return the environment whose length balance the task enters."""
        return min(candidate.environment for candidate in (*self.chosen, *self.rejected))


def draw_key(candidate: Candidate, *, seed: int) -> tuple[float, str]:
    """Return the key by which failures are drawn without replacement, p ∝ educational score (Efraimidis-Spirakis).

    Never the single best: every fixed extreme (nearest, most repetition, strongest policy) lost to a random failure
    (METHODS 7).
    """
    score = candidate.educational_score
    weight = _UNKNOWN_SCORE if score is None or math.isnan(score) else max(score, _MIN_SCORE)
    uniform = draw(seed, "rejected", candidate.traj_id)
    return -math.log1p(-uniform) / weight, candidate.traj_id


def build_pool(members: Sequence[Candidate], *, seed: int, limits: PairLimits) -> TaskPool:
    """Return the pool of one task group's eligible members: most efficient success and first drawn failure first."""
    chosen = sorted(
        (member for member in members if member.is_success),
        key=lambda member: (member.num_agent_steps, member.token_count, member.traj_id),
    )[:_MAX_SIDE]
    rejected = sorted(
        (member for member in members if not member.is_success), key=lambda member: draw_key(member, seed=seed)
    )[:_MAX_SIDE]
    margin = _column(chosen, "reward") - _row(rejected, "reward")
    chosen_tokens, rejected_tokens = _column(chosen, "token_count"), _row(rejected, "token_count")
    shorter = np.maximum(np.minimum(chosen_tokens, rejected_tokens), 1)
    return TaskPool(
        chosen=tuple(chosen),
        rejected=tuple(rejected),
        allowed=(margin >= limits.min_margin - MARGIN_TOLERANCE) & _differ(chosen, rejected),
        is_over_ratio=np.maximum(chosen_tokens, rejected_tokens) > limits.max_length_ratio * shorter,
        longer=np.sign(chosen_tokens - rejected_tokens).astype(np.int8),
    )


def _column(members: Sequence[Candidate], name: str) -> npt.NDArray[np.float64]:
    return np.array([getattr(member, name) for member in members], dtype=np.float64).reshape(-1, 1)


def _row(members: Sequence[Candidate], name: str) -> npt.NDArray[np.float64]:
    return np.array([getattr(member, name) for member in members], dtype=np.float64).reshape(1, -1)


def _differ(chosen: Sequence[Candidate], rejected: Sequence[Candidate]) -> npt.NDArray[np.bool_]:
    cells = [[one.content_hash != other.content_hash for other in rejected] for one in chosen]
    return np.array(cells, dtype=np.bool_).reshape(len(chosen), len(rejected))


def choose_pairs(pool: TaskPool, *, limits: PairLimits, prefer: int = 0) -> list[Pair]:
    """Return the task's pairs, best first.

    Each next pair is the best still allowed by, in this order: within the length ratio, in the preferred direction,
    members not used yet, the success's efficiency, the failure's draw.

    Args:
        pool: The task's pool.
        limits: The caps.
        prefer: 1 seeks pairs whose chosen side is longer, -1 shorter, 0 takes what comes.
    """
    allowed = pool.allowed.copy()
    if not allowed.any():
        return []
    num_chosen, num_rejected = allowed.shape
    is_against = pool.longer != prefer if prefer else np.zeros_like(allowed)
    ranks = np.arange(num_chosen * num_rejected, dtype=np.int64).reshape(num_chosen, num_rejected)
    uses_chosen, uses_rejected = np.zeros((num_chosen, 1), np.int64), np.zeros((1, num_rejected), np.int64)
    max_uses = 2 * limits.max_uses_per_trajectory + 1
    pairs: list[Pair] = []
    while len(pairs) < limits.max_per_task and allowed.any():
        level = (pool.is_over_ratio * 2 + is_against) * max_uses + uses_chosen + uses_rejected
        cost = np.where(allowed, level * ranks.size + ranks, np.iinfo(np.int64).max)
        success, failure = (int(index) for index in np.unravel_index(int(cost.argmin()), cost.shape))
        pairs.append((success, failure))
        uses_chosen[success, 0] += 1
        uses_rejected[0, failure] += 1
        _bar_group(allowed, pool, success, failure)
        allowed[uses_chosen[:, 0] >= limits.max_uses_per_trajectory, :] = False
        allowed[:, uses_rejected[0] >= limits.max_uses_per_trajectory] = False
    return pairs


def _bar_group(allowed: npt.NDArray[np.bool_], pool: TaskPool, success: int, failure: int) -> None:
    """Bar all pairs of the two redundancy groups: another would teach the same contrast again."""
    same_chosen = [one.semantic_group == pool.chosen[success].semantic_group for one in pool.chosen]
    same_rejected = [one.semantic_group == pool.rejected[failure].semantic_group for one in pool.rejected]
    allowed[np.ix_(same_chosen, same_rejected)] = False


def explain_unpaired(candidate: Candidate, opposite: Sequence[Candidate], *, min_margin: float) -> UseReason:
    """Return why an eligible trajectory stands in no pair, given the eligible trajectories of the other outcome."""
    if not opposite:
        return UseReason.NO_OPPOSITE_OUTCOME
    sign = 1 if candidate.is_success else -1
    least = min_margin - MARGIN_TOLERANCE
    far = [other for other in opposite if sign * ((candidate.reward or 0.0) - (other.reward or 0.0)) >= least]
    if not far:
        return UseReason.MARGIN_TOO_SMALL
    if all(other.content_hash == candidate.content_hash for other in far):
        return UseReason.IDENTICAL_SIDES
    return UseReason.PAIR_CAP
