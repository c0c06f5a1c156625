"""Stage copies: task groups, outcome classes, and exact copies, lexical copies, cut runs and approaches inside them.

Reads slim tables, and of the packs the task statements; writes `task_groups`, and `clusters`, ordered by trajectory
id, with the columns text decides: a semantic group is the runs that one run stays for, families are unknown. The id of
a group is its keeper's.
"""

from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from pipelines.stages.parts import WriteParts, read_parts
from pipelines.stages.task_groups import group_tasks
from transforms.formats.endings import TRUNCATING
from transforms.judging.identities import environments, task_keys
from transforms.judging.outcomes import outcome_classes, outcome_values
from transforms.lexical.cluster_rows import cluster_table
from transforms.lexical.copies import GROUPING_SCHEMA, MEMBER, CopyRules, GroupCopies, Members, save_views
from transforms.selecting.keepers import is_verified, keeper_ranks
from transforms.store.tables import rows_of

READS: Final = ("trajectories", "behaviours", "audit", "features", "boilerplate", "views", "signatures")
WRITES: Final = ("task_groups", "clusters")

_TRAJECTORY_COLUMNS = (
    "traj_id",
    "task_id",
    "task_hash",
    "env_type",
    "env_name",
    "repo",
    "base_commit",
    "reward",
    "reward_components",
    "tests_passed",
    "tests_failed",
    "scored",
    "reward_valid",
    "termination",
    "num_agent_steps",
)
_SHARD_ROWS = 100_000


def run(context: StageContext) -> None:
    """Name each trajectory's cell, and find its copies there."""
    trajectories = context.read("trajectories", _TRAJECTORY_COLUMNS)
    labels = _labels(context, trajectories)
    members = _members(context, trajectories, labels=labels)
    groupings = group_copies(context, members, name="members")
    context.write("clusters", cluster_table(labels, groupings))


def _labels(context: StageContext, trajectories: pa.Table) -> pa.Table:
    """Return what `cluster_table` needs of each trajectory, in the order of the ids."""
    keys = task_keys(trajectories, context.settings.identity.task_aliases)
    groups = group_tasks(context, trajectories, keys=keys)
    outcome = context.settings.outcome
    classes = outcome_classes(
        trajectories,
        context.read("behaviours", ["traj_id", "agent_acted"]),
        success_threshold=outcome.success_threshold,
        by_environment=outcome.by_environment,
        component=outcome.component,
    )
    views = context.read("views", ["traj_id", "is_empty"])
    return pa.table(
        {
            "traj_id": trajectories["traj_id"],
            "task_key": pa.array(keys, pa.string()),
            "task_group": pa.array([groups[key] for key in keys], pa.string()),
            "environment": pa.array(environments(trajectories), pa.string()),
            "outcome_class": pa.array([str(outcome_class) for outcome_class in classes], pa.string()),
            "is_empty": rows_of(views, "traj_id", trajectories["traj_id"])["is_empty"],
        }
    )


def _members(context: StageContext, trajectories: pa.Table, *, labels: pa.Table) -> Members:
    """Write the signatures to the work folder, and return the member of each trajectory."""
    columns = ["view_hash", "body_hash", "skeleton_hash", "minhash", "bottom", "num_shingles", "words"]
    signatures = context.read("signatures", columns)
    folder = context.work_dir / "copies"
    folder.mkdir(parents=True, exist_ok=True)
    save_views(folder, signatures)
    views = rows_of(context.read("views", ["traj_id", "view_hash"]), "traj_id", trajectories["traj_id"])
    places = pc.index_in(views["view_hash"], value_set=signatures["view_hash"].combine_chunks()).to_numpy()
    texts = codes(signatures["body_hash"], signatures["skeleton_hash"])[places]
    members = np.empty(trajectories.num_rows, dtype=MEMBER)
    members["row"] = np.arange(trajectories.num_rows)
    members["cell"] = cells_of(context, labels)
    members["rank"] = keeper_ranks(_keeper_columns(context, trajectories), context.settings.selection.keeper_order)
    members["text"] = np.where(labels["is_empty"].to_numpy(), -1, texts)
    members["signature"] = places
    features = rows_of(
        context.read("features", ["traj_id", "actions_hash", "num_calls"]), "traj_id", trajectories["traj_id"]
    )
    has_calls = pc.greater(features["num_calls"], 0).to_numpy()
    members["actions"] = np.where(has_calls, codes(features["actions_hash"]), -1)
    members["num_steps"] = num_steps = pc.fill_null(trajectories["num_agent_steps"], 0).to_numpy()
    # An agent that is done says so in a step of its own; where every step calls a tool, the last result has no answer.
    is_truncated = pc.is_in(trajectories["termination"], value_set=pa.array([str(each) for each in TRUNCATING]))
    members["is_open"] = is_truncated.to_numpy() | (features["num_calls"].to_numpy() >= num_steps)
    return members


