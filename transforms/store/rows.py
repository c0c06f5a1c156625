"""A trajectory and its table rows: each is the other's inverse for all that the tables keep."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import EnvType, Termination
from schemas.records import BadRecord, Call, Header, SourceUnit, Step, Trajectory
from schemas.tables import SCHEMAS
from schemas.versions import SCHEMA_VERSION
from transforms.store.tables import column_values, columns_to_table

Row = dict[str, Any]

_HEADER_COLUMNS = tuple(
    field.name for field in fields(Header) if field.name not in {"task_text", "env_type", "termination"}
)
_HEADER_VALUES = attrgetter(*_HEADER_COLUMNS)
_OWN_COLUMNS = (
    *("traj_id", "native_id", "task_hash", "record_key", "record_offset", "lost_fields", "parse_warnings"),
    "system_prompt_hash",
)
_OWN_VALUES = attrgetter(*_OWN_COLUMNS)
_UNIT_COLUMNS = ("unit_key", "adapter", "adapter_version")
_UNIT_VALUES = attrgetter(*_UNIT_COLUMNS)
_COUNT_COLUMNS = ("num_steps", "num_agent_steps", "num_tool_calls", "num_tool_errors")
_STEP_COLUMNS = tuple(name for name in Step._fields if name != "calls")
_CALL_COLUMNS = Call._fields

_CALLS_PLACE = Step._fields.index("calls")
_RESULT_TEXT_PLACE = _CALL_COLUMNS.index("result_text")
_RESULT_STATE_PLACE = _CALL_COLUMNS.index("result_state")

READ_STEP_COLUMNS: Final = ("traj_id", *_STEP_COLUMNS)
READ_CALL_COLUMNS: Final = ("traj_id", "step_id", *_CALL_COLUMNS)
"""Columns that `steps_from_tables` needs."""


def trajectories_table(trajectories: Sequence[Trajectory], units: Sequence[SourceUnit]) -> pa.Table:
    """Return the rows of the table `trajectories`, in order; each of `units` is what its trajectory was read from."""
    headers = [trajectory.header for trajectory in trajectories]
    columns = _columns(_HEADER_COLUMNS, map(_HEADER_VALUES, headers))
    columns |= _columns(_OWN_COLUMNS, map(_OWN_VALUES, trajectories))
    columns |= _columns(_UNIT_COLUMNS, map(_UNIT_VALUES, units))
    columns |= _columns(_COUNT_COLUMNS, (_counts(trajectory.steps) for trajectory in trajectories))
    columns["schema_version"] = [SCHEMA_VERSION] * len(trajectories)
    columns["env_type"] = [str(header.env_type) for header in headers]
    columns["termination"] = [str(header.termination) for header in headers]
    columns["reward_components"] = [sorted(header.reward_components.items()) for header in headers]
    columns["scored"] = [header.reward is not None for header in headers]
    columns["cost_source"] = [None if header.cost_usd is None else "reported" for header in headers]
    columns["instruction"] = [header.task_text for header in headers]
    return columns_to_table(columns, len(trajectories), SCHEMAS["trajectories"])


def _columns(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
    """Return the columns of rows of equal length; none for no rows."""
    return dict(zip(names, zip(*rows, strict=True), strict=False))


def _counts(steps: Sequence[Step]) -> tuple[int, int, int, int]:
    """Return how many steps, steps of the agent, calls and failed calls there are."""
    num_agent_steps = num_calls = num_errors = 0
    for step in steps:
        if step.source == "agent":
            num_agent_steps += 1
        for call in step.calls:
            num_calls += 1
            if call.is_error is True:
                num_errors += 1
    return len(steps), num_agent_steps, num_calls, num_errors


def steps_table(trajectories: Sequence[Trajectory]) -> pa.Table:
    """Return the rows of the table `steps` for the steps of the trajectories, in order."""
    steps = [step for trajectory in trajectories for step in trajectory.steps]
    columns = _columns(Step._fields, steps)
    calls = columns.pop("calls", ())
    columns["traj_id"] = _repeated(trajectories, [len(trajectory.steps) for trajectory in trajectories])
    columns["num_calls"] = list(map(len, calls))
    columns["tool_name"] = [each[0].tool_name if each else None for each in calls]
    columns["obs_text"] = texts = pa.array(columns.get("obs_text", ()), pa.string())
    columns["obs_bytes"] = pc.binary_length(texts)
    return columns_to_table(columns, len(steps), SCHEMAS["steps"])


def calls_table(trajectories: Sequence[Trajectory]) -> pa.Table:
    """Return the rows of the table `tool_calls` for the calls of the trajectories, in order.

    The result of a step's only call stands in `steps.obs_text` and is left out here.
    """
    calls: list[Call] = []
    step_ids: list[int] = []
    counts: list[int] = []
    kept_texts: dict[int, str | None] = {}
    for trajectory in trajectories:
        num_before = len(calls)
        for step in trajectory.steps:
            made = step.calls
            if not made:
                continue
            if len(made) > 1:
                kept_texts |= {len(calls) + index: call.result_text for index, call in enumerate(made)}
            calls += made
            step_ids += [step.step_id] * len(made)
        counts.append(len(calls) - num_before)
    columns = _columns(Call._fields, calls)
    texts = columns.pop("result_text", ())
    columns["traj_id"] = _repeated(trajectories, counts)
    columns["step_id"] = step_ids
    if any(trajectory.subagents for trajectory in trajectories):
        columns["subagent_traj_id"] = _subagents(trajectories)
    if kept_texts:
        columns["result_text"] = [kept_texts.get(place) for place in range(len(calls))]
    columns["result_bytes"] = [
        None if text is None else len(text) if text.isascii() else text_bytes(text) for text in texts
    ]
    return columns_to_table(columns, len(calls), SCHEMAS["tool_calls"])


def _repeated(trajectories: Sequence[Trajectory], counts: Sequence[int]) -> list[str]:
    """Return each trajectory's id as often as its count says."""
    ids: list[str] = []
    for trajectory, count in zip(trajectories, counts, strict=True):
        ids += [trajectory.traj_id] * count
    return ids


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


def _subagents(trajectories: Sequence[Trajectory]) -> list[str | None]:
    """Return for each call the trajectory of the subagent that it ran, where it ran one."""
    found: list[str | None] = []
    for trajectory in trajectories:
        ran = {(step_id, call_index): traj_id for step_id, call_index, traj_id in trajectory.subagents}
        found += [ran.get((step.step_id, call.call_index)) for step in trajectory.steps for call in step.calls]
    return found


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
