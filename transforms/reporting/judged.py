"""How the rollouts came out: outcomes by environment, kinds of task groups, tasks with their posterior."""

from typing import Any, Final

import polars as pl
from scipy.special import betaincinv

from transforms.querying.display import on_one_line
from transforms.reporting.frames import Frames

Row = dict[str, Any]

OUTCOMES: Final = ("success", "failure", "unscored", "invalid")
KINDS: Final = ("mixed", "all_fail", "all_pass", "unscored")
INTERVAL: Final = (0.05, 0.95)
"""Quantiles of the posterior's interval shown for a task."""
MAX_INSTRUCTION_CHARS: Final = 96


def outcomes_by_environment(frames: Frames, *, limit: int) -> list[Row]:
    """Return each environment's rollouts by outcome class and how many of them are kept, largest first.

    Environments after the first `limit` are summed up in one row, named `n others`.
    """
    kept = frames["decisions"].select("traj_id", (pl.col("decision") == "keep").alias("kept"))
    rollouts = frames["clusters"].join(kept, on="traj_id", how="left")
    counted = [(pl.col("outcome_class") == name).sum().alias(name) for name in OUTCOMES]
    table = (
        rollouts.group_by("environment")
        .agg(
            pl.len().alias("total"), pl.col("task_group").n_unique().alias("num_tasks"), *counted, pl.col("kept").sum()
        )
        .sort(["total", "environment"], descending=[True, False])
    )
    rows = table.head(limit).to_dicts()
    rest = table.slice(limit)
    if rest.height:
        sums = rest.select(pl.exclude("environment").sum()).to_dicts()[0]
        rows.append({"environment": f"{rest.height} others"} | sums)
    return [row | {"pass_rate": _ratio(row["success"], row["success"] + row["failure"])} for row in rows]


def task_kinds(frames: Frames) -> list[Row]:
    """Return how many task groups have mixed outcomes, only failures, only successes, or none that is scored."""
    success, failure = (pl.col("outcome_class") == name for name in ("success", "failure"))
    groups = frames["clusters"].group_by("task_group").agg(
        success.sum().alias("wins"), failure.sum().alias("losses"), pl.len().alias("rollouts")
    )  # fmt: skip
    kind = (
        pl.when((pl.col("wins") > 0) & (pl.col("losses") > 0)).then(pl.lit("mixed"))
        .when(pl.col("losses") > 0).then(pl.lit("all_fail"))
        .when(pl.col("wins") > 0).then(pl.lit("all_pass"))
        .otherwise(pl.lit("unscored"))
    )  # fmt: skip
    table = groups.group_by(kind.alias("kind")).agg(pl.len().alias("count"), pl.col("rollouts").sum())
    known = {row["kind"]: row for row in table.to_dicts()}
    return [known.get(name, {"kind": name, "count": 0, "rollouts": 0}) for name in KINDS]


def attributions(frames: Frames) -> list[Row]:
    """Return how many (task, policy) cells are mastered, unstable, lacking or undetermined."""
    grouped = frames["task_policies"].group_by("attribution").len("count")
    return grouped.sort(["count", "attribution"], descending=[True, False]).to_dicts()


def top_tasks(frames: Frames, *, limit: int) -> list[Row]:
    """Return the (task, policy) cells with most to learn from, with the posterior of their pass rate.

    Ordered by learnability, then by scored rollouts, then by name. `low` and `high` bound the central 90 % of the Beta
    posterior, `mean` is its mean.
    """
    ordered = frames["task_policies"].sort(
        ["learnability", "num_scored", "task_key", "policy"], descending=[True, True, False, False]
    )
    tasks = frames["tasks"].select("task_key", "environment", "instruction", pl.col("decision").alias("task_decision"))
    rows = ordered.head(limit).join(tasks, on="task_key", how="left", maintain_order="left").to_dicts()
    return [_judged(row) for row in rows]


def _judged(row: Row) -> Row:
    a, b = row["posterior_a"], row["posterior_b"]
    low, high = (round(float(betaincinv(a, b, quantile)), 3) for quantile in INTERVAL)
    return {
        "task_key": row["task_key"],
        "policy": row["policy"],
        "environment": row["environment"] or "-",
        "instruction": on_one_line(row["instruction"] or "", max_chars=MAX_INSTRUCTION_CHARS),
        "num_scored": row["num_scored"],
        "num_success": row["num_success"],
        "mean": round(a / (a + b), 3),
        "low": low,
        "high": high,
        "attribution": row["attribution"],
        "decision": row["task_decision"] or "-",
    }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
