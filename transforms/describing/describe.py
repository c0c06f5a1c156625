"""Describe a trajectory: one row for each of the tables features, behaviours, audit and safety."""

from typing import Any, NamedTuple

from schemas.records import Trajectory
from transforms.describing.audit import describe_audit
from transforms.describing.behaviours import describe_behaviours
from transforms.describing.edits import work_of
from transforms.describing.features import describe_features
from transforms.describing.safety import describe_safety


class Description(NamedTuple):
    """A trajectory's rows, named by their table."""

    features: dict[str, Any]
    behaviours: dict[str, Any]
    audit: dict[str, Any]
    safety: dict[str, Any]


def describe(trajectory: Trajectory, *, short_horizon_max_steps: int, medium_horizon_max_steps: int) -> Description:
    """Return what the trajectory alone says of itself.

    Args:
        trajectory: A redacted trajectory.
        short_horizon_max_steps: Rollouts up to this many agent steps are `short`.
        medium_horizon_max_steps: Rollouts up to this many agent steps are `medium`, the others `long`.
    """
    work = work_of(trajectory)
    return Description(
        features=describe_features(
            trajectory,
            short_horizon_max_steps=short_horizon_max_steps,
            medium_horizon_max_steps=medium_horizon_max_steps,
        ),
        behaviours=describe_behaviours(trajectory, work),
        audit=describe_audit(trajectory, work),
        safety=describe_safety(trajectory, work),
    )
