"""Near-misses: how far a failure came, and whether that means anything in its environment."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from schemas.reasons import OutcomeClass

REACHED_PARTIAL: Final = 0.5
"""Partial result at or above which a failure shows that its task is within reach."""


def partial_results(trajectories: pa.Table, limits: Sequence[float]) -> list[float | None]:
    """Return how far each rollout came, in [0, 1], in row order; None where nothing tells.

    The share of tests passed where tests were counted, else the reward as a share of the success threshold.

    Args:
        trajectories: Columns `reward`, `tests_passed`, `tests_failed`.
        limits: Success threshold of each row's environment.
    """
    rows = trajectories.select(["reward", "tests_passed", "tests_failed"]).to_pylist()
    return [
        _partial(row["reward"], row["tests_passed"], failed=row["tests_failed"], limit=limit)
        for row, limit in zip(rows, limits, strict=True)
    ]


def _partial(reward: float | None, passed: int | None, *, failed: int | None, limit: float) -> float | None:
    if passed is not None and failed is not None and passed + failed > 0:
        return passed / (passed + failed)
    if reward is None or np.isnan(reward) or limit <= 0:
        return None
    return min(1.0, max(0.0, reward / limit))


def sibling_aucs(
    environments: Sequence[str], tasks: Sequence[str], *, outcomes: Sequence[str], partials: Sequence[float | None]
) -> dict[str, float]:
    """Return for each environment how well a failure's partial result tells that a sibling solves the task.

    The area under the ROC curve over (failure, other scored rollout of its task) pairs: .5 says nothing. Environments
    in which failures have no partial result, or all siblings end alike, have none and are left out. On rewards that
    count tests it lies near .6; on rewards that measure overlap it is at or below .5, and nearness is an illusion.

    Args:
        environments: Environment of each rollout.
        tasks: Task of each rollout.
        outcomes: Outcome class of each rollout.
        partials: Partial result of each rollout, None where unknown.
    """
    num_success: dict[str, int] = {}
    num_scored: dict[str, int] = {}
    for task, outcome in zip(tasks, outcomes, strict=True):
        if outcome in (OutcomeClass.SUCCESS, OutcomeClass.FAILURE):
            num_scored[task] = num_scored.get(task, 0) + 1
            num_success[task] = num_success.get(task, 0) + (outcome == OutcomeClass.SUCCESS)
    failures: dict[str, list[tuple[float, int, int]]] = {}
    for environment, task, outcome, partial in zip(environments, tasks, outcomes, partials, strict=True):
        if outcome == OutcomeClass.FAILURE and partial is not None:
            solved = num_success[task]
            failures.setdefault(environment, []).append((partial, solved, num_scored[task] - 1 - solved))
    aucs = {environment: _weighted_auc(np.array(rows)) for environment, rows in sorted(failures.items())}
    return {environment: auc for environment, auc in aucs.items() if auc is not None}


def _weighted_auc(rows: np.ndarray) -> float | None:
    """Return the AUC of scores with positive and negative weights, ties counted half.

    Args:
        rows: Shape (n, 3): score, weight as a positive, weight as a negative.
    """
    scores, inverse = np.unique(rows[:, 0], return_inverse=True)
    positives = np.bincount(inverse, weights=rows[:, 1], minlength=len(scores))
    negatives = np.bincount(inverse, weights=rows[:, 2], minlength=len(scores))
    if positives.sum() == 0 or negatives.sum() == 0:
        return None
    below = np.cumsum(negatives) - negatives
    return float((positives * (below + negatives / 2)).sum() / (positives.sum() * negatives.sum()))
