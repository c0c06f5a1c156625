"""Stage export: the datasets, as files a trainer loads.

Reads `uses`, `pairs`, `tasks`, `clusters` and facts of `trajectories` and `features`; text is read once per pack, only
of trajectories that stand in a dataset. Writes `exports/<dataset>/<split>-*.parquet` and `exports/README.md`, and the
tables `uses` and `pairs` anew: a row that turns out unusable says why there, and is not written.
"""

from collections import defaultdict
from pathlib import Path
from typing import Final

import apache_beam as beam
import polars as pl
import pyarrow.parquet as pq

from pipelines.stages.context import StageContext
from pipelines.stages.parts import read_parts
from schemas.reasons import UseReason
from schemas.settings.ingest import follow_alias
from schemas.tables import SCHEMAS
from transforms.judging.identities import id_task_key
from transforms.judging.outcomes import outcome_values
from transforms.store.files import Store
from transforms.store.tables import rows_to_table, write_table
from transforms.targets.assembling import AssembleShards, Shard
from transforms.targets.card import make_card
from transforms.targets.catalog import TARGETS
from transforms.targets.planning import (
    Bucket,
    buckets_of,
    file_names,
    number_rows,
    plan_shards,
    plan_table,
    spread_copies,
    with_row_ids,
)
from transforms.targets.rendering import RENDERED_SCHEMA, WANTED_SCHEMA, RenderConversations
from transforms.targets.rows import FACT_COLUMNS, mark_refused, pair_rows, refused_rows, sample_rows, task_rows

READS: Final = ("trajectories", "features", "clusters", "tasks", "uses", "pairs")
WRITES: Final = ("uses", "pairs")


def run(context: StageContext) -> None:
    """Write the datasets of this run."""
    folder = context.work_dir / "export"
    uses = with_row_ids(pl.DataFrame(context.read("uses")), seed=context.seed)
    plans = _plan(context, uses)
    _want(context, plans, folder=folder)
    context.progress.total(len(context.packs), "packs")
    with context.pipeline("render conversations") as pipeline:
        packs = pipeline | "Packs" >> beam.Create(context.packs)
        _ = packs | "Render" >> RenderConversations(context.store, folder, context.progress.file)
    rendered = pl.DataFrame(read_parts(folder / "rendered", RENDERED_SCHEMA))
    buckets = _drop_refused(context, uses, plans=plans, rendered=rendered)
    _assemble(context, buckets, folder=folder)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for bucket in buckets:
        counts[bucket.dataset][bucket.split] += len(bucket.rows)
    context.store.write_atomic(
        context.export_path("README.md"), make_card(counts, edition=context.snapshot_id).encode()
    )


def _plan(context: StageContext, uses: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the planned rows of every dataset asked for, copies spread and assigned to shards."""
    facts = _facts(context)
    settings = context.settings.export
    aliases = context.settings.identity.task_aliases
    seeds = {id_task_key(follow_alias(seed.task_id, aliases)): seed for seed in context.seed_tasks}
    plans: dict[str, pl.DataFrame] = {}
    for dataset in sorted(settings.targets):
        if dataset == "dpo":
            rows = pair_rows(pl.DataFrame(context.read("pairs")), facts)
        elif dataset == "rl":
            tasks = pl.DataFrame(context.read("tasks"))
            rows = task_rows(uses, facts, tasks=tasks, seeds=seeds, data_source=settings.rl_data_source)
        else:
            rows = sample_rows(uses, facts, dataset=dataset)
        plans[dataset] = plan_shards(TARGETS[dataset], spread_copies(rows), shard_bytes=settings.shard_mb * 2**20)
    return plans


def _facts(context: StageContext) -> pl.DataFrame:
    columns = ["traj_id", "task_id", "reward", "reward_components", "num_agent_steps"]
    trajectories = context.read("trajectories", columns)
    rewards = outcome_values(trajectories, context.settings.outcome.component)
    clusters = context.read("clusters", ["traj_id", "task_key", "environment", "outcome_class"])
    tokens = context.read("features", ["traj_id", "token_count"])
    return (
        pl.DataFrame(trajectories.drop_columns(["reward", "reward_components"]))
        .with_columns(pl.Series("reward", rewards, pl.Float64))
        .join(pl.DataFrame(clusters), on="traj_id", how="left")
        .join(pl.DataFrame(tokens), on="traj_id", how="left")
        .with_columns(pl.coalesce("task_id", "task_key").alias("task_id"))
        .select(FACT_COLUMNS)
        .sort("traj_id")
    )


def _want(context: StageContext, plans: dict[str, pl.DataFrame], *, folder: Path) -> None:
    """Write, per pack, which of its trajectories are wanted for which bucket."""
    wanted: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for dataset, rows in plans.items():
        for side in TARGETS[dataset].sides:
            for traj_id, bucket in rows.select(side, "bucket").drop_nulls().iter_rows():
                wanted[traj_id].add((dataset, bucket))
    for pack in context.packs:
        owned = [traj_id for traj_id in context.owned_ids.get(pack.pack_id, []) if traj_id in wanted]
        wishes = [
            {"traj_id": traj_id, "dataset": dataset, "bucket": bucket}
            for traj_id in owned
            for dataset, bucket in sorted(wanted[traj_id])
        ]
        if wishes:
            table = rows_to_table(wishes, WANTED_SCHEMA)
            write_table(Store(str(folder)), f"wanted/{pack.pack_id}.parquet", table)


def _drop_refused(
    context: StageContext, uses: pl.DataFrame, *, plans: dict[str, pl.DataFrame], rendered: pl.DataFrame
) -> list[Bucket]:
    """Rewrite `uses` and `pairs` without the rows that cannot be written; return the buckets of the others."""
    refused: dict[tuple[str, str], UseReason] = {}
    buckets = []
    for dataset, rows in plans.items():
        target = TARGETS[dataset]
        lost = refused_rows(rows, rendered, dataset=dataset, sides=target.sides)
        refused |= {(dataset, row_id): reason for row_id, reason in lost.items()}
        left = rows.filter(~pl.col("id").is_in(list(lost)))
        buckets += list(buckets_of(target, number_rows(left)))
    pairs = pl.DataFrame(context.read("pairs"))
    lost_pairs = [row_id for dataset, row_id in refused if dataset == "dpo"]
    context.write("pairs", pairs.filter(~pl.col("row_id").is_in(lost_pairs)).to_arrow())
    context.write("uses", mark_refused(uses, refused).select(SCHEMAS["uses"].names).to_arrow())
    return buckets


def _assemble(context: StageContext, buckets: list[Bucket], *, folder: Path) -> None:
    shards = []
    for bucket, name in zip(buckets, file_names(buckets, edition=context.snapshot_id), strict=True):
        (folder / "plan").mkdir(parents=True, exist_ok=True)
        pq.write_table(plan_table(TARGETS[bucket.dataset], bucket.rows), folder / "plan" / f"{bucket.name}.parquet")
        shards.append(Shard(bucket.dataset, bucket.name, context.export_path(name)))
    context.progress.total(len(context.packs) + len(shards), "packs and shards")
    if shards:
        with context.pipeline("assemble shards") as pipeline:
            planned = pipeline | "Shards" >> beam.Create(shards)
            _ = planned | "Assemble" >> AssembleShards(context.store, folder, context.progress.file)
