"""The tables a report is drawn from, as frames of just the columns it looks at."""

from collections.abc import Mapping
from typing import Final, cast

import polars as pl
import pyarrow as pa

from schemas.tables import SCHEMAS

Frames = Mapping[str, pl.DataFrame]

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "inputs": ("unit_key", "uri", "adapter", "num_records", "num_trajectories", "num_quarantined", "num_repeats"),
    "quarantine": ("reason",),
    "features": ("traj_id", "actions_hash", "num_calls", "secrets_redacted"),
    "clusters": (
        "traj_id", "task_group", "environment", "outcome_class", "keeper_id", "method", "semantic_group",
        "group_size", "family_id", "family_label", "family_is_noise",
    ),
    "task_groups": ("task_key", "task_group", "join_rule"),
    "background": ("environment", "model", "num_task_groups", "num_pairs", "mean_cosine", "p99_cosine"),
    "tasks": ("task_key", "environment", "instruction", "is_seed", "decision", "weight"),
    "task_policies": (
        "task_key", "policy", "num_scored", "num_success", "posterior_a", "posterior_b", "learnability", "attribution",
    ),
    "decisions": ("traj_id", "decision", "reason", "weight"),
    "uses": ("dataset", "row_id", "used", "reason"),
    "pairs": ("row_id", "task_group", "num_tokens_chosen", "num_tokens_rejected"),
    "balance": (
        "stratum", "num_available", "num_selected", "target_share", "selected_share", "weighted_share", "shortfall",
    ),
    "boilerplate": ("environment", "block_hash"),
    "embeddings": ("traj_id", "view", "model", "vector"),
}  # fmt: skip
"""What a report reads: table → columns."""


def to_frames(tables: Mapping[str, pa.Table]) -> dict[str, pl.DataFrame]:
    """Return the tables as frames; a table that is not given is empty."""
    frames = {}
    for name, columns in COLUMNS.items():
        table = tables.get(name, SCHEMAS[name].empty_table()).select(list(columns))
        frames[name] = cast(pl.DataFrame, pl.from_arrow(table))
    return frames
