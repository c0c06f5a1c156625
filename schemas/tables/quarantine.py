"""One row per record that could not be used; replay re-reads the source by offset and checks the hash."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "quarantine",
    [
        pa.field("unit_key", pa.string(), nullable=False),
        pa.field("record_key", pa.string(), nullable=False),
        pa.field("byte_offset", pa.int64()),
        pa.field("byte_length", pa.int64()),
        pa.field("sha256", pa.string()),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("stage", pa.string(), nullable=False),
        pa.field("message", pa.string(), nullable=False),
        pa.field("excerpt", pa.string()),
    ],
)
