"""One row per trajectory, computed from the trajectory alone."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "features",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("content_hash", pa.string(), nullable=False),
        pa.field("task_text_hash", pa.string(), nullable=False),
        pa.field("actions_hash", pa.string(), nullable=False),
        pa.field("toolset_hash", pa.string(), nullable=False),
        pa.field("num_calls", pa.int32(), nullable=False),
        pa.field("num_distinct_tools", pa.int32(), nullable=False),
        pa.field("horizon", pa.string(), nullable=False),
        pa.field("verifiable", pa.bool_(), nullable=False),
        pa.field("process_rewards", pa.list_(pa.string())),
        pa.field("secrets_redacted", pa.map_(pa.string(), pa.int32())),
        pa.field("token_count", pa.int64(), nullable=False),
        pa.field("tokenizer", pa.string(), nullable=False),
    ],
)
