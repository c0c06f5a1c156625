"""The slim rows that selection works on: one per trajectory, all that its rules ask for, no text."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from schemas.reasons import DecisionReason, OutcomeClass
from schemas.settings import Settings
from schemas.tables.clusters import METHOD_EMPTY
from transforms.judging.failures import educational_scores, eligible_failures, failure_weights, is_infrastructure
from transforms.judging.identities import policies
from transforms.judging.near_miss import partial_results, sibling_aucs
from transforms.judging.outcomes import outcome_values, thresholds
from transforms.selecting.balance import balance_factors
from transforms.selecting.decisions import Verdict
from transforms.selecting.keepers import is_verified
from transforms.selecting.splits import split_of
from transforms.selecting.strata import Stratum, parse_stratum

_READ: Final[dict[str, list[str]]] = {
    "clusters": [
        "traj_id",
        "task_key",
        "task_group",
        "environment",
        "outcome_class",
        "exact_group",
        "lexical_group",
        "semantic_group",
        "approach_group",
        "keeper_id",
        "method",
        "similarity_to_keeper",
        "family_id",
    ],
    "trajectories": [
        "traj_id",
        "env_type",
        "env_name",
        "model_name",
        "policy_step",
        "agent_name",
        "agent_version",
        "run_id",
        "reward",
        "reward_components",
        "tests_passed",
        "tests_failed",
        "termination",
        "num_steps",
        "num_agent_steps",
    ],
    "features": ["traj_id", "content_hash", "token_count"],
    "behaviours": ["traj_id", "recovered", "first_error_step", "agent_acted"],
    "audit": ["traj_id", "flags"],
    "safety": ["traj_id", "severity"],
}


def read_pool(context: StageContext) -> pa.Table:
    """Return the pool, sorted by trajectory id, without weights.

    Raises:
        ValueError: The tables do not have the same trajectories.
    """
    tables = {name: context.read(name, columns).sort_by("traj_id") for name, columns in _READ.items()}
    ids = tables["clusters"]["traj_id"].combine_chunks()
    for name, table in tables.items():
        if not table["traj_id"].combine_chunks().equals(ids):
            raise ValueError(f"{name} and clusters do not have the same trajectories")
    task_policies = context.read("task_policies", ["task_key", "policy", "learnability"])
    tasks = context.read("tasks", ["task_key", "curriculum"])
    pool = build_pool(tables, tasks=tasks, task_policies=task_policies, settings=context.settings)
    return with_reference_hits(
        pool, context.read("reference_hits"), is_dropped=context.settings.references.action == "drop"
    )


def build_pool(
    tables: Mapping[str, pa.Table], *, tasks: pa.Table, task_policies: pa.Table, settings: Settings
) -> pa.Table:
    """Return the pool of tables that have the same trajectories in the same order.

    Args:
        tables: `clusters`, `trajectories`, `features`, `behaviours`, `audit`, `safety`.
        tasks: `task_key`, `curriculum`.
        task_policies: `task_key`, `policy`, `learnability`.
        settings: All settings.
    """
    clusters, trajectories = tables["clusters"], tables["trajectories"]
    names = policies(trajectories, settings.identity.policy_fields)
    flagged = pc.greater(pc.fill_null(pc.list_value_length(tables["audit"]["flags"]), 0), 0)
    terminations = trajectories["termination"].to_pylist()
    outcomes = clusters["outcome_class"].to_pylist()
    difficulty = dict(zip(tasks["task_key"].to_pylist(), tasks["curriculum"].to_pylist(), strict=True))
    learnability = {(row["task_key"], row["policy"]): row["learnability"] for row in task_policies.to_pylist()}
    keys = clusters["task_key"].to_pylist()
    infrastructure = is_infrastructure(terminations)
    acted = tables["behaviours"]["agent_acted"]
    columns: dict[str, Any] = {
        **{name: clusters[name] for name in _READ["clusters"]},
        "policy": names,
        "reward": pa.array(outcome_values(trajectories, settings.outcome.component), pa.float64()),
        "num_agent_steps": trajectories["num_agent_steps"],
        "content_hash": tables["features"]["content_hash"],
        "token_count": tables["features"]["token_count"],
        "has_audit_flag": flagged,
        "is_verified": is_verified(trajectories),
        "safety_severity": tables["safety"]["severity"],
        "is_infrastructure": pa.array(infrastructure, pa.bool_()),
        "is_empty": _has_nothing_to_teach(tables, is_scarce=settings.selection.budget is not None),
        "agent_acted": acted,
        "is_weighed": pa.array(
            [
                has_acted
                and outcome in (OutcomeClass.SUCCESS, OutcomeClass.FAILURE)
                and not (infra and outcome == OutcomeClass.FAILURE)
                for outcome, infra, has_acted in zip(outcomes, infrastructure, acted.to_pylist(), strict=True)
            ],
            pa.bool_(),
        ),
        "is_eligible": eligible_failures(outcomes, terminations, has_audit_flag=flagged.to_pylist())
        & acted.to_numpy().astype(bool),
        "learnability": [learnability[key, name] for key, name in zip(keys, names, strict=True)],
        "stratum": [
            Stratum(environment, outcome, difficulty[key]).name
            for environment, outcome, key in zip(clusters["environment"].to_pylist(), outcomes, keys, strict=True)
        ],
        "split": [
            split_of(group, settings.seed, validation_share=settings.selection.validation_share)
            for group in clusters["task_group"].to_pylist()
        ],
        **_signs(tables, settings),
    }
    return pa.table(columns)


def _has_nothing_to_teach(tables: Mapping[str, pa.Table], *, is_scarce: bool) -> pa.ChunkedArray:
    """Say of each row whether it goes since the agent did nothing in it: it takes the place of no other rollout.

    Where a task has nothing else, its statement is what is kept of it, at weight 0, while places are not scarce.
    """
    clusters, acted = tables["clusters"], tables["behaviours"]["agent_acted"]
    acted_on = pc.unique(clusters.filter(acted)["task_group"])
    is_outdone = pc.is_in(clusters["task_group"], value_set=acted_on)
    is_textless = pc.equal(clusters["method"], METHOD_EMPTY)
    return pc.and_(pc.invert(acted), pc.or_(pc.or_(is_textless, is_outdone), pa.scalar(is_scarce)))


def with_reference_hits(pool: pa.Table, hits: pa.Table, *, is_dropped: bool) -> pa.Table:
    """Return the pool with `repeated_item` and `item_similarity`: what a reference set holds of a row, else null.

    Args:
        pool: The pool.
        hits: Table `reference_hits`.
        is_dropped: Whether the selection is to know.
    """
    hits = hits if is_dropped else hits.slice(0, 0)
    places = pc.index_in(pool["traj_id"], value_set=hits["traj_id"].combine_chunks())
    return pool.append_column("repeated_item", hits["reference_id"].take(places)).append_column(
        "item_similarity", hits["similarity"].take(places)
    )


def _signs(tables: Mapping[str, pa.Table], settings: Settings) -> dict[str, Any]:
    """Return the signs by which failures are weighed, as `educational_scores` takes them."""
    clusters, trajectories, behaviours = tables["clusters"], tables["trajectories"], tables["behaviours"]
    outcome = settings.outcome
    limits = thresholds(trajectories, outcome.success_threshold, by_environment=outcome.by_environment)
    partials = partial_results(trajectories, limits)
    environments = clusters["environment"].to_pylist()
    outcomes = clusters["outcome_class"].to_pylist()
    groups = clusters["task_group"].to_pylist()
    aucs = sibling_aucs(environments, groups, outcomes=outcomes, partials=partials)
    least = settings.selection.failures.near_miss_min_auc
    solved = {group for group, kind in zip(groups, outcomes, strict=True) if kind == OutcomeClass.SUCCESS}
    families = clusters["family_id"].to_pylist()
    failures_of = Counter(
        family for family, kind in zip(families, outcomes, strict=True) if kind == OutcomeClass.FAILURE
    )
    steps = trajectories["num_steps"].to_pylist()
    return {
        "near_miss": pa.array(
            [p if aucs.get(name, 0.0) >= least else None for p, name in zip(partials, environments, strict=True)],
            pa.float64(),
        ),
        "first_error": pa.array(
            [
                min(1.0, first / count) if first is not None and count else None
                for first, count in zip(behaviours["first_error_step"].to_pylist(), steps, strict=True)
            ],
            pa.float64(),
        ),
        "novelty": pa.array(
            [1 / failures_of[family] if family is not None and failures_of[family] else None for family in families],
            pa.float64(),
        ),
        "recovered": behaviours["recovered"],
        "contrast": pa.array([group in solved for group in groups], pa.bool_()),
    }


def add_weights(
    context: StageContext, pool: pa.Table, verdicts: Sequence[Verdict], *, shares: Mapping[Stratum, float] | None
) -> pa.Table:
    """Return the pool with `score`, `educational_score` and `weight`, from the rows that are kept.

    A success and a rollout that no dataset weighs weigh 1, a failure what it teaches, a dropped row and one in which
    the agent did nothing 0; with `shares`, the weights of a stratum are multiplied so that it has its share.
    """
    selection = context.settings.selection
    kept = np.array([verdict.reason == DecisionReason.KEPT for verdict in verdicts], dtype=bool)
    eligible = pool["is_eligible"].to_numpy().astype(bool) & kept
    position = pool.schema.get_field_index("is_eligible")
    scores = educational_scores(pool.set_column(position, "is_eligible", pa.array(eligible)))
    failures = np.array([kind == OutcomeClass.FAILURE for kind in pool["outcome_class"].to_pylist()], dtype=bool)
    taught = failure_weights(
        scores, min_weight=selection.failures.min_weight, max_weight=selection.failures.max_weight
    )
    acted = pool["agent_acted"].to_numpy().astype(bool)
    weights = np.where(kept & acted, np.where(failures, taught, 1.0), 0.0)
    if shares is not None:
        weighed = pool["is_weighed"].to_numpy().astype(bool) & kept
        strata = [parse_stratum(name) for name in pool["stratum"].to_pylist()]
        sums: dict[Stratum, float] = defaultdict(float)
        for row in np.flatnonzero(weighed).tolist():
            sums[strata[row]] += float(weights[row])
        factors = balance_factors(sums, shares, max_factor=selection.balance.max_factor)
        weights = np.array(
            [
                weight * factors[stratum] if is_weighed else weight
                for weight, stratum, is_weighed in zip(weights.tolist(), strata, weighed.tolist(), strict=True)
            ]
        )
    added = {
        "score": pool["learnability"],
        "educational_score": pa.array(scores, pa.float64(), from_pandas=True),
        "weight": pa.array(weights, pa.float64()),
    }
    bare = pool.drop_columns([name for name in added if name in pool.column_names])
    for name, values in added.items():
        bare = bare.append_column(name, values)
    return bare
