"""What a trajectory's table rows say, and the messages that can be told from these rows alone."""

import json
from datetime import datetime
from typing import Any, NamedTuple

from schemas.records import Message, SourceUnit, Trajectory
from tests.transforms.formats.tables_of import tables_of, trajectory_of
from transforms.formats.assembly import assemble
from transforms.formats.steps import messages_of

_HASHES = {
    "traj_id", "unit_key", "task_hash", "system_prompt_hash", "args_hash", "schema_version", "parent_traj_id",
    "subagent_traj_id",
}  # fmt: skip
_DEFAULTS = {
    "is_copied_context": False, "is_demo": False, "id_generated": False, "num_calls": 0, "num_steps": 0,
    "num_agent_steps": 0, "num_tool_calls": 0, "num_tool_errors": 0, "call_index": 0, "reward_valid": True,
    "requestor": "assistant", "arguments_state": "ok",
}  # fmt: skip
_UNIT = SourceUnit("k", "a", "any", "1", 1, "ab")


class Rows(NamedTuple):
    """A trajectory's rows, without hashes and without columns that are empty or as usual; times as ISO text and
    JSON texts parsed.
    """

    trajectory: dict[str, Any]
    steps: list[dict[str, Any]]
    calls: list[dict[str, Any]]


def rows_of(trajectory: Trajectory, unit: SourceUnit = _UNIT) -> Rows:
    """Return all that the tables say of a trajectory, read back from Arrow."""
    (row,), steps, calls = (_said(table.to_pylist()) for table in tables_of(trajectory, unit))
    return Rows(row, steps, calls)


def rebuilt(rollout) -> tuple[Message, ...]:
    """Return the messages that the table rows of a rollout give back."""
    return messages_of(trajectory_of(tables_of(assemble(rollout, "t", secrets_redacted={}), _UNIT)).steps)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if name.endswith("_json"):
        value = json.loads(value)
    if isinstance(value, dict) and name != "arguments_json":
        return {key: _plain(key, inner) for key, inner in value.items()}
    return value


def _said(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            name: _plain(name, value)
            for name, value in row.items()
            if value is not None and value != [] and name not in _HASHES and _DEFAULTS.get(name, _UNIT) != value
        }
        for row in rows
    ]
