"""Weigh failures by how much there is to learn from them."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from schemas.reasons import OutcomeClass, Termination

BASE_SHARE: Final = 0.4
"""Part of the score that a failure has whatever its ranks say; the ranks' mean gives the rest."""
MOST_LEARNABLE: Final = 0.25
"""Largest value of p(1 − p)."""
INFRASTRUCTURE: Final = frozenset({Termination.INFRA_ERROR, Termination.USER_ERROR})
"""Endings that say nothing of the agent: the machinery or the simulated user broke."""


def is_infrastructure(terminations: Sequence[str]) -> list[bool]:
    """Return for each termination whether the machinery ended the rollout, not the agent."""
    return [termination in INFRASTRUCTURE for termination in terminations]


def eligible_failures(
    outcomes: Sequence[str], terminations: Sequence[str], *, has_audit_flag: Sequence[bool]
) -> np.ndarray:
    """Return which rollouts are failures to learn from: no infrastructure failure, no flagged reward.

    Returns:
        bool, shape (rows,).
    """
    return np.array(
        [
            outcome == OutcomeClass.FAILURE and not infrastructure and not flagged
            for outcome, infrastructure, flagged in zip(
                outcomes, is_infrastructure(terminations), has_audit_flag, strict=True
            )
        ],
        dtype=bool,
    )


def educational_scores(columns: pa.Table) -> np.ndarray:
    """Return e = L̂/.25 × (.4 + .6 · mean of the known ranks) of every row; NaN where the row is not eligible.

    Ranks lie in [0, 1] and are taken among the eligible failures of an environment; a failure of which no rank is
    known has the mean rank .5.

    Args:
        columns: `environment`; `is_eligible` bool; `learnability` E[p(1 − p)] of the task for the policy; and the
            signs, NULL where unknown: `near_miss` (partial result, only where nearness means something),
            `first_error` (share of the run that passed before the first error), `novelty` (the rarer the higher) are
            ranked; `recovered` and `contrast` (a success of the same task exists) are bool and count 0 or 1.

    Returns:
        float64, shape (rows,), each in (0, 1] or NaN.
    """
    eligible = columns.column("is_eligible").to_numpy().astype(bool)
    environments = np.array(columns.column("environment").to_pylist(), dtype=object)
    signs = []
    for name in ("near_miss", "first_error", "novelty"):
        values = np.where(eligible, _numbers(columns, name), np.nan)
        signs.append(ranks_within(environments, values))
    for name in ("recovered", "contrast"):
        signs.append(_numbers(columns, name))
    stacked = np.array(signs)
    known = ~np.isnan(stacked)
    counts = known.sum(axis=0)
    sums = np.where(known, stacked, 0.0).sum(axis=0)
    mean_rank = np.where(counts > 0, sums / np.maximum(counts, 1), 0.5)
    scores = _numbers(columns, "learnability") / MOST_LEARNABLE * (BASE_SHARE + (1 - BASE_SHARE) * mean_rank)
    return np.where(eligible, scores, np.nan)


def failure_weights(scores: np.ndarray, *, min_weight: float, max_weight: float) -> np.ndarray:
    """Return clip(e / mean e, min, max) of every row; the smallest weight where the score is NaN.

    Args:
        scores: As `educational_scores` gives them, shape (rows,).
        min_weight: Smallest weight.
        max_weight: Largest.
    """
    known = ~np.isnan(scores)
    if not known.any():
        return np.full(len(scores), min_weight)
    return np.where(known, np.clip(scores / scores[known].mean(), min_weight, max_weight), min_weight)


def ranks_within(groups: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return each value's rank among its group's known values, 0 the smallest, 1 the largest, ties at their middle.

    Args:
        groups: Shape (rows,).
        values: Shape (rows,); NaN is unknown and stays NaN.

    Returns:
        float64, shape (rows,); the only known value of a group has rank .5.
    """
    ranks = np.full(len(values), np.nan)
    for group in set(groups[~np.isnan(values)].tolist()):
        members = np.flatnonzero((groups == group) & ~np.isnan(values))
        _, inverse, counts = np.unique(values[members], return_inverse=True, return_counts=True)
        middles = np.cumsum(counts) - (counts + 1) / 2
        ranks[members] = middles[inverse] / (len(members) - 1) if len(members) > 1 else 0.5
    return ranks


def _numbers(columns: pa.Table, name: str) -> np.ndarray:
    return columns.column(name).cast(pa.float64()).to_numpy()
