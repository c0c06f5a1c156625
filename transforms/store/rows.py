"""A trajectory and its table rows: each is the other's inverse for all that the tables keep."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import pyarrow as pa

from schemas.reasons import EnvType, Termination
from schemas.records import BadRecord, Call, Header, SourceUnit, Step, Trajectory
from schemas.versions import SCHEMA_VERSION
from transforms.store.tables import column_values

Row = dict[str, Any]

_HEADER_COLUMNS = tuple(
    field.name for field in fields(Header) if field.name not in {"task_text", "env_type", "termination"}
)
_STEP_COLUMNS = tuple(field.name for field in fields(Step) if field.name != "calls")
_CALL_COLUMNS = tuple(field.name for field in fields(Call))
_PLAIN_CALL_COLUMNS = tuple(name for name in _CALL_COLUMNS if name != "result_text")
_STEP_VALUES = attrgetter(*_STEP_COLUMNS)
_CALL_VALUES = attrgetter(*_PLAIN_CALL_COLUMNS)

_CALLS_PLACE = [field.name for field in fields(Step)].index("calls")
_RESULT_TEXT_PLACE = _CALL_COLUMNS.index("result_text")
_RESULT_STATE_PLACE = _CALL_COLUMNS.index("result_state")

STEP_ROW: Final = ("traj_id", "num_calls", "tool_name", "obs_bytes", *_STEP_COLUMNS)
"""Columns of `step_rows`; the table's others are null."""
READ_STEP_COLUMNS: Final = ("traj_id", *_STEP_COLUMNS)
READ_CALL_COLUMNS: Final = ("traj_id", "step_id", *_CALL_COLUMNS)
"""Columns that `steps_from_tables` needs."""
CALL_ROW: Final = ("traj_id", "step_id", "result_text", "result_bytes", *_PLAIN_CALL_COLUMNS)
"""Columns of `call_rows`; the table's others are null."""


def trajectory_row(trajectory: Trajectory, unit: SourceUnit) -> Row:
    """Return the trajectory's row of the table `trajectories`."""
    header = trajectory.header
    calls = [call for step in trajectory.steps for call in step.calls]
    row: Row = {name: getattr(header, name) for name in _HEADER_COLUMNS}
    row.update(
        traj_id=trajectory.traj_id,
        native_id=trajectory.native_id,
        schema_version=SCHEMA_VERSION,
        task_hash=trajectory.task_hash,
        unit_key=unit.unit_key,
        record_key=trajectory.record_key,
        record_offset=trajectory.record_offset,
        adapter=unit.adapter,
        adapter_version=unit.adapter_version,
        lost_fields=list(trajectory.lost_fields),
        parse_warnings=list(trajectory.parse_warnings),
        env_type=str(header.env_type),
        termination=str(header.termination),
        reward_components=sorted(header.reward_components.items()),
        scored=header.reward is not None,
        num_steps=len(trajectory.steps),
        num_agent_steps=sum(step.source == "agent" for step in trajectory.steps),
        num_tool_calls=len(calls),
        num_tool_errors=sum(call.is_error is True for call in calls),
        cost_source=None if header.cost_usd is None else "reported",
        instruction=header.task_text,
        system_prompt_hash=trajectory.system_prompt_hash,
    )
    return row


def step_rows(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    """Return the trajectory's rows of the table `steps`, in order, as values of `STEP_ROW`."""
    rows = []
    for step in trajectory.steps:
        calls, text = step.calls, step.obs_text
        tool_name = calls[0].tool_name if calls else None
        num_bytes = None if text is None else text_bytes(text)
        rows.append((trajectory.traj_id, len(calls), tool_name, num_bytes, *_STEP_VALUES(step)))
    return rows


def call_rows(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    """Return the trajectory's rows of the table `tool_calls`, in order, as values of `CALL_ROW`.

    The result of a step's only call stands in `steps.obs_text` and is left out here.
    """
    rows = []
    for step in trajectory.steps:
        is_only = len(step.calls) == 1
        for call in step.calls:
            text = call.result_text
            num_bytes = None if text is None else text_bytes(text)
            kept = None if is_only else text
            rows.append((trajectory.traj_id, step.step_id, kept, num_bytes, *_CALL_VALUES(call)))
    return rows


def text_bytes(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def quarantine_row(record: BadRecord, unit: SourceUnit) -> Row:
    """Return the row of the table `quarantine` for a bad record of the unit."""
    row: Row = {field.name: getattr(record, field.name) for field in fields(BadRecord)}
    row["unit_key"] = unit.unit_key
    row["reason"] = str(record.reason)
    return row


def trajectory_from_row(row: Mapping[str, Any], steps: tuple[Step, ...]) -> Trajectory:
    """Return the trajectory whose row of `trajectories` this is and whose steps these are, in order."""
    header_values = {name: row[name] for name in _HEADER_COLUMNS}
    header_values["reward_components"] = dict(row["reward_components"] or [])
    header = Header(
        **header_values,
        env_type=EnvType(row["env_type"]),
        termination=Termination(row["termination"]),
        task_text=row["instruction"],
    )
    return Trajectory(
        traj_id=row["traj_id"],
        header=header,
        steps=steps,
        native_id=row["native_id"],
        record_key=row["record_key"],
        record_offset=row["record_offset"],
        task_hash=row["task_hash"],
        system_prompt_hash=row["system_prompt_hash"],
        lost_fields=tuple(row["lost_fields"] or ()),
        parse_warnings=tuple(row["parse_warnings"] or ()),
    )


def steps_from_tables(steps: pa.Table, calls: pa.Table) -> dict[str, tuple[Step, ...]]:
    """Return the steps of each trajectory that the rows of `steps` and `tool_calls` hold, both in order."""
    calls_of: dict[tuple[str, int], list[list[Any]]] = {}
    places = zip(column_values(calls["traj_id"]), column_values(calls["step_id"]), strict=True)
    for place, *values in zip(places, *(column_values(calls[name]) for name in _CALL_COLUMNS), strict=True):
        calls_of.setdefault(place, []).append(values)
    found: dict[str, list[Step]] = {}
    columns = [column_values(steps[name]) for name in ("traj_id", "obs_text", *_STEP_COLUMNS)]
    for traj_id, obs_text, *values in zip(*columns, strict=True):
        made = _calls(calls_of.get((traj_id, values[0]), ()), obs_text)
        values.insert(_CALLS_PLACE, made)
        found.setdefault(traj_id, []).append(Step(*values))
    return {traj_id: tuple(members) for traj_id, members in found.items()}


def _calls(rows: Sequence[list[Any]], obs_text: str | None) -> tuple[Call, ...]:
    if len(rows) == 1 and rows[0][_RESULT_STATE_PLACE] == "ok":
        rows[0][_RESULT_TEXT_PLACE] = obs_text
    return tuple(Call(*values) for values in rows)
