"""One row per trajectory: what the rules see in the way the agent worked."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "behaviours",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("repeat_ratio", pa.float64(), nullable=False),
        pa.field("loop_length", pa.int32(), nullable=False),
        pa.field("ignored_feedback_count", pa.int32(), nullable=False),
        pa.field("invalid_action_ratio", pa.float64(), nullable=False),
        pa.field("error_ratio", pa.float64()),
        pa.field("recovered", pa.bool_(), nullable=False),
        pa.field("first_error_step", pa.int32()),
        pa.field("premature_submit", pa.bool_(), nullable=False),
        pa.field("no_verification", pa.bool_(), nullable=False),
        pa.field("agent_acted", pa.bool_(), nullable=False),
    ],
)
