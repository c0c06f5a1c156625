"""Task groups that vectors join, at the start of `similar`, with the copy rule applied again inside them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.stages.context import StageContext
from pipelines.stages.copies import cells_of, group_copies
from pipelines.stages.task_groups import TEXTS_FILE, write_task_groups
from transforms.embedding.cache import view_vectors
from transforms.lexical.copies import Members
from transforms.lexical.task_texts import TaskText
from transforms.similarity.cluster_rows import replaced
from transforms.similarity.task_joins import join_rules, join_task_vectors, with_copies


def join_tasks_by_vectors(context: StageContext, clusters: pa.Table) -> pa.Table:
    """Return `clusters` with more tasks joined, and rewrite `task_groups` and the cells of the members of `copies`.

    Args:
        context: The run.
        clusters: The whole table, ordered by id.
    """
    known = context.read("task_groups")
    before = dict(zip(known["task_key"].to_pylist(), known["task_group"].to_pylist(), strict=True))
    rules = dict(zip(known["task_key"].to_pylist(), known["join_rule"].to_pylist(), strict=True))
    if not before:
        return clusters
    tasks, vectors = _tasks(context, clusters)
    after = join_task_vectors(
        tasks, vectors, groups=before, min_similarity=context.settings.task_groups.vector_min_similarity
    )
    if after == before:
        return clusters
    write_task_groups(context, after, join_rules(before, after, rules))
    old_groups = clusters["task_group"]
    groups = pa.array([after[key] for key in clusters["task_key"].to_pylist()], pa.string())
    clusters = replaced(clusters, {"task_group": groups})
    path = context.work_dir / "copies" / "members.npy"
    members = np.load(path)
    members["cell"] = cells_of(context, clusters)
    np.save(path, members)
    return with_copies(clusters, group_copies(context, _to_group_again(members, old_groups), name="joined"))


def _tasks(context: StageContext, clusters: pa.Table) -> tuple[list[TaskText], NDArray[np.float16]]:
    """Return the tasks that have a vector, ordered by key, and the vector of each: that of its smallest id."""
    texts = {row["task_key"]: TaskText(**row) for row in pq.read_table(context.work_dir / TEXTS_FILE).to_pylist()}
    embedded = view_vectors(context.read("embeddings", ["traj_id", "view", "vector"]), "task")
    keys = dict(zip(clusters["traj_id"].to_pylist(), clusters["task_key"].to_pylist(), strict=True))
    row_of: dict[str, int] = {}
    for row, traj_id in enumerate(embedded.ids.to_pylist()):
        row_of.setdefault(keys[traj_id], row)
    found = sorted(row_of)
    return [texts[key] for key in found], embedded.matrix[[row_of[key] for key in found]]


def _to_group_again(members: Members, old_groups: pa.ChunkedArray) -> Members:
    """Return the members of the cells that were several."""
    pairs = np.unique(
        np.stack([members["cell"], old_groups.combine_chunks().dictionary_encode().indices.to_numpy()]), axis=1
    )
    cells, counts = np.unique(pairs[0], return_counts=True)
    return members[np.isin(members["cell"], cells[counts > 1])]
