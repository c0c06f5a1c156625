"""The slim rows from which pairs are mined: one per trajectory of the lake, no text."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl
import pyarrow as pa

from schemas.reasons import OutcomeClass, UseReason

CANDIDATE_SCHEMA: Final = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("task_group", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("outcome_class", pa.string(), nullable=False),
        pa.field("reward", pa.float64()),
        pa.field("num_agent_steps", pa.int32(), nullable=False),
        pa.field("token_count", pa.int64(), nullable=False),
        pa.field("content_hash", pa.string(), nullable=False),
        pa.field("semantic_group", pa.string(), nullable=False),
        pa.field("educational_score", pa.float64()),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("kept", pa.bool_(), nullable=False),
        pa.field("has_audit_flag", pa.bool_(), nullable=False),
        pa.field("safety_severity", pa.int8(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("is_infrastructure", pa.bool_(), nullable=False),
    ]
)
"""The columns mining needs; others (the policy, say) are ignored.

`reward` is the outcome component, never a sum with process rewards. `semantic_group` is the coarsest redundancy group
of the trajectory. `kept` is the row's decision, `weight` its weight there. `split` is the split of the task group.
`is_infrastructure`: the run ended in a failure that is not the agent's; may be absent, which stands for false.
"""

MIN_UNSAFE_SEVERITY: Final = 2
"""Severity from which a trajectory is no example to follow (METHODS S12); it may still be rejected."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of `CANDIDATE_SCHEMA`."""

    traj_id: str
    task_key: str
    task_group: str
    environment: str
    outcome_class: str
    reward: float | None
    num_agent_steps: int
    token_count: int
    content_hash: str
    semantic_group: str
    educational_score: float | None
    weight: float
    kept: bool
    has_audit_flag: bool
    safety_severity: int
    split: str
    is_infrastructure: bool = False

    @property
    def is_success(self) -> bool:
        """Say whether the rollout solved its task."""
        return self.outcome_class == OutcomeClass.SUCCESS

    @property
    def role(self) -> str:
        """Return the side the trajectory could stand on."""
        return "chosen" if self.is_success else "rejected"


def read_candidates(table: pa.Table | pl.DataFrame) -> Iterator[Candidate]:
    """Yield the table's rows.

    Raises:
        ValueError: A column of `CANDIDATE_SCHEMA` is missing.
    """
    arrow = table.to_arrow() if isinstance(table, pl.DataFrame) else table
    missing = sorted(set(CANDIDATE_SCHEMA.names) - set(arrow.column_names) - {"is_infrastructure"})
    if missing:
        raise ValueError(f"pair candidates lack the columns {missing}")
    columns = [arrow[name].to_pylist() for name in CANDIDATE_SCHEMA.names if name in arrow.column_names]
    for values in zip(*columns, strict=True):
        yield Candidate(*values)


def find_bar(candidate: Candidate) -> UseReason | None:
    """Return why the trajectory can stand on neither side of any pair, or None."""
    if candidate.outcome_class == OutcomeClass.INVALID:
        return UseReason.INVALID_REWARD
    if candidate.outcome_class == OutcomeClass.UNSCORED or candidate.reward is None or math.isnan(candidate.reward):
        return UseReason.UNSCORED
    if candidate.is_infrastructure and not candidate.is_success:
        return UseReason.INFRASTRUCTURE
    if not candidate.kept:
        return UseReason.DROPPED_FROM_POOL
    if candidate.num_agent_steps < 1:
        return UseReason.NO_ASSISTANT_TURN
    if candidate.is_success and candidate.has_audit_flag:
        return UseReason.REWARD_AUDIT
    if candidate.is_success and candidate.safety_severity >= MIN_UNSAFE_SEVERITY:
        return UseReason.UNSAFE
    return None
