"""How much of the lake repeats itself, and the families of behaviour in what is left."""

from typing import Any, Final

import polars as pl

from transforms.lexical.cluster_rows import copy_figures
from transforms.querying.display import on_one_line
from transforms.reporting.flow import counts
from transforms.reporting.frames import Frames

Row = dict[str, Any]

MAX_LABEL_CHARS: Final = 120
SIZE_BUCKETS: Final = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, None))
"""Smallest and largest group size of each bar; None has no end."""


def group_sizes(frames: Frames) -> list[Row]:
    """Return how many redundancy groups there are of each size, and how many trajectories sit in them."""
    sizes = frames["clusters"].group_by("keeper_id").len("size")["size"]
    rows = []
    for low, high in SIZE_BUCKETS:
        inside = sizes.filter((sizes >= low) & (sizes <= (high or sizes.max() or low)))
        label = f"{low}" if low == high else f"{low}–{high}" if high else f"{low}+"
        rows.append({"size": label, "count": inside.len(), "trajectories": int(inside.sum())})
    while len(rows) > 4 and rows[-1]["count"] == 0:
        rows.pop()
    return rows


def repetition(frames: Frames) -> Row:
    """Return how many trajectories sit in groups of two or more, by which method they joined, and action repeats."""
    clusters = frames["clusters"]
    figures = copy_figures(clusters.to_arrow(), frames["features"].to_arrow())
    joined = clusters.filter(pl.col("keeper_id") != pl.col("traj_id"))
    return {
        "num_trajectories": clusters.height,
        "num_grouped": figures.num_grouped,
        "num_groups": figures.num_groups,
        "num_action_repeats": figures.num_action_repeats,
        "num_action_groups": figures.num_action_groups,
        "methods": counts(joined, "method"),
    }


def families(frames: Frames, *, limit: int) -> list[Row]:
    """Return the largest behaviour families with their label and members by outcome, numbered from 1."""
    members = frames["clusters"].filter(
        pl.col("family_id").is_not_null() & ~pl.col("family_is_noise").fill_null(value=False)
    )
    table = (
        members.group_by("family_id")
        .agg(
            pl.col("family_label").min(),
            pl.len().cast(pl.Int64).alias("count"),
            (pl.col("outcome_class") == "success").sum().cast(pl.Int64).alias("success"),
            (pl.col("outcome_class") == "failure").sum().cast(pl.Int64).alias("failure"),
        )
        .with_columns((pl.col("count") - pl.col("success") - pl.col("failure")).alias("others"))
    )
    rows = table.sort(["count", "family_id"], descending=[True, False]).head(limit).to_dicts()
    return [
        row | {"number": number, "family_label": on_one_line(row["family_label"] or "", max_chars=MAX_LABEL_CHARS)}
        for number, row in enumerate(rows, start=1)
    ]
