"""One row per trajectory: the hash of its comparable text, boilerplate left out."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "views",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("num_blocks", pa.int32(), nullable=False),
        pa.field("is_empty", pa.bool_(), nullable=False),
    ],
)
