"""Stage select: which trajectories are in the pool, with what weight, and what each dataset does with them.

Writes `decisions`, ordered by trajectory id, `balance`, ordered by stratum, `pairs`, ordered by row id, and `uses`,
ordered by dataset, role, trajectory and task.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from pipelines.stages.pool import add_weights, read_pool
from pipelines.stages.spending import rollout_groups, spend
from schemas.errors import QualityError
from schemas.reasons import DecisionReason, UseReason
from schemas.tables import SCHEMAS
from transforms.judging.shards import WriteShards, read_shards
from transforms.pairing.copies import num_copies
from transforms.pairing.order import position_key
from transforms.pairing.pairs import mine_pairs
from transforms.selecting.balance import balance_rows
from transforms.selecting.caps import CapCells
from transforms.selecting.decisions import (
    KEPT,
    REDUNDANT_REASONS,
    Verdict,
    decision_rows,
    first_verdicts,
    follow_keepers,
    narrow_verdicts,
)
from transforms.selecting.keepers import deciding_rules, keeper_ranks
from transforms.selecting.rollout_groups import WHOLE_GROUP_RULE, keep_groups_whole, name_kept_copies
from transforms.selecting.strata import Stratum, parse_stratum, target_shares
from transforms.selecting.uses import kto_uses, rl_uses, sft_uses
from transforms.store.files import Store
from transforms.store.tables import rows_to_table

READS: Final = (
    "trajectories",
    "clusters",
    "features",
    "behaviours",
    "audit",
    "safety",
    "tasks",
    "task_policies",
    "embeddings",
)
WRITES: Final = ("decisions", "balance", "pairs", "uses")


def run(context: StageContext) -> None:
    """Choose the pool and what each dataset takes from it."""
    pool = read_pool(context)
    ids = pool["traj_id"].to_pylist()
    first = survivors = first_verdicts(pool)
    selection = context.settings.selection
    ranks = keeper_ranks(pool, selection.keeper_order)
    texts = pool["exact_group"].to_pylist()
    if selection.keep_groups:
        survivors = verdicts = keep_groups_whole(
            first, rollout_groups(pool), ids=ids, ranks=ranks.tolist(), texts=texts
        )
    else:
        verdicts = first
        if selection.max_per_approach is not None:
            capped = _cap(
                context, pool, verdicts, ranks=ranks, group="approach_group", limit=selection.max_per_approach
            )
            verdicts = narrow_verdicts(verdicts, ids, chosen=capped, reason=DecisionReason.APPROACH_CAP)
        capped = _cap(context, pool, verdicts, ranks=ranks, group="task_group", limit=selection.max_per_task)
        verdicts = narrow_verdicts(verdicts, ids, chosen=capped, reason=DecisionReason.TASK_CAP)
    shares = _target_shares(context, pool, verdicts)
    pool = add_weights(context, pool, verdicts, shares=None)
    chosen = spend(context, pool, verdicts, ranks=ranks, shares=shares)
    verdicts = narrow_verdicts(verdicts, ids, chosen=chosen, reason=DecisionReason.BUDGET)
    if selection.keep_groups:
        verdicts = name_kept_copies(first, verdicts, ids=ids, ranks=ranks.tolist(), texts=texts)
    verdicts = follow_keepers(verdicts, ids)
    pool = add_weights(context, pool, verdicts, shares=shares)
    _check_dropped(verdicts, selection.max_drop_ratio)
    pool = pool.append_column("keeper_rule", _keeper_rules(context, pool, verdicts, ranks=ranks))
    context.write("decisions", decision_rows(pool, verdicts))
    context.write("balance", _balance(pool, survivors, verdicts, shares=shares))
    _write_uses(context, pool, verdicts)


def _keeper_rules(
    context: StageContext, pool: pa.Table, verdicts: Sequence[Verdict], *, ranks: np.ndarray
) -> pa.Array:
    """Return the rule by which the run that each row names is better; null where a row names none of the lake."""
    selection = context.settings.selection
    ids = pool["traj_id"].to_pylist()
    named = [
        verdict.reference_id if verdict.reference_id and verdict.reason in REDUNDANT_REASONS else own
        for own, verdict in zip(ids, verdicts, strict=True)
    ]
    rules = deciding_rules(pool, named, selection.keeper_order)
    if selection.keep_groups:
        rank_of = dict(zip(ids, ranks.tolist(), strict=True))
        rules = [
            WHOLE_GROUP_RULE if rank_of[own] < rank_of[keeper] else rule
            for own, keeper, rule in zip(ids, named, rules, strict=True)
        ]
    return pa.array(rules, pa.string())


def _cap(
    context: StageContext, pool: pa.Table, verdicts: Sequence[Verdict], *, ranks: np.ndarray, group: str, limit: int
) -> set[str]:
    """Return the ids that a cap per group, outcome class and policy leaves."""
    columns = [pool[name].to_pylist() for name in (group, "outcome_class", "policy", "traj_id", "family_id")]
    members = [
        ((cell, outcome, policy), (rank, traj_id, family))
        for cell, outcome, policy, traj_id, family, rank, verdict in zip(
            *columns, ranks.tolist(), verdicts, strict=True
        )
        if verdict.reason == DecisionReason.KEPT
    ]
    sizes = Counter(cell for cell, _ in members)
    within = {traj_id for cell, (_, traj_id, _) in members if sizes[cell] <= limit}
    crowded = [(cell, member) for cell, member in members if sizes[cell] > limit]
    if not crowded:
        return within
    scratch = Store(str(context.work_dir))
    with context.pipeline("select") as pipeline:
        _ = (
            pipeline
            | "Members" >> beam.Create(crowded)
            | "CapCells" >> CapCells(limit)
            | "WriteShards" >> WriteShards(scratch, f"caps-{group}")
        )
    return within | {traj_id for traj_id, kept in read_shards(scratch, f"caps-{group}") if kept}


def _target_shares(context: StageContext, pool: pa.Table, verdicts: Sequence[Verdict]) -> dict[Stratum, float]:
    """Return the target shares over the strata of kept rows that a dataset may weigh."""
    counts: dict[Stratum, int] = {}
    for name, weighed, verdict in zip(
        pool["stratum"].to_pylist(), pool["is_weighed"].to_pylist(), verdicts, strict=True
    ):
        if weighed and verdict.reason == DecisionReason.KEPT:
            stratum = parse_stratum(name)
            counts[stratum] = counts.get(stratum, 0) + 1
    balance = context.settings.selection.balance
    return target_shares(counts, balance.alpha, targets=balance.targets)


def _check_dropped(verdicts: Sequence[Verdict], max_drop_ratio: float) -> None:
    dropped = sum(verdict.reason != DecisionReason.KEPT for verdict in verdicts)
    if dropped > max_drop_ratio * len(verdicts):
        raise QualityError(
            f"selection drops {dropped} of {len(verdicts)} trajectories, more than "
            f"selection.max_drop_ratio={max_drop_ratio:g} allows; nothing is published"
        )


def _balance(
    pool: pa.Table, survivors: Sequence[Verdict], verdicts: Sequence[Verdict], *, shares: dict[Stratum, float]
) -> list[dict[str, Any]]:
    strata = [parse_stratum(name) for name in pool["stratum"].to_pylist()]
    weighed = pool["is_weighed"].to_pylist()
    available = [s for s, verdict in zip(strata, survivors, strict=True) if verdict == KEPT]
    selected = [
        (stratum, weight if is_weighed else 0.0)
        for stratum, weight, is_weighed, verdict in zip(
            strata, pool["weight"].to_pylist(), weighed, verdicts, strict=True
        )
        if verdict == KEPT
    ]
    return balance_rows(available, selected, shares=shares)


def _write_uses(context: StageContext, pool: pa.Table, verdicts: Sequence[Verdict]) -> None:
    """Write what the wanted datasets do with their candidates, and the pairs of dpo."""
    targets = context.settings.export.targets
    kept = pa.array([verdict == KEPT for verdict in verdicts], pa.bool_())
    pool = pool.append_column("is_kept", kept).append_column("kept", kept)
    # A step in which the agent says nothing is no turn to learn from.
    turns = pc.if_else(pool["agent_acted"], pool["num_agent_steps"], pa.scalar(0, pool["num_agent_steps"].type))
    pool = pool.set_column(pool.schema.get_field_index("num_agent_steps"), "num_agent_steps", turns)
    pairs, parts = SCHEMAS["pairs"].empty_table(), []
    if "dpo" in targets:
        mined = mine_pairs(
            pool,
            seed=context.seed,
            **context.settings.export.pairs.model_dump(),
            materialise_weights=context.settings.export.materialise_weights,
        )
        pairs = mined.pairs
        parts.append(mined.uses)
    rows: list[dict[str, Any]] = []
    rows += kto_uses(pool) if "kto" in targets else []
    rows += sft_uses(pool) if "sft" in targets else []
    if "rl" in targets:
        seeds = context.settings.selection.seeds
        tasks = context.read("tasks", ["task_key", "decision", "reason", "weight", "split"])
        rows += rl_uses(tasks, seed=context.seed, share=seeds.share, unsolved_share=seeds.unsolved_share)
    materialise = context.settings.export.materialise_weights
    finished = [finish_use(row, seed=context.seed, materialise=materialise) for row in rows]
    uses = pa.concat_tables([*parts, rows_to_table(finished, SCHEMAS["uses"])])
    order = [(name, "ascending") for name in ("dataset", "role", "traj_id", "task_key")]
    context.write("pairs", pairs)
    context.write("uses", uses.sort_by(order))


def finish_use(row: dict[str, Any], *, seed: int, materialise: bool) -> dict[str, Any]:
    """Return the use with the number of times its row is written and its place in the dataset.

    A used row is written once, or as often as its weight says when weights are materialised; drawn zero times it is
    not used after all.
    """
    if not row["used"]:
        return {**row, "copies": 0, "position_key": None}
    copies = num_copies(row["weight"], seed=seed, row_id=row["row_id"]) if materialise else 1
    if copies == 0:
        not_drawn = {"used": False, "reason": str(UseReason.NOT_DRAWN), "row_id": None}
        return {**row, **not_drawn, "copies": 0, "position_key": None}
    return {**row, "copies": copies, "position_key": position_key(seed, row["dataset"], row["row_id"])}
