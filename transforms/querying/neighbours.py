"""The trajectories of a snapshot most like one of them, by the vectors the snapshot holds."""

from collections.abc import Collection, Iterator
from typing import Any, Final, Literal, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.errors import InputError
from schemas.tables.clusters import METHOD_CONTAINMENT, METHOD_LEXICAL
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
_LISTED = f"SELECT traj_id FROM clusters WHERE method NOT IN ('{METHOD_LEXICAL}', '{METHOD_CONTAINMENT}')"
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
    """Return the trajectories of a snapshot nearest to one by exact cosine.

    What text found to repeat another is not listed apart: `group_size` counts it. What has no text to compare is near
    nothing and is not listed.

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
    ids, vectors = zip(*_vectors(store, manifest, view), strict=True)
    known = np.concatenate([np.asarray(each.to_pylist(), dtype=object) for each in ids])
    asked = _vector_of(connection, traj_id, known=set(known.tolist()))
    listed = [each for (each,) in connection.execute(_LISTED).fetchall()]
    rows = np.flatnonzero(np.isin(known, [*listed, asked]))
    rows = rows[np.argsort(known[rows])]
    known, matrix = known[rows], np.concatenate(vectors)[rows]
    place = np.flatnonzero(known == asked)
    if not place.size or not usable_rows(matrix[place]).all():
        raise InputError(f"trajectory {traj_id} has no {view} text to compare; {_ADVICE[view]}")
    order, cosines = nearest(matrix, int(place[0]), count=count)
    cursor = connection.execute(_FACTS, [known[order].tolist()])
    names = [column[0] for column in cursor.description or ()]
    facts = {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}
    found = [
        {"similarity": round(cosine, 4)} | facts[known[row]]
        for row, cosine in zip(order.tolist(), cosines.tolist(), strict=True)
    ]
    return Neighbours(traj_id, asked, found)


def _vector_of(connection: duckdb.DuckDBPyConnection, traj_id: str, *, known: Collection[str]) -> str:
    """Return the trajectory whose vector stands for this one's: itself, the first of its text, or its keeper."""
    row = connection.execute("SELECT exact_group, keeper_id FROM clusters WHERE traj_id = ?", [traj_id]).fetchone()
    assert row is not None
    return next((each for each in (traj_id, *row) if each in known), traj_id)


def _vectors(store: Store, manifest: Manifest, view: View) -> Iterator[ViewVectors]:
    import pyarrow.parquet as pq

    for file in manifest.tables["embeddings"]:
        with store.open_read(file.path) as source:
            for batch in pq.ParquetFile(source).iter_batches(_BATCH_ROWS, columns=["traj_id", "view", "vector"]):
                yield view_vectors(pa.Table.from_batches([batch]), view)
