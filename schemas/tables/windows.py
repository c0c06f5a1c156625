"""One row per embedded text: a window of a body, a whole body (hashed encoder) or a task text."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "windows",
    [
        pa.field("window_hash", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("model_revision", pa.string(), nullable=False),
        pa.field("render_version", pa.string(), nullable=False),
        pa.field("precision", pa.string(), nullable=False),
        pa.field("device_class", pa.string(), nullable=False),
        pa.field("max_tokens", pa.int32(), nullable=False),
        pa.field("vector", pa.list_(pa.float16()), nullable=False),
    ],
)
