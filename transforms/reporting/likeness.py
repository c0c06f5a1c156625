"""How tasks were joined, and how alike rollouts of different tasks are."""

from typing import Any, Final

import polars as pl

from transforms.reporting.frames import Frames

Row = dict[str, Any]

JOIN_RULES: Final = ("id", "text_hash", "alias", "near_text", "vector")


def task_joins(frames: Frames) -> Row:
    """Return the number of task keys and groups, and the keys by the rule that put them in their group."""
    table = frames["task_groups"]
    counts = dict(table.group_by("join_rule").len().iter_rows())
    return {
        "num_keys": table.height,
        "num_groups": table["task_group"].n_unique(),
        "rules": [{"rule": rule, "count": counts.get(rule, 0)} for rule in JOIN_RULES],
    }


def background(frames: Frames, *, limit: int | None) -> list[Row]:
    """Return the environments with a background similarity, the highest first, `limit` of them at most."""
    table = frames["background"].filter(pl.col("mean_cosine").is_not_null())
    table = table.sort(["mean_cosine", "environment"], descending=[True, False])
    return (table if limit is None else table.head(limit)).to_dicts()
