"""One row per tool call, sorted by traj_id, step_id and call_index.

`subagent_traj_id` is the trajectory of the subagent that a call ran. ATIF (also in Harbor trials) and Claude Code know
it where the result refers to a trajectory inside the record or beside it; the sidechains in a Claude Code file name no
call. Codex keeps each subagent in a session of its own, whose id depends on its content: there it is NULL, and the
parent's id stands in the `extra_json` of the subagent's trajectory. No other format tells of subagents.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "tool_calls",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("step_id", pa.int32(), nullable=False),
        pa.field("call_index", pa.int32(), nullable=False),
        pa.field("call_id", pa.string(), nullable=False),
        pa.field("call_id_raw", pa.string()),
        pa.field("id_generated", pa.bool_(), nullable=False),
        pa.field("tool_name", pa.string(), nullable=False),
        pa.field("tool_kind", pa.string(), nullable=False),
        pa.field("arguments_json", pa.string()),
        pa.field("arguments_raw", pa.string()),
        pa.field("arguments_state", pa.string(), nullable=False),
        pa.field("args_hash", pa.string(), nullable=False),
        pa.field("result_text", pa.string()),
        pa.field("result_state", pa.string(), nullable=False),
        pa.field("is_error", pa.bool_()),
        pa.field("exit_code", pa.int32()),
        pa.field("result_bytes", pa.int32()),
        pa.field("paired_by", pa.string()),
        pa.field("subagent_traj_id", pa.string()),
        pa.field("requestor", pa.string(), nullable=False),
    ],
)
