"""ATIF trajectories, v1.0 to v1.8; the format has no task id, no outcome and no rollout index of its own."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import FieldMapSettings, IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.atif_steps import step_messages, token_list_losses
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_count, as_items, as_number, as_object, as_text, first_present
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.row_files import RowAdapter, row_records
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

UNKNOWN_VERSION: Final = "unknown_schema_version"
STEP_NUMBERS: Final = "step_ids_not_sequential"
SUBAGENT: Final = "/subagent:"
"""Stands in a record's key before the number of an embedded subagent's trajectory."""
WATCHED: Final = frozenset({"session_id", "trajectory_id", "schema_version", "steps"})
_VERSION: Final = re.compile(r"(?:ATIF-)?v?1\.[0-8](?:\.\d+)?", re.IGNORECASE)
_ROOT_FIELDS: Final = frozenset(
    {
        "schema_version", "session_id", "trajectory_id", "agent", "steps", "final_metrics", "subagent_trajectories",
        "extra",
    }
)  # fmt: skip
_AGENT_FIELDS: Final = frozenset({"name", "version", "model_name", "tool_definitions"})
_METRICS: Final = frozenset(
    {"total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd", "total_steps"}
)


class AtifAdapter(RowAdapter):
    """Reads ATIF trajectories that stand alone; a subagent's trajectory inside one is a rollout of its own."""

    name = "atif"
    version = "3"
    carries = (
        "steps with parts, reasoning, calls and results",
        "subagents as rollouts of their own",
        "copied context and what the model sampled",
        "agent, model and tools",
        "tokens and cost per step and in sum",
        "extras of steps, calls and results",
    )
    loses = (
        "token ids and log-probabilities",
        "notes",
        "extras of the trajectory and the agent",
        "reference to a continuation",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if any(str(record.get("schema_version")).startswith("ATIF") for record in outline.records):
            return True
        level = 1 if outline.starts_as == "[" else 0
        if outline.shape == "parquet" or not outline.has(level, "schema_version", "agent"):
            return False
        return outline.has(level, "steps") or outline.has(level + 1, "name", "version")

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        records = with_subagents(row_records(unit, open_file, settings, watched=WATCHED))
        return build_rollouts(
            records,
            lambda record: atif_rollout(record, settings.fields),
            sources=without_subagents,
            known=mapped_names(settings.fields),
        )


def without_subagents(record: NativeRecord) -> tuple[dict[str, Any]]:
    """Return what is read of a trajectory by itself: subagents inside it are trajectories of their own."""
    inner = record.value.get("subagent_trajectories")
    if not isinstance(inner, list):
        return (record.value,)
    return ({name: value for name, value in record.value.items() if value is not inner},)


def with_subagents(records: Iterable[NativeRecord | BadRecord]) -> Iterator[NativeRecord | BadRecord]:
    """Yield trajectories, each followed by the subagents' trajectories inside it."""
    for record in records:
        yield record
        inner = record.value.get("subagent_trajectories") if isinstance(record, NativeRecord) else None
        if isinstance(record, NativeRecord) and isinstance(inner, list):
            yield from with_subagents(_subagent(record, index, item) for index, item in enumerate(inner))


def _subagent(parent: NativeRecord, index: int, item: Any) -> NativeRecord | BadRecord:
    key = f"{parent.key}{SUBAGENT}{index}"
    if not isinstance(item, dict):
        message = f"a subagent's trajectory is no object but {type(item).__name__}"
        return BadRecord(key, QuarantineReason.NOT_AN_OBJECT, message, parent.offset, parent.length)
    native_id = _native_id(parent.value)
    if _native_id(item) is None and native_id is not None:
        item = {**item, "trajectory_id": f"{native_id}{SUBAGENT}{index}"}
    return NativeRecord(key, item, parent.offset, parent.length)


def atif_rollout(record: NativeRecord, fields: FieldMapSettings) -> Rollout:
    """Return the rollout of one ATIF trajectory.

    Args:
        record: The native trajectory.
        fields: The field map; a task id is looked for in the trajectory's extras.

    Raises:
        RecordError: There are no steps, or one is unusable.
    """
    native = record.value
    steps = native.get("steps")
    if not isinstance(steps, list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`steps` is no list")
    agent = as_object(native.get("agent"))
    model_name = as_text(agent.get("model_name"))
    messages = step_messages(steps, model_name=model_name)
    totals = as_object(native.get("final_metrics"))
    times = [message.timestamp for message in messages if message.timestamp is not None]
    header = Header(
        source_format=AtifAdapter.name,
        task_id=as_text(first_present(as_object(native.get("extra")), fields.task_id)),
        task_text=first_user_text(messages),
        session_id=as_text(native.get("session_id")),
        agent_name=as_text(agent.get("name")),
        agent_version=as_text(agent.get("version")),
        model_name=model_name,
        tools_json=tools_text(agent.get("tool_definitions")),
        cost_usd=as_number(totals.get("total_cost_usd", totals.get("total_cost"))),
        prompt_tokens=as_count(totals.get("total_prompt_tokens")),
        completion_tokens=as_count(totals.get("total_completion_tokens")),
        cached_tokens=as_count(totals.get("total_cached_tokens")),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=_native_id(native),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(_losses(native, agent, totals=totals, fields=fields))),
        parse_warnings=(*record.warnings, *_warnings(native, steps)),
        parent_key=record.key.rpartition(SUBAGENT)[0] if SUBAGENT in record.key else None,
        subagents=tuple(subagent_calls(native, record.key)),
    )


def subagent_calls(native: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    """Yield the ids of calls whose results refer to subagents' trajectories, with the record keys of these.

    A reference names a trajectory inside this one by its id, else by its session; one that a file of a trial holds by
    the name of that file. A call that ran several is joined with the first.
    """
    inside: dict[str, str] = {}
    for index, item in enumerate(as_items(native.get("subagent_trajectories"))):
        for name in ("trajectory_id", "session_id"):
            if (known := as_text(as_object(item).get(name))) is not None:
                inside.setdefault(known, f"{key}{SUBAGENT}{index}")
    for step in as_items(native.get("steps")):
        for result in map(as_object, as_items(as_object(as_object(step).get("observation")).get("results"))):
            call_id = as_text(result.get("source_call_id"))
            refs = [as_object(ref) for ref in as_items(result.get("subagent_trajectory_ref"))]
            names = [as_text(ref.get(name)) for ref in refs for name in ("trajectory_id", "session_id")]
            files = [text.rpartition("/")[2] for ref in refs if (text := as_text(ref.get("trajectory_path")))]
            keys = [*(inside[name] for name in names if name in inside), *(f"{key}{SUBAGENT}{name}" for name in files)]
            if call_id is not None and keys:
                yield call_id, keys[0]


def _native_id(native: dict[str, Any]) -> str | None:
    return as_text(native.get("trajectory_id")) or as_text(native.get("session_id"))


def _losses(
    native: dict[str, Any], agent: dict[str, Any], *, totals: dict[str, Any], fields: FieldMapSettings
) -> set[str]:
    return (
        untaken(native, _ROOT_FIELDS)
        | untaken(as_object(native.get("extra")), fields.task_id, prefix="extra.")
        | untaken(agent, _AGENT_FIELDS, prefix="agent.")
        | untaken(totals, _METRICS | {"total_cost"}, prefix="final_metrics.")
        | token_list_losses(native["steps"])
    )


def _warnings(native: dict[str, Any], steps: list[Any]) -> Iterator[str]:
    if not _VERSION.fullmatch(str(native.get("schema_version"))):
        yield UNKNOWN_VERSION
    numbers = [step.get("step_id") for step in steps]
    if any(number is not None for number in numbers) and numbers != list(range(1, len(steps) + 1)):
        yield STEP_NUMBERS
