"""The table `clusters` as far as text decides it, and the figures a report shows of it."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables import SCHEMAS
from schemas.tables.clusters import METHOD_CONTAINMENT, METHOD_EMPTY, METHOD_EXACT, METHOD_LEXICAL, METHOD_NONE


class CopyFigures(NamedTuple):
    """How much of a lake repeats itself.

    Attributes:
        num_grouped: Trajectories in redundant groups of two or more.
        num_groups: Redundant groups of two or more.
        num_action_repeats: Trajectories whose calls equal another's of the same task group and outcome class.
        num_action_groups: Groups of such trajectories.
    """

    num_grouped: int
    num_groups: int
    num_action_repeats: int
    num_action_groups: int


def cluster_table(labels: pa.Table, groupings: pa.Table) -> pa.Table:
    """Return the table `clusters`; a semantic group is the runs that one run stays for.

    Families are unknown.

    Args:
        labels: Columns `traj_id`, `task_key`, `task_group`, `environment`, `outcome_class`, `is_empty`, one row per
            trajectory.
        groupings: Rows of `GROUPING_SCHEMA`, one per row of `labels`, in any order.
    """
    groupings = groupings.sort_by("row")
    rows, exact, lexical, keeper, approach = (
        groupings[name].to_numpy() for name in ("row", "exact_keeper", "lexical_keeper", "keeper", "approach")
    )
    method = np.where(labels["is_empty"].to_numpy(), METHOD_EMPTY, methods_of(groupings))
    ids = labels["traj_id"].combine_chunks()
    known = {name: labels[name] for name in ("traj_id", "task_key", "task_group", "environment", "outcome_class")}
    columns = known | {
        "exact_group": ids.take(pa.array(exact)),
        "lexical_group": ids.take(pa.array(lexical)),
        "semantic_group": ids.take(pa.array(keeper)),
        "approach_group": ids.take(pa.array(approach)),
        "keeper_id": ids.take(pa.array(keeper)),
        "similarity_to_keeper": groupings["similarity"],
        "method": pa.array(method.tolist(), pa.string()),
        "group_size": pa.array(np.bincount(keeper, minlength=len(rows))[keeper], pa.int32()),
    }
    schema = SCHEMAS["clusters"]
    arrays = [columns[field.name] if field.name in columns else pa.nulls(len(rows), field.type) for field in schema]
    return pa.table(arrays, names=schema.names).cast(schema)


def methods_of(groupings: pa.Table) -> NDArray[np.str_]:
    """Return the method by which each row of a table of `GROUPING_SCHEMA` was found to repeat its keeper."""
    rows, exact, lexical, keeper = (
        groupings[name].to_numpy() for name in ("row", "exact_keeper", "lexical_keeper", "keeper")
    )
    method = np.where(lexical == keeper, METHOD_LEXICAL, METHOD_CONTAINMENT)
    method = np.where(exact == keeper, METHOD_EXACT, method)
    return np.asarray(np.where(keeper == rows, METHOD_NONE, method), dtype=np.str_)


def copy_figures(clusters: pa.Table, features: pa.Table) -> CopyFigures:
    """Count redundant groups, and beside them exact repeats of a run's calls.

    Args:
        clusters: Columns `traj_id`, `task_group`, `outcome_class`, `semantic_group`, `group_size`.
        features: Columns `traj_id`, `actions_hash`, `num_calls`; runs without a call repeat nothing.
    """
    grouped = clusters.filter(pc.greater(clusters["group_size"], 1))
    acting = features.filter(pc.greater(features["num_calls"], 0)).select(["traj_id", "actions_hash"])
    cells = clusters.select(["traj_id", "task_group", "outcome_class"]).join(acting, "traj_id", join_type="inner")
    counts = cells.group_by(["task_group", "outcome_class", "actions_hash"]).aggregate([("traj_id", "count")])
    repeats = counts.filter(pc.greater(counts["traj_id_count"], 1))
    return CopyFigures(
        num_grouped=grouped.num_rows,
        num_groups=pc.count_distinct(grouped["semantic_group"]).as_py(),
        num_action_repeats=pc.sum(repeats["traj_id_count"]).as_py() or 0,
        num_action_groups=repeats.num_rows,
    )
