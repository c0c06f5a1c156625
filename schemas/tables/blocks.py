"""One row per text block of a message; equal blocks of different runs share a hash."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "blocks",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("step_id", pa.int32(), nullable=False),
        pa.field("block_hash", pa.string(), nullable=False),
        pa.field("num_chars", pa.int32(), nullable=False),
    ],
)
