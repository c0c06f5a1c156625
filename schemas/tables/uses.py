"""One row per trajectory or task, dataset and role it was a candidate for."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "uses",
    [
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("traj_id", pa.string()),
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("row_id", pa.string()),
        pa.field("used", pa.bool_(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("copies", pa.int32(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("position_key", pa.string()),
    ],
)
