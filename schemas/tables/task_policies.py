"""One row per task key and policy: the Beta posterior of its pass rate and what follows from it."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "task_policies",
    [
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("policy", pa.string(), nullable=False),
        pa.field("num_rollouts", pa.int32(), nullable=False),
        pa.field("num_scored", pa.int32(), nullable=False),
        pa.field("num_success", pa.int32(), nullable=False),
        pa.field("num_infra", pa.int32(), nullable=False),
        pa.field("pass_rate", pa.float64()),
        pa.field("posterior_a", pa.float64(), nullable=False),
        pa.field("posterior_b", pa.float64(), nullable=False),
        pa.field("learnability", pa.float64(), nullable=False),
        pa.field("pass_at_k", pa.map_(pa.string(), pa.float64())),
        pa.field("pass_pow_k", pa.map_(pa.string(), pa.float64())),
        pa.field("difficulty", pa.float64(), nullable=False),
        pa.field("attribution", pa.string(), nullable=False),
        pa.field("rollouts_needed", pa.int32()),
    ],
)
