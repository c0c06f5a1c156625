"""One row per step, sorted by traj_id and step_id: the wide table."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "steps",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("step_id", pa.int32(), nullable=False),
        pa.field("parent_step", pa.int32()),
        pa.field("source", pa.string(), nullable=False),
        pa.field("role_raw", pa.string()),
        pa.field("actor", pa.string()),
        pa.field("timestamp", pa.timestamp("us", tz="UTC")),
        pa.field("message", pa.string()),
        pa.field("message_state", pa.string(), nullable=False),
        pa.field("parts_json", pa.string()),
        pa.field("reasoning", pa.string()),
        pa.field("num_calls", pa.int32(), nullable=False),
        pa.field("tool_name", pa.string()),
        pa.field("command", pa.string()),
        pa.field("obs_text", pa.string()),
        pa.field("obs_bytes", pa.int32()),
        pa.field("is_error", pa.bool_()),
        pa.field("error_kind", pa.string()),
        pa.field("exit_code", pa.int32()),
        pa.field("prompt_tokens", pa.int64()),
        pa.field("completion_tokens", pa.int64()),
        pa.field("cached_tokens", pa.int64()),
        pa.field("cost_usd", pa.float64()),
        pa.field("latency_s", pa.float64()),
        pa.field("step_reward", pa.float64()),
        pa.field("step_reward_components", pa.map_(pa.string(), pa.float64())),
        pa.field("is_copied_context", pa.bool_(), nullable=False),
        pa.field("is_demo", pa.bool_(), nullable=False),
        pa.field("sampled", pa.bool_()),
        pa.field("llm_call_count", pa.int32()),
        pa.field("extra_json", pa.string()),
    ],
)
