"""One row per environment and block that a large share of its tasks carries."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "boilerplate",
    [
        pa.field("environment", pa.string(), nullable=False),
        pa.field("block_hash", pa.string(), nullable=False),
        pa.field("num_tasks", pa.int32(), nullable=False),
        pa.field("share", pa.float64(), nullable=False),
    ],
)
