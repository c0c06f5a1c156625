"""One row per trajectory and view; vectors are L2-normalised.

Of a text the best run of each cell has vectors: the runs that text leaves, and those near-copies and cut runs that
vectors may part from what they repeat. `clusters.exact_group` names whose vectors are those of an exact copy.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "embeddings",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("view", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("model_revision", pa.string(), nullable=False),
        pa.field("render_version", pa.string(), nullable=False),
        pa.field("vector", pa.list_(pa.float16()), nullable=False),
    ],
)
