"""One row per comparable text: its MinHash signature (128 slots, zeros for an empty text)."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "signatures",
    [
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("body_hash", pa.string(), nullable=False),
        pa.field("skeleton_hash", pa.string(), nullable=False),
        pa.field("minhash", pa.list_(pa.uint32(), 128), nullable=False),
        pa.field("num_shingles", pa.int32(), nullable=False),
        pa.field("scheme", pa.string(), nullable=False),
    ],
)
