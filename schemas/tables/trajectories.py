"""One row per rollout: identity, provenance, environment, agent, outcome, size and cost."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "trajectories",
    [
        # identity
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("native_id", pa.string()),
        pa.field("schema_version", pa.string(), nullable=False),
        pa.field("task_id", pa.string()),
        pa.field("task_source", pa.string()),
        pa.field("task_hash", pa.string(), nullable=False),
        pa.field("group_id", pa.string()),
        pa.field("rollout_index", pa.int32()),
        pa.field("run_id", pa.string()),
        pa.field("policy_step", pa.int64()),
        pa.field("parent_traj_id", pa.string()),
        pa.field("branch_index", pa.int32()),
        pa.field("session_id", pa.string()),
        # provenance
        pa.field("source_format", pa.string(), nullable=False),
        pa.field("unit_key", pa.string(), nullable=False),
        pa.field("record_key", pa.string(), nullable=False),
        pa.field("record_offset", pa.int64()),
        pa.field("adapter", pa.string(), nullable=False),
        pa.field("adapter_version", pa.string(), nullable=False),
        pa.field("lost_fields", pa.list_(pa.string())),
        pa.field("parse_warnings", pa.list_(pa.string())),
        pa.field("license", pa.string()),
        # environment
        pa.field("env_type", pa.string(), nullable=False),
        pa.field("env_name", pa.string()),
        pa.field("repo", pa.string()),
        pa.field("base_commit", pa.string()),
        pa.field("language", pa.string()),
        pa.field("image", pa.string()),
        pa.field("task_checksum", pa.string()),
        # agent
        pa.field("agent_name", pa.string()),
        pa.field("agent_version", pa.string()),
        pa.field("model_name", pa.string()),
        pa.field("model_provider", pa.string()),
        pa.field("sampling_json", pa.string()),
        pa.field("trainable", pa.bool_()),
        # outcome
        pa.field("reward", pa.float64()),
        pa.field("reward_raw", pa.string()),
        pa.field("reward_name", pa.string()),
        pa.field("success", pa.bool_()),
        pa.field("reward_components", pa.map_(pa.string(), pa.float64())),
        pa.field("tests_passed", pa.int32()),
        pa.field("tests_failed", pa.int32()),
        pa.field("scored", pa.bool_(), nullable=False),
        pa.field("reward_valid", pa.bool_(), nullable=False),
        pa.field("termination", pa.string(), nullable=False),
        pa.field("termination_raw", pa.string()),
        pa.field("truncated", pa.bool_()),
        pa.field("error_type", pa.string()),
        pa.field("error_message", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("submission", pa.string()),
        # size and cost
        pa.field("num_steps", pa.int32(), nullable=False),
        pa.field("num_agent_steps", pa.int32(), nullable=False),
        pa.field("num_tool_calls", pa.int32(), nullable=False),
        pa.field("num_tool_errors", pa.int32(), nullable=False),
        pa.field("prompt_tokens", pa.int64()),
        pa.field("completion_tokens", pa.int64()),
        pa.field("cached_tokens", pa.int64()),
        pa.field("cost_usd", pa.float64()),
        pa.field("cost_source", pa.string()),
        pa.field("duration_s", pa.float64()),
        pa.field("started_at", pa.timestamp("us", tz="UTC")),
        pa.field("ended_at", pa.timestamp("us", tz="UTC")),
        # text
        pa.field("instruction", pa.string()),
        pa.field("tools_json", pa.string()),
        pa.field("system_prompt_hash", pa.string()),
    ],
)
