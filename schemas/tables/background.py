"""One row per environment: how alike the bodies of rollouts of different tasks are; NULL where nothing was drawn."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "background",
    [
        pa.field("environment", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("num_task_groups", pa.int32(), nullable=False),
        pa.field("num_pairs", pa.int32(), nullable=False),
        pa.field("mean_cosine", pa.float64()),
        pa.field("p99_cosine", pa.float64()),
        pa.field("share_similar", pa.float64()),
        pa.field("mean_jaccard", pa.float64()),
    ],
)
