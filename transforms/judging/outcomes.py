"""Judge what a rollout counts as: success, failure, unscored or invalid."""

import math
from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.reasons import OutcomeClass, Termination
from transforms.judging.identities import environments

UNIT_TESTS = "unit_test_pass"
"""The component that says whether the task was solved where a reward sums it with process rewards."""


def outcome_classes(
    trajectories: pa.Table,
    behaviours: pa.Table,
    *,
    success_threshold: float,
    by_environment: Mapping[str, float],
    component: str | None,
) -> list[OutcomeClass]:
    """Return the outcome class of every row of `trajectories`, in row order.

    Invalid: the reward is marked invalid, or the infrastructure failed before the agent did anything.
    Unscored: there is no reward. Success: the outcome component reaches the environment's threshold.

    Args:
        trajectories: Columns `traj_id`, `env_name`, `env_type`, `reward`, `reward_components`, `scored`,
            `reward_valid`, `termination`.
        behaviours: Columns `traj_id`, `agent_acted`; a rollout without a row counts as having acted.
        success_threshold: Lowest value of the outcome component that is a success.
        by_environment: Thresholds of single environments.
        component: Reward component that decides; None, or a component the rollout lacks, takes `unit_test_pass`
            where the rollout has it, else the reward.
    """
    acted = dict(
        zip(behaviours.column("traj_id").to_pylist(), behaviours.column("agent_acted").to_pylist(), strict=True)
    )
    values = outcome_values(trajectories, component)
    limits = thresholds(trajectories, success_threshold, by_environment=by_environment)
    facts = trajectories.select(["traj_id", "scored", "reward_valid", "termination"]).to_pylist()
    return [
        _outcome_class(row, value, threshold=limit, acted=acted.get(row["traj_id"]) is not False)
        for row, value, limit in zip(facts, values, limits, strict=True)
    ]


def outcome_values(trajectories: pa.Table, component: str | None) -> list[float | None]:
    """Return the number that decides each row's outcome; None where the rollout has no reward."""
    rewards = trajectories.column("reward").to_pylist()
    parts = trajectories.column("reward_components").to_pylist()
    return [_outcome_value(reward, pairs, component=component) for reward, pairs in zip(rewards, parts, strict=True)]


def thresholds(
    trajectories: pa.Table, success_threshold: float, *, by_environment: Mapping[str, float]
) -> list[float]:
    """Return the success threshold of every row's environment."""
    return [by_environment.get(name, success_threshold) for name in environments(trajectories)]


def _outcome_value(
    reward: float | None, pairs: Sequence[tuple[str, float | None]] | None, *, component: str | None
) -> float | None:
    if reward is None or math.isnan(reward):
        return None
    components = dict(pairs or ())
    for name in (component, UNIT_TESTS):
        value = components.get(name) if name is not None else None
        if value is not None and not math.isnan(value):
            return value
    return reward


def _outcome_class(row: Mapping[str, object], value: float | None, *, threshold: float, acted: bool) -> OutcomeClass:
    if not row["reward_valid"]:
        return OutcomeClass.INVALID
    if row["termination"] == Termination.INFRA_ERROR and not acted:
        return OutcomeClass.INVALID
    if not row["scored"] or value is None:
        return OutcomeClass.UNSCORED
    return OutcomeClass.SUCCESS if value >= threshold else OutcomeClass.FAILURE
