"""Stage tasks: a pass-rate posterior per task and policy, and what each task is good for.

Writes `tasks`, ordered by task key, seed tasks included, and `task_policies`, ordered by task key and policy.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import apache_beam as beam
import orjson
import pyarrow as pa

from pipelines.stages.context import StageContext
from schemas.reasons import Difficulty, EnvType, TaskDecision
from schemas.settings import Settings
from schemas.settings.ingest import follow_alias
from transforms.judging.failures import is_infrastructure
from transforms.judging.identities import id_task_key, policies
from transforms.judging.near_miss import partial_results, sibling_aucs
from transforms.judging.outcomes import thresholds
from transforms.judging.shards import WriteShards, read_shards
from transforms.judging.verdicts import JudgeTasks, JudgingRules, SlimRollout
from transforms.selecting.seeds import SeedTask
from transforms.selecting.splits import split_of
from transforms.selecting.uses import task_weight
from transforms.store.files import Store

READS: Final = ("trajectories", "clusters")
WRITES: Final = ("tasks", "task_policies")

_COLUMNS: Final = [
    "traj_id",
    "env_type",
    "env_name",
    "model_name",
    "policy_step",
    "agent_name",
    "agent_version",
    "run_id",
    "reward",
    "tests_passed",
    "tests_failed",
    "termination",
    "instruction",
]

_SHARD_ROWS: Final = 10_000


def run(context: StageContext) -> None:
    """Judge every task of the lake and add the tasks of the seed file."""
    trajectories = context.read("trajectories", _COLUMNS).sort_by("traj_id")
    clusters = context.read("clusters", ["traj_id", "task_key", "task_group", "environment", "outcome_class"])
    clusters = clusters.sort_by("traj_id")
    keyed = list(
        zip(
            clusters["task_key"].to_pylist(),
            slim_rollouts(trajectories, clusters, settings=context.settings),
            strict=True,
        )
    )
    judged = _judge(context, keyed)
    facts = task_facts(trajectories, clusters)
    rows = [{**facts[key], **judgement["task"]} for key, judgement in judged.items()]
    seeds = {_seed_key(task, context.settings): task for task in context.seed_tasks}
    context.write("tasks", finish_tasks(rows, seeds, settings=context.settings))
    context.write(
        "task_policies",
        [{"task_key": key, **row} for key, judgement in judged.items() for row in judgement["policies"]],
    )


def slim_rollouts(trajectories: pa.Table, clusters: pa.Table, *, settings: Settings) -> list[SlimRollout]:
    """Return what judging needs of each rollout; both tables have the same rows in the same order."""
    outcome = settings.outcome
    limits = thresholds(trajectories, outcome.success_threshold, by_environment=outcome.by_environment)
    partials = partial_results(trajectories, limits)
    environments = clusters["environment"].to_pylist()
    outcomes = clusters["outcome_class"].to_pylist()
    aucs = sibling_aucs(environments, clusters["task_group"].to_pylist(), outcomes=outcomes, partials=partials)
    least = settings.selection.failures.near_miss_min_auc
    names = policies(trajectories, settings.identity.policy_fields)
    infrastructure = is_infrastructure(trajectories["termination"].to_pylist())
    return [
        SlimRollout(policy, kind, infra, partial, partial if aucs.get(environment, 0.0) >= least else None)
        for policy, kind, infra, partial, environment in zip(
            names, outcomes, infrastructure, partials, environments, strict=True
        )
    ]


def task_facts(trajectories: pa.Table, clusters: pa.Table) -> dict[str, dict[str, Any]]:
    """Return what the rollouts state of each task, from the one with the smallest id that states it."""
    facts: dict[str, dict[str, Any]] = {}
    rows = zip(
        clusters.select(["task_key", "task_group", "environment"]).to_pylist(),
        trajectories["env_type"].to_pylist(),
        trajectories["instruction"].to_pylist(),
        strict=True,
    )
    for row, env_type, instruction in rows:
        known = facts.setdefault(row["task_key"], {**row, "env_type": env_type, "instruction": instruction})
        if known["instruction"] is None:
            known["instruction"] = instruction
    return facts


def finish_tasks(
    rows: Sequence[dict[str, Any]], seeds: Mapping[str, SeedTask], *, settings: Settings
) -> list[dict[str, Any]]:
    """Return the rows of the table `tasks`: those judged, those of the seed file, each with seed, weight and split.

    A task of the seed file that the lake knows is the same task; once the lake's policies master it, it is no seed.
    """
    judged = {row["task_key"]: row for row in rows}
    kinds = {row["environment"]: row["env_type"] for row in rows}
    for key, seed in seeds.items():
        if key not in judged:
            judged[key] = _seed_row(key, seed, kinds=kinds)
        elif judged[key]["decision"] != TaskDecision.MASTERED:
            judged[key] = {**judged[key], "decision": str(TaskDecision.HARD_SEED), "from_file": True}
    return [_finished(judged[key], settings) for key in sorted(judged)]


def _finished(row: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    is_seed = row["decision"] == TaskDecision.HARD_SEED
    split = split_of(row["task_group"], settings.seed, validation_share=settings.selection.validation_share)
    from_file = row.get("from_file", False)
    return {
        **{name: value for name, value in row.items() if name != "from_file"},
        "is_seed": is_seed,
        "seed_reason": ("seed_file" if from_file else row["reason"]) if is_seed else None,
        "weight": task_weight(row["decision"]),
        "split": split,
    }


def _seed_row(key: str, seed: SeedTask, *, kinds: Mapping[str, str]) -> dict[str, Any]:
    known = seed.environment if seed.environment in set(EnvType) else EnvType.OTHER
    return {
        "task_key": key,
        "task_group": key,
        "env_type": kinds.get(seed.environment, str(known)),
        "environment": seed.environment,
        "instruction": seed.prompt,
        "num_rollouts": 0,
        "num_policies": 0,
        "pass_rate": None,
        "difficulty": None,
        "curriculum": str(Difficulty.UNKNOWN),
        "decision": str(TaskDecision.HARD_SEED),
        "reason": "seed_file",
        "from_file": True,
    }


def _seed_key(task: SeedTask, settings: Settings) -> str:
    return id_task_key(follow_alias(task.task_id, settings.identity.task_aliases))


def _judge(context: StageContext, keyed: Sequence[tuple[str, SlimRollout]]) -> dict[str, dict[str, Any]]:
    """Return the judgement of each task, in the order of task keys."""
    judging = context.settings.judging
    rules = JudgingRules(
        prior_strength=judging.prior_strength if judging.prior == "cross_policy" else None,
        hard_max=judging.hard_max_pass_rate,
        easy_min=judging.easy_min_pass_rate,
    )
    scratch = Store(str(context.work_dir))
    # Beam infers the type of every element it creates: as one element a rollout that costs more than all the judging.
    rows = [(key, tuple(rollout)) for key, rollout in keyed]
    shards = [orjson.dumps(rows[start : start + _SHARD_ROWS]) for start in range(0, len(rows), _SHARD_ROWS)]
    with context.pipeline("tasks") as pipeline:
        _ = (
            pipeline
            | "Shards" >> beam.Create(shards)
            | "SpreadShards" >> beam.Reshuffle()
            | "Rollouts" >> beam.FlatMap(_keyed_rollouts)
            | "JudgeTasks" >> JudgeTasks(rules)
            | "WriteShards" >> WriteShards(scratch, "tasks")
        )
    return dict(read_shards(scratch, "tasks"))


def _keyed_rollouts(shard: bytes) -> list[tuple[str, tuple[Any, ...]]]:
    return [(key, tuple(rollout)) for key, rollout in orjson.loads(shard)]
