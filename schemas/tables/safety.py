"""One row per trajectory: commands that overstep the task's scope, severity 0 to 3."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "safety",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("severity", pa.int8(), nullable=False),
        pa.field("flags", pa.list_(pa.string())),
    ],
)
