"""Stage similar: semantic redundancy among the runs that text leaves.

Reads `clusters`, the members of `copies` and the vectors of `embed`; rewrites `clusters`, ordered by trajectory id,
and `task_groups` where vectors join tasks. `keeper_id` is a row that stays, against which the similarity was verified:
what a dropped representative stood for is decided on by its own vector, and may stay. Rows with one keeper share
`semantic_group`, whose id is inherited from the parent snapshot where the members are. A run whose vector is zero, as
the hashed encoder's is of a text without a word, stays alone under the method `unusable_vector`; those for which a
model gave none are in the quarantine since stage embed.
"""

from pathlib import Path
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from pipelines.stages.embed import VECTORS_FOLDER
from pipelines.stages.parts import WriteParts, read_parts
from pipelines.stages.task_joins import join_tasks_by_vectors
from transforms.similarity.cluster_rows import replaced, row_numbers, with_stars, with_unusable
from transforms.similarity.lineage import inherit_ids
from transforms.similarity.redundancy import MEMBER, STAR_SCHEMA, GroupRedundant, Members, unusable_members
from transforms.store.tables import read_table

READS: Final = ("clusters", "task_groups", "embeddings")
WRITES: Final = ("task_groups", "clusters")

SEMANTIC_KIND: Final = "semantic_group"
"""Kind of semantic groups in `lineage`."""

_SHARD_ROWS = 100_000


def run(context: StageContext) -> None:
    """Find the rollouts that repeat a better one of their cell."""
    clusters = context.read("clusters").sort_by("traj_id")
    if context.settings.task_groups.join_by_vectors:
        clusters = join_tasks_by_vectors(context, clusters)
    members = embedded_members(context, clusters)
    stars = _group(context, members) if context.settings.semantic.enabled else STAR_SCHEMA.empty_table()
    vectors = np.load(_body_path(context), mmap_mode="r")
    clusters = with_unusable(with_stars(clusters, stars), unusable_members(members, vectors))
    groups = dict(zip(clusters["traj_id"].to_pylist(), clusters["semantic_group"].to_pylist(), strict=True))
    published = inherit_ids(groups, parent_groups(context, "semantic_group"), kind=SEMANTIC_KIND)
    ids = pa.array([published[group] for group in groups.values()], pa.string())
    context.write("clusters", replaced(clusters, {"semantic_group": ids}))


def parent_groups(context: StageContext, column: str) -> dict[str, str]:
    """Return trajectory id → group in a column of the parent snapshot's `clusters`; nulls are left out."""
    if context.parent is None:
        return {}
    found: dict[str, str] = {}
    for file in context.parent.tables.get("clusters", ()):
        table = read_table(context.store, file.path, ["traj_id", column])
        table = table.filter(pc.is_valid(table[column]))
        found |= zip(table["traj_id"].to_pylist(), table[column].to_pylist(), strict=True)
    return found


def embedded_members(context: StageContext, clusters: pa.Table) -> Members:
    """Return the members of every cell: the best runs of their texts that `embed` gave vectors.

    Cells and keeper order are those `copies` worked with.

    Args:
        context: The run.
        clusters: The whole table; row i is trajectory i, in the order of the ids.
    """
    copies = np.load(context.work_dir / "copies" / "members.npy")
    embedded = pa.array(np.load(context.work_dir / VECTORS_FOLDER / "ids.npy").tolist(), pa.string())
    vectors = pc.fill_null(pc.index_in(clusters["traj_id"], value_set=embedded), -1).to_numpy()
    is_best = pc.equal(clusters["traj_id"], clusters["exact_group"]).to_numpy()
    rows = np.flatnonzero(is_best & (vectors >= 0))
    members = np.empty(len(rows), dtype=MEMBER)
    members["row"] = rows
    members["cell"] = copies["cell"][rows]
    members["rank"] = copies["rank"][rows]
    members["vector"] = vectors[rows]
    members["repeats"] = row_numbers(clusters, "keeper_id")[rows]
    return members


def _body_path(context: StageContext) -> Path:
    return context.work_dir / VECTORS_FOLDER / "body.npy"


def _group(context: StageContext, members: Members) -> pa.Table:
    folder = context.work_dir / "similar"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "members.npy", members)
    shards = [(start, start + _SHARD_ROWS) for start in range(0, len(members), _SHARD_ROWS)]
    with context.pipeline("similar") as pipeline:
        _ = (
            pipeline
            | "Shards" >> beam.Create(shards)
            | "SpreadShards" >> beam.Reshuffle()
            | "GroupRedundant"
            >> GroupRedundant(
                members_path=folder / "members.npy",
                vectors_path=_body_path(context),
                min_similarity=context.settings.semantic.min_similarity,
                neighbours=context.settings.semantic.neighbours,
                seed=context.seed,
            )
            | "Write" >> WriteParts(folder / "stars", STAR_SCHEMA)
        )
    return read_parts(folder / "stars", STAR_SCHEMA)
