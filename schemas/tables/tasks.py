"""One row per task key, seed tasks included."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "tasks",
    [
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("task_group", pa.string(), nullable=False),
        pa.field("env_type", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("instruction", pa.string()),
        pa.field("num_rollouts", pa.int32(), nullable=False),
        pa.field("num_policies", pa.int32(), nullable=False),
        pa.field("pass_rate", pa.float64()),
        pa.field("difficulty", pa.float64()),
        pa.field("is_seed", pa.bool_(), nullable=False),
        pa.field("seed_reason", pa.string()),
        pa.field("decision", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("curriculum", pa.string()),
    ],
)
