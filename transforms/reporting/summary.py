"""The few counts that say what a lake is like: printed at the end of a run and kept in the manifest."""

from collections.abc import Sequence
from typing import Any

from schemas.tables.clusters import METHOD_UNUSABLE
from transforms.lexical.cluster_rows import copy_figures
from transforms.reporting.frames import Frames
from transforms.reporting.judged import OUTCOMES, task_kinds
from transforms.reporting.likeness import background, task_joins

Row = dict[str, Any]


def summarise(frames: Frames) -> dict[str, int | float]:
    """Return outcomes, task groups, how many trajectories repeat another and how alike unlike ones are, by name.

    Args:
        frames: `clusters` with `traj_id`, `task_group`, `outcome_class`, `semantic_group`, `group_size`, `method`;
            `features` with `traj_id`, `actions_hash`, `num_calls`; `task_groups`; `background`.
    """
    joins = task_joins(frames)
    judged = background(frames, limit=None)
    classes = dict(frames["clusters"].group_by("outcome_class").len().iter_rows())
    copies = copy_figures(frames["clusters"].to_arrow(), frames["features"].to_arrow())
    return (
        {f"outcomes/{name}": classes.get(name, 0) for name in OUTCOMES}
        | {f"task groups/{row['kind']}": row["count"] for row in task_kinds(frames)}
        | {"task groups/all": joins["num_groups"], "task keys": joins["num_keys"]}
        | {f"task keys/{row['rule']}": row["count"] for row in joins["rules"]}
        | {f"background cosine/highest {name}": value for name, value in _highest(judged).items()}
        | {
            "in groups of two or more/trajectories": copies.num_grouped,
            "in groups of two or more/groups": copies.num_groups,
            "exact action repeats/trajectories": copies.num_action_repeats,
            "exact action repeats/groups": copies.num_action_groups,
            "without a usable vector/trajectories": int((frames["clusters"]["method"] == METHOD_UNUSABLE).sum()),
        }
    )


def _highest(rows: Sequence[Row]) -> dict[str, float]:
    """Return the highest mean and percentile over the environments that have them."""
    return {
        name: round(max(row[column] for row in rows), 4)
        for name, column in (("mean", "mean_cosine"), ("p99", "p99_cosine"))
        if rows
    }
