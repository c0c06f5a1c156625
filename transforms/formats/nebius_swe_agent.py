"""nebius SWE-agent trajectories: roles user and ai with `text`, the system prompt apart, actions in fenced blocks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import message_content, message_list
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_text
from transforms.formats.rewards import MISSING
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.swe_rows import WATCHED, row_fields, row_rollout
from transforms.formats.text_actions import begins_fence, observed, read_fenced_command, with_text_actions
from transforms.reading.failures import RecordError, unknown_value
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_FIELDS: Final = row_fields(messages="trajectory", reward="target", native_id=None)
_ROLES: Final = {"system": "system", "user": "user", "ai": "assistant", "assistant": "assistant"}
_TAKEN: Final = frozenset({"role", "text", "system_prompt", "mask"})


class NebiusSweAgentAdapter(RowAdapter):
    """Reads nebius' SWE-agent rows; they have no id of their own, so equal rows are told apart by counting."""

    name = "nebius_swe_agent"
    version = "1"
    carries = (
        "messages",
        "the fenced command of each turn as a call, the shell's answer as its result",
        "whether the instance was resolved, how the run ended",
        "the loss mask of each turn",
        "instance, repository, model, patch",
    )
    loses = ("the evaluation's logs", "blanks beside fenced commands")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        names = {"instance_id", "target", "trajectory", "generated_patch"}
        items = set() if outline.shape == "parquet" else {"role", "text"}
        return rows_have(outline, names, items=items, first={"instance_id", "target", "trajectory"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        return build_rollouts(
            row_records(unit, open_file, settings, watched=WATCHED),
            lambda record: _rollout(record, settings.reward_range),
        )


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    row = record.value
    turns = tuple(_message(raw, index) for index, raw in enumerate(message_list(row, _FIELDS.messages)))
    messages, warnings = with_text_actions(turns, read_fenced_command, begins=begins_fence)
    columns: dict[str, Any] = {
        "source_format": NebiusSweAgentAdapter.name,
        "task_source": "nebius/SWE-agent-trajectories",
        "agent_name": "swe-agent",
        "submission": row["generated_patch"] if isinstance(row.get("generated_patch"), str) else None,
    }
    return row_rollout(
        record,
        observed(messages),
        _FIELDS,
        reward_range=reward_range,
        columns=columns,
        used=["generated_patch"],
        warnings=warnings,
    )


def _message(raw: Any, index: int) -> Message:
    """Return a turn as a message; `mask` says whether an agent's turn carries loss."""
    if not isinstance(raw, dict):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"message {index} is no object but {type(raw).__name__}")
    role_raw = as_text(raw.get("role"))
    role = _ROLES.get(role_raw or "")
    if role is None:
        raise unknown_value("role", role_raw, where=f"message {index}: ")
    text = raw.get("text", MISSING)
    if role == "system" and not isinstance(text, str):
        text = raw.get("system_prompt", text)
    content = message_content(text)
    message = Message(
        role,
        content.text,
        content.state,
        role_raw=role_raw if role_raw != role else None,
        parts_json=content.parts_json,
        sampled=raw["mask"] if role == "assistant" and isinstance(raw.get("mask"), bool) else None,
    )
    extra = {name: value for name, value in raw.items() if name not in _TAKEN and value is not None}
    if isinstance(raw.get("system_prompt"), str) and raw["system_prompt"] != content.text:
        extra["system_prompt"] = raw["system_prompt"]
    return replace(message, extra_json=canonical_text(extra)) if extra else message
