"""One row per skeleton: its distinct actions, from which families are named."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "profiles",
    [
        pa.field("skeleton_hash", pa.string(), nullable=False),
        pa.field("actions", pa.list_(pa.string()), nullable=False),
    ],
)
