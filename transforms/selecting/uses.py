"""Say what each dataset of single rows (kto, sft, rl) did with every candidate.

The id of a dataset's row is `short_id(dataset, ids…)`: the first 32 hex digits of the hash of the dataset's name and
the ids the row is made of: one trajectory for kto and sft, one task key for rl.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyarrow as pa

from schemas.reasons import OutcomeClass, TaskDecision, UseReason
from transforms.selecting.seeds import RlTask, choose_rl_tasks
from transforms.store.keys import short_id

MIN_UNSAFE_SEVERITY: Final = 2
"""Severity from which a trajectory is no example to follow; it may still show what not to do."""

Row = Mapping[str, Any]


def kto_uses(columns: pa.Table) -> list[dict[str, Any]]:
    """Return the uses of the dataset kto, role `sample`: every kept success (label true) and failure (label false).

    Args:
        columns: `traj_id`, `task_key`, `outcome_class`, `is_infrastructure`, `is_kept`, `num_agent_steps`,
            `has_audit_flag`, `safety_severity`, `weight`, `split`; one row per trajectory.
    """
    return _trajectory_uses(columns, "kto", role="sample", judge=_kto_reason)


def sft_uses(columns: pa.Table) -> list[dict[str, Any]]:
    """Return the uses of the dataset sft, role `demonstration`: every kept success that is a good example.

    Args:
        columns: As `kto_uses` takes them.
    """
    return _trajectory_uses(columns, "sft", role="demonstration", judge=_sft_reason)


def rl_uses(tasks: pa.Table, *, seed: int, share: float, unsolved_share: float) -> list[dict[str, Any]]:
    """Return the uses of the dataset rl, role `prompt`: every task is a candidate, seed tasks included.

    Args:
        tasks: `task_key`, `decision`, `reason`, `weight`, `split`; one row per task.
        seed: Seed of the draws.
        share: Share of hard seeds among the rows.
        unsolved_share: Largest share of unsolved tasks.
    """
    rows = tasks.to_pylist()
    candidates = [RlTask(row["task_key"], row["decision"], row["reason"]) for row in rows]
    reasons = choose_rl_tasks(candidates, seed=seed, share=share, unsolved_share=unsolved_share)
    uses = []
    for row in rows:
        use = _use(row, reasons[row["task_key"]], dataset="rl", role="prompt", identifier=row["task_key"])
        uses.append(use)
    return sorted(uses, key=lambda use: use["task_key"])


def task_weight(decision: str) -> float:
    """Return the weight of a task's RL row: 0 where the task can teach nothing."""
    return 0.0 if decision in (TaskDecision.MASTERED, TaskDecision.UNSCORED) else 1.0


def _trajectory_uses(
    columns: pa.Table, dataset: str, *, role: str, judge: Callable[[Row], UseReason]
) -> list[dict[str, Any]]:
    uses = []
    for row in columns.to_pylist():
        use = _use(row, judge(row), dataset=dataset, role=role, identifier=row["traj_id"])
        uses.append({**use, "traj_id": row["traj_id"]})
    return sorted(uses, key=lambda use: use["traj_id"])


def _use(row: Row, reason: UseReason, *, dataset: str, role: str, identifier: str) -> dict[str, Any]:
    used = reason == UseReason.USED
    return {
        "dataset": dataset,
        "role": role,
        "traj_id": None,
        "task_key": row["task_key"],
        "row_id": short_id(dataset, identifier) if used else None,
        "used": used,
        "reason": str(reason),
        "weight": row["weight"],
        "split": row["split"],
    }


def _kto_reason(row: Row) -> UseReason:
    if row["outcome_class"] == OutcomeClass.INVALID:
        return UseReason.INVALID_REWARD
    if row["outcome_class"] == OutcomeClass.UNSCORED:
        return UseReason.UNSCORED
    is_success = row["outcome_class"] == OutcomeClass.SUCCESS
    if row["is_infrastructure"] and not is_success:
        return UseReason.INFRASTRUCTURE
    if not row["is_kept"]:
        return UseReason.DROPPED_FROM_POOL
    if row["num_agent_steps"] < 1:
        return UseReason.NO_ASSISTANT_TURN
    if is_success and row["has_audit_flag"]:
        return UseReason.REWARD_AUDIT
    if is_success and row["safety_severity"] >= MIN_UNSAFE_SEVERITY:
        return UseReason.UNSAFE
    return UseReason.USED


def _sft_reason(row: Row) -> UseReason:
    if row["outcome_class"] == OutcomeClass.FAILURE:
        return UseReason.NOT_A_SUCCESS
    return _kto_reason(row)