def cells_of(context: StageContext, rows: pa.Table) -> np.ndarray:
    """Return the number of each row's cell: its task group, outcome class, and whether the agent did anything at all.

    A rollout in which it did nothing is text of others: it may repeat another of its kind, and is no keeper of one in
    which the agent acted.

    Args:
        context: The run.
        rows: Columns `traj_id`, `task_group`, `outcome_class`.
    """
    behaviours = rows_of(context.read("behaviours", ["traj_id", "agent_acted"]), "traj_id", rows["traj_id"])
    acted = pc.cast(behaviours["agent_acted"], pa.int8())
    return codes(rows["task_group"], rows["outcome_class"], acted)


def _keeper_columns(context: StageContext, trajectories: pa.Table) -> pa.Table:
    audit = rows_of(context.read("audit", ["traj_id", "flags"]), "traj_id", trajectories["traj_id"])
    features = rows_of(context.read("features", ["traj_id", "token_count"]), "traj_id", trajectories["traj_id"])
    rewards = outcome_values(trajectories, context.settings.outcome.component)
    return (
        trajectories.select(["traj_id", "num_agent_steps"])
        .append_column("reward", pa.array(rewards, pa.float64()))
        .append_column("has_audit_flag", pc.greater(pc.fill_null(pc.list_value_length(audit["flags"]), 0), 0))
        .append_column("token_count", features["token_count"])
        .append_column("is_verified", is_verified(trajectories))
    )


def group_copies(context: StageContext, members: Members, *, name: str) -> pa.Table:
    """Find the copies among members, each cell by itself; `name` names the work files.

    Returns:
        A table of `GROUPING_SCHEMA`, each member once.
    """
    lexical = context.settings.lexical
    folder = context.work_dir / "copies"
    np.save(folder / f"{name}.npy", members)
    shards = [(start, start + _SHARD_ROWS) for start in range(0, len(members), _SHARD_ROWS)]
    with context.pipeline("copies") as pipeline:
        _ = (
            pipeline
            | "Shards" >> beam.Create(shards)
            | "SpreadShards" >> beam.Reshuffle()
            | "GroupCopies"
            >> GroupCopies(
                members_path=folder / f"{name}.npy",
                views_dir=folder,
                rules=CopyRules(
                    min_similarity=lexical.min_similarity,
                    containment_min_share=lexical.containment_min_share if lexical.containment else None,
                    approach_min_similarity=lexical.approach_min_similarity,
                ),
            )
            | "Write" >> WriteParts(folder / f"{name}-groupings", GROUPING_SCHEMA)
        )
    return read_parts(folder / f"{name}-groupings", GROUPING_SCHEMA)


def codes(*columns: pa.ChunkedArray) -> np.ndarray:
    """Return a number per row, equal where all columns are equal, in the order of the values."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values = column.combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(values.dictionary)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order.to_numpy()] = np.arange(len(order))
        pairs = code * len(rank) + rank[values.indices.to_numpy()]
        code = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return code
