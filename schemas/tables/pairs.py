"""One row per preference pair of the dataset dpo."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "pairs",
    [
        pa.field("row_id", pa.string(), nullable=False),
        pa.field("pair_kind", pa.string(), nullable=False),
        pa.field("chosen_id", pa.string(), nullable=False),
        pa.field("rejected_id", pa.string(), nullable=False),
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("task_group", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("margin", pa.float64(), nullable=False),
        pa.field("chosen_reward", pa.float64(), nullable=False),
        pa.field("rejected_reward", pa.float64(), nullable=False),
        pa.field("num_tokens_chosen", pa.int64(), nullable=False),
        pa.field("num_tokens_rejected", pa.int64(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("copies", pa.int32(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("position_key", pa.string(), nullable=False),
    ],
)
