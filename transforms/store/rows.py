"""A trajectory and its table rows: each is the other's inverse for all that the tables keep."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from schemas.reasons import EnvType, Termination
from schemas.records import BadRecord, Call, Header, SourceUnit, Step, Trajectory
from schemas.versions import SCHEMA_VERSION

Row = dict[str, Any]

_HEADER_COLUMNS = tuple(
    field.name for field in fields(Header) if field.name not in {"task_text", "env_type", "termination"}
)
_STEP_COLUMNS = tuple(field.name for field in fields(Step) if field.name != "calls")
_CALL_COLUMNS = tuple(field.name for field in fields(Call))


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


def step_rows(trajectory: Trajectory) -> list[Row]:
    """Return the trajectory's rows of the table `steps`, in order."""
    rows = []
    for step in trajectory.steps:
        row: Row = {name: getattr(step, name) for name in _STEP_COLUMNS}
        row["traj_id"] = trajectory.traj_id
        row["num_calls"] = len(step.calls)
        row["tool_name"] = step.calls[0].tool_name if step.calls else None
        row["obs_bytes"] = None if step.obs_text is None else len(step.obs_text.encode("utf-8", "surrogatepass"))
        rows.append(row)
    return rows


def call_rows(trajectory: Trajectory) -> list[Row]:
    """Return the trajectory's rows of the table `tool_calls`, in order.

    The result of a step's only call stands in `steps.obs_text` and is left out here.
    """
    rows = []
    for step in trajectory.steps:
        for call in step.calls:
            row: Row = {name: getattr(call, name) for name in _CALL_COLUMNS}
            row["traj_id"] = trajectory.traj_id
            row["step_id"] = step.step_id
            text = call.result_text
            row["result_bytes"] = None if text is None else len(text.encode("utf-8", "surrogatepass"))
            if len(step.calls) == 1:
                row["result_text"] = None
            rows.append(row)
    return rows


def quarantine_row(record: BadRecord, unit: SourceUnit) -> Row:
    """Return the row of the table `quarantine` for a bad record of the unit."""
    row: Row = {field.name: getattr(record, field.name) for field in fields(BadRecord)}
    row["unit_key"] = unit.unit_key
    row["reason"] = str(record.reason)
    return row


def trajectory_from_rows(
    row: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], calls: Iterable[Mapping[str, Any]]
) -> Trajectory:
    """Return the trajectory whose table rows these are; steps and calls in order."""
    header_values = {name: row[name] for name in _HEADER_COLUMNS}
    header_values["reward_components"] = dict(row["reward_components"] or [])
    header = Header(
        **header_values,
        env_type=EnvType(row["env_type"]),
        termination=Termination(row["termination"]),
        task_text=row["instruction"],
    )
    by_step: dict[int, list[Mapping[str, Any]]] = {}
    for call in calls:
        by_step.setdefault(call["step_id"], []).append(call)
    return Trajectory(
        traj_id=row["traj_id"],
        header=header,
        steps=tuple(_step(step, by_step.get(step["step_id"], [])) for step in steps),
        native_id=row["native_id"],
        record_key=row["record_key"],
        record_offset=row["record_offset"],
        task_hash=row["task_hash"],
        system_prompt_hash=row["system_prompt_hash"],
        lost_fields=tuple(row["lost_fields"] or ()),
        parse_warnings=tuple(row["parse_warnings"] or ()),
    )


def _step(row: Mapping[str, Any], calls: list[Mapping[str, Any]]) -> Step:
    built = []
    for call in calls:
        values = {name: call[name] for name in _CALL_COLUMNS}
        if len(calls) == 1 and call["result_state"] == "ok":
            values["result_text"] = row["obs_text"]
        built.append(Call(**values))
    return Step(**{name: row[name] for name in _STEP_COLUMNS}, calls=tuple(built))
