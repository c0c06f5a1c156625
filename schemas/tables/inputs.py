"""One row per source unit and what became of its records."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "inputs",
    [
        pa.field("unit_key", pa.string(), nullable=False),
        pa.field("uri", pa.string(), nullable=False),
        pa.field("sidecars", pa.list_(pa.string())),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),
        pa.field("adapter", pa.string(), nullable=False),
        pa.field("adapter_version", pa.string(), nullable=False),
        pa.field("num_records", pa.int64(), nullable=False),
        pa.field("num_trajectories", pa.int64(), nullable=False),
        pa.field("num_quarantined", pa.int64(), nullable=False),
        pa.field("num_repeats", pa.int64(), nullable=False),
    ],
)
