"""One row per record that could not be used, and what it takes to read it again.

A line is found by `byte_offset` and `byte_length` in the file's plain bytes, a row or an item by `record_key`
(`row:<number from 1>`, `item:<index>`, `key:<name>`), a whole file by its unit. `sha256` is that of the bytes, or of
the parsed record in canonical JSON; a whole file's stands in `inputs`. A record that was read well and that a later
stage (`stage`) could not use has the id of the trajectory it gave.
"""

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
        pa.field("trajectory_id", pa.string()),
    ],
)
