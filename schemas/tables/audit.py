"""One row per trajectory: signs that the reward was earned in a way it should not be."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "audit",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("flags", pa.list_(pa.string())),
    ],
)
