"""The planned rows of each dataset, from slim tables: everything of a row but its text."""

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from schemas.reasons import OutcomeClass, UseReason
from transforms.selecting.seeds import SeedTask

FACT_COLUMNS: Final = (
    "traj_id",
    "task_id",
    "task_key",
    "environment",
    "outcome_class",
    "reward",
    "num_agent_steps",
    "token_count",
)
"""Columns of `facts`, one row per trajectory, ordered by traj_id. `task_id` is the task key where a rollout names no
task; `reward` is the outcome component."""


def pair_rows(pairs: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of dpo: the table `pairs`, each with its task's id and the tokens of both sides."""
    task_ids = facts.select(pl.col("traj_id").alias("chosen_id"), "task_id")
    return pairs.join(task_ids, on="chosen_id", how="left", maintain_order="left").with_columns(
        pl.col("row_id").alias("id"),
        (pl.col("num_tokens_chosen") + pl.col("num_tokens_rejected")).alias("tokens"),
    )


def sample_rows(uses: pl.DataFrame, facts: pl.DataFrame, *, dataset: str) -> pl.DataFrame:
    """Return the rows of kto or sft: the trajectories used there, with their facts."""
    used = uses.filter((pl.col("dataset") == dataset) & pl.col("used") & (pl.col("copies") > 0)).drop("task_key")
    return used.join(facts, on="traj_id", how="left", maintain_order="left").with_columns(
        pl.col("row_id").alias("id"),
        (pl.col("outcome_class") == OutcomeClass.SUCCESS).alias("label"),
        pl.col("token_count").alias("num_tokens"),
        pl.col("token_count").alias("tokens"),
    )


def task_rows(
    uses: pl.DataFrame,
    facts: pl.DataFrame,
    *,
    tasks: pl.DataFrame,
    seeds: Mapping[str, SeedTask],
    data_source: str | None,
) -> pl.DataFrame:
    """Return the rows of rl: the tasks used there, each with where its prompt comes from.

    That is the seed file where it names the task, else the trajectory the use names, else the task's first trajectory
    in which the agent acted.

    Args:
        uses: The table `uses` with row ids.
        facts: Columns of `FACT_COLUMNS`.
        tasks: The table `tasks`.
        seeds: Seed tasks by task key.
        data_source: Name for all rows; None takes each task's environment.
    """
    is_row = (pl.col("dataset") == "rl") & (pl.col("role") == "prompt") & pl.col("used") & (pl.col("copies") > 0)
    acted = facts.filter(pl.col("num_agent_steps") > 0).group_by("task_key", maintain_order=True)
    first = acted.agg(pl.col("traj_id").first().alias("first_id"), pl.col("task_id").first())
    sizes = facts.select("traj_id", "token_count")
    known = tasks.select("task_key", "environment", "env_type", "is_seed", "pass_rate")
    rows = uses.filter(is_row).join(known, on="task_key", how="left", maintain_order="left")
    rows = rows.join(first, on="task_key", how="left", maintain_order="left")
    keys = rows["task_key"].to_list()
    named = [seeds.get(key) for key in keys]
    rows = rows.with_columns(
        pl.Series("seed_prompt", [seed and seed.prompt for seed in named], pl.String),
        pl.Series("verifier_json", [seed and seed.verifier_json for seed in named], pl.String),
        pl.Series("seed_id", [seed and seed.task_id for seed in named], pl.String),
    ).with_columns(
        pl.when(pl.col("seed_prompt").is_null()).then(pl.coalesce("traj_id", "first_id")).alias("traj_id"),
        pl.coalesce("seed_id", "task_id", "task_key").alias("task_id"),
        pl.col("row_id").alias("id"),
        pl.lit(data_source, pl.String).fill_null(pl.col("environment")).alias("data_source"),
        pl.col("env_type").alias("ability"),
    )
    return rows.join(sizes, on="traj_id", how="left", maintain_order="left").with_columns(
        pl.col("token_count").fill_null(pl.col("seed_prompt").str.len_bytes() // 4).fill_null(0).alias("tokens")
    )


def refused_rows(
    rows: pl.DataFrame, rendered: pl.DataFrame, *, dataset: str, sides: Sequence[str]
) -> dict[str, UseReason]:
    """Return the rows that cannot be written, by row id, with the reason.

    A row falls with any of its trajectories; a pair also when its rendered completions are equal; a task when it has
    neither a rollout nor a prompt of its own.

    Args:
        rows: Planned rows of a dataset.
        rendered: Columns of `rendering.RENDERED_SCHEMA`.
        dataset: Name of the dataset.
        sides: Columns of `rows` that name trajectories.
    """
    mine = rendered.filter(pl.col("dataset") == dataset)
    reasons = dict(zip(mine["traj_id"].to_list(), mine["reason"].to_list(), strict=True))
    hashes = dict(zip(mine["traj_id"].to_list(), mine["completion_hash"].to_list(), strict=True))
    refused = {}
    for row in rows.iter_rows(named=True):
        members = [row[side] for side in sides if row[side] is not None]
        reason = next((reasons[member] for member in members if reasons[member] is not None), None)
        if reason is not None:
            refused[row["id"]] = UseReason(reason)
        elif not members and row.get("seed_prompt") is None:
            refused[row["id"]] = UseReason.UNUSABLE_CONVERSATION
        elif len(members) > 1 and len({hashes[member] for member in members}) == 1:
            refused[row["id"]] = UseReason.IDENTICAL_SIDES
    return refused


def mark_refused(uses: pl.DataFrame, refused: Mapping[tuple[str, str], UseReason]) -> pl.DataFrame:
    """Return the table `uses` in which refused rows, by (dataset, row id), are not used and say why."""
    if not refused:
        return uses
    marks = pl.DataFrame(
        [(dataset, row_id, str(reason)) for (dataset, row_id), reason in sorted(refused.items())],
        schema={"dataset": pl.String, "row_id": pl.String, "refusal": pl.String},
        orient="row",
    )
    joined = uses.join(marks, on=["dataset", "row_id"], how="left", maintain_order="left")
    is_refused = pl.col("refusal").is_not_null()
    return joined.with_columns(
        pl.when(is_refused).then(False).otherwise(pl.col("used")).alias("used"),
        pl.coalesce("refusal", "reason").alias("reason"),
        pl.when(is_refused).then(0).otherwise(pl.col("copies")).cast(pl.Int32).alias("copies"),
        pl.when(is_refused).then(None).otherwise(pl.col("row_id")).alias("row_id"),
        pl.when(is_refused).then(None).otherwise(pl.col("position_key")).alias("position_key"),
    ).drop("refusal")
