"""One row per published group or family id and its ancestor in the parent snapshot."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "lineage",
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("old_id", pa.string()),
        pa.field("new_id", pa.string()),
        pa.field("relation", pa.string(), nullable=False),
    ],
)
