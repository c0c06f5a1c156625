"""Spending the budget: which of the rows left by every other rule have a place in the pool."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipelines.stages.context import StageContext
from schemas.reasons import DecisionReason
from transforms.embedding.cache import view_vectors
from transforms.selecting.budget import BudgetRow, spend_budget
from transforms.selecting.decisions import Verdict
from transforms.selecting.rollout_groups import Group, spend_on_groups
from transforms.selecting.strata import ANY, Stratum, parse_stratum


def rollout_groups(pool: pa.Table) -> list[Group]:
    """Return the rollout group of each row of the pool."""
    return list(zip(pool["task_key"].to_pylist(), pool["policy"].to_pylist(), strict=True))


def spend(
    context: StageContext,
    pool: pa.Table,
    verdicts: Sequence[Verdict],
    *,
    ranks: NDArray[np.int64],
    shares: Mapping[Stratum, float],
) -> set[str]:
    """Return the ids of the kept rows that get a place.

    Args:
        context: The run.
        pool: The pool with weights.
        verdicts: Verdict of each row so far.
        ranks: Place of each row in the keeper order.
        shares: Target share of each stratum.
    """
    selection = context.settings.selection
    kept = np.flatnonzero([verdict.reason == DecisionReason.KEPT for verdict in verdicts])
    candidates = pool.take(pa.array(kept))
    weights = pc.fill_null(candidates["learnability" if selection.keep_groups else "weight"], 0.0)
    rows = _budget_rows(candidates, ranks[kept].tolist(), weights=weights)
    if selection.budget is None or len(rows) <= selection.budget:
        return {row.traj_id for row in rows}
    vectors = _vectors(context, candidates) if selection.spread == "coverage" else None
    place = {row.traj_id: number for number, row in enumerate(rows)}
    if selection.keep_groups:
        rows = [row._replace(stratum=_environment_of(row.stratum)) for row in rows]
        shares = _shares_of_environments(shares)

    def among(chosen: Sequence[BudgetRow], budget: int) -> set[str]:
        mine = None if vectors is None else vectors[[place[row.traj_id] for row in chosen]]
        return spend_budget(
            chosen, budget, shares=shares, vectors=mine, alpha=selection.family_alpha, seed=context.seed
        )

    if selection.keep_groups:
        return spend_on_groups(rows, rollout_groups(candidates), selection.budget, spend=among)
    return among(rows, selection.budget)


def _budget_rows(candidates: pa.Table, ranks: Sequence[int], *, weights: pa.ChunkedArray) -> list[BudgetRow]:
    """Return the rows that ask for a place."""
    columns = [candidates[name].to_pylist() for name in ("traj_id", "stratum", "task_group", "family_id")]
    return [
        BudgetRow(rank, traj_id, parse_stratum(stratum), task_group, weight, family or "")
        for rank, traj_id, stratum, task_group, family, weight in zip(
            ranks, *columns, weights.to_pylist(), strict=True
        )
    ]


def _environment_of(stratum: Stratum) -> Stratum:
    """Return the stratum of a whole group, whose members have several outcomes."""
    return Stratum(stratum.environment, ANY, ANY)


def _shares_of_environments(shares: Mapping[Stratum, float]) -> dict[Stratum, float]:
    sums: dict[Stratum, float] = defaultdict(float)
    for stratum, share in shares.items():
        sums[_environment_of(stratum)] += share
    return dict(sums)


def _vectors(context: StageContext, candidates: pa.Table) -> NDArray[np.float16]:
    """Return the fused vector of each candidate, shape (rows, dimensions): its keeper's where it has none itself."""
    embeddings = context.read("embeddings", ["traj_id", "view", "vector"])
    return view_vectors(embeddings, "fused").of(candidates["traj_id"], candidates["keeper_id"])
