"""The trajectories of a snapshot most like one of them, by the vectors the snapshot holds."""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.errors import InputError
from transforms.embedding.cache import ViewVectors, view_vectors
from transforms.similarity.buckets import nearest
from transforms.similarity.rescoring import usable_rows
from transforms.store.files import Store
from transforms.store.manifest import Manifest

View = Literal["body", "fused", "task"]

_ADVICE: Final[dict[View, str]] = {
    "body": "try --view task",
    "task": "try --view body",
    "fused": "neither a body nor the text of a task",
}
_BATCH_ROWS = 16_384
_FACTS = """
    SELECT c.traj_id, c.task_key, c.outcome_class, c.group_size, c.family_label, d.decision, d.reason
    FROM clusters c JOIN decisions d USING (traj_id)
    WHERE c.traj_id IN (SELECT unnest(?))
"""


class Neighbours(NamedTuple):
    """What is near a trajectory.

    Attributes:
        traj_id: The trajectory asked for.
        vector_of: The trajectory whose vector was compared: itself, or the one that it is a copy of.
        rows: The nearest, nearest first, ties by id: similarity (cosine), traj_id, and facts of each.
    """

    traj_id: str
    vector_of: str
    rows: list[dict[str, Any]]


def nearest_trajectories(
    store: Store, manifest: Manifest, connection: duckdb.DuckDBPyConnection, *, traj_id: str, view: View, count: int
) -> Neighbours:
    """Return the representatives of a snapshot nearest to a trajectory by exact cosine.

    Copies share the vector of what they copy and are not listed apart; `group_size` counts them. What has no text to
    compare is near nothing and is not listed.

    Args:
        store: The store.
        manifest: The snapshot.
        connection: Its catalog.
        traj_id: A whole id.
        view: The vectors compared: what was done and said, the task's text, or both.
        count: Neighbours returned at most.

    Raises:
        InputError: The trajectory has no text to compare.
    """
    asked = _representative(connection, traj_id)
    ids, vectors = zip(*_vectors(store, manifest, view), strict=True)
    known = np.concatenate([np.asarray(each.to_pylist(), dtype=object) for each in ids])
    by_id = np.argsort(known)
    known, matrix = known[by_id], np.concatenate(vectors)[by_id]
    place = np.flatnonzero(known == asked)
    if not place.size or not usable_rows(matrix[place]).all():
        raise InputError(f"trajectory {traj_id} has no {view} text to compare; {_ADVICE[view]}")
    order, cosines = nearest(matrix, int(place[0]), count=count)
    cursor = connection.execute(_FACTS, [known[order].tolist()])
    names = [column[0] for column in cursor.description or ()]
    facts = {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}
    rows = [
        {"similarity": round(cosine, 4)} | facts[known[row]]
        for row, cosine in zip(order.tolist(), cosines.tolist(), strict=True)
    ]
    return Neighbours(traj_id, asked, rows)


def _representative(connection: duckdb.DuckDBPyConnection, traj_id: str) -> str:
    """Return the trajectory that was embedded for this one: the keeper of its lexical group."""
    row = connection.execute("SELECT lexical_group, keeper_id FROM clusters WHERE traj_id = ?", [traj_id]).fetchone()
    assert row is not None
    mine = connection.execute("SELECT lexical_group FROM clusters WHERE traj_id = ?", [row[1]]).fetchone()
    return traj_id if mine is None or mine[0] != row[0] else str(row[1])


def _vectors(store: Store, manifest: Manifest, view: View) -> Iterator[ViewVectors]:
    import pyarrow.parquet as pq

    for file in manifest.tables["embeddings"]:
        with store.open_read(file.path) as source:
            for batch in pq.ParquetFile(source).iter_batches(_BATCH_ROWS, columns=["traj_id", "view", "vector"]):
                yield view_vectors(pa.Table.from_batches([batch]), view)
