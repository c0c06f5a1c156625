"""The table `embeddings`: the vectors of task and body of what was embedded, and both of them in one."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables import SCHEMAS
from schemas.versions import RENDER_VERSION
from transforms.embedding.cache import vector_column
from transforms.embedding.choice import EncoderChoice
from transforms.similarity.rescoring import unit_rows


def fuse(task: NDArray[np.float16], body: NDArray[np.float16], *, task_weight: float) -> NDArray[np.float16]:
    """Return the vectors of task and body beside each other, of length 1; zeros where both are zero.

    Args:
        task: Shape (rows, dimensions).
        body: Shape (rows, dimensions).
        task_weight: Share of the task in the squared length.
    """
    parts = [np.sqrt(task_weight) * unit_rows(task), np.sqrt(1 - task_weight) * unit_rows(body)]
    return unit_rows(np.hstack(parts)).astype(np.float16)


def embedding_table(
    ids: Sequence[str],
    choice: EncoderChoice,
    *,
    task: NDArray[np.float16],
    body: NDArray[np.float16],
    fused: NDArray[np.float16],
) -> pa.Table:
    """Return the table `embeddings`, ordered by id and view."""
    schema = SCHEMAS["embeddings"]
    parts = []
    for view, matrix in (("body", body), ("fused", fused), ("task", task)):
        columns = {
            "traj_id": pa.array(ids, pa.string()),
            "view": pa.repeat(pa.scalar(view), len(ids)),
            "model": pa.repeat(pa.scalar(choice.identity.name), len(ids)),
            "model_revision": pa.repeat(pa.scalar(choice.identity.revision), len(ids)),
            "render_version": pa.repeat(pa.scalar(RENDER_VERSION), len(ids)),
            "vector": vector_column(matrix),
        }
        parts.append(pa.table([columns[name].cast(schema.field(name).type) for name in schema.names], schema.names))
    whole = pa.concat_tables(parts)
    return whole.take(pc.sort_indices(whole, sort_keys=[("traj_id", "ascending"), ("view", "ascending")]))
