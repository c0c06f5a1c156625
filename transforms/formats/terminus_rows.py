"""Terminal corpora: conversations of a Terminus agent, whose turns are JSON with analysis, plan and commands."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import EnvType
from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.chat_header import chat_header, lost_components, taken_fields, untaken_fields
from transforms.formats.chat_messages import chat_messages, first_user_text, message_list
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_text, first_present, watched_keys
from transforms.formats.identity import canonical_hash
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.swe_rows import sampled
from transforms.formats.text_actions import begins_terminus, observed, read_terminus, with_text_actions
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_MESSAGES: Final = ("conversations", "messages", "conversation", "trajectory")
_TASK: Final = ("task_id", "instance_id", "task_name", "task")
_TRIAL: Final = "trial_name"


class TerminusRowsAdapter(RowAdapter):
    """Reads conversations whose agent answers in Terminus JSON."""

    name = "terminus_rows"
    version = "2"
    carries = (
        "messages, analysis and plan as text, thoughts as reasoning",
        "each command as a call, the terminal's answer as the result of the first",
        "the end of the task as a call",
        "task, trial, model, agent, reward where the row has them",
    )
    loses = ("the boundary of commands inside one answer of the terminal", "fields that no column takes")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if rows_have(outline, {"conversations", "task", _TRIAL}):
            return True
        return any(_answers_in_terminus(row) for row in outline.records)

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        watched = watched_keys(_TASK, settings.fields.reward, _MESSAGES, [_TRIAL])
        return build_rollouts(
            row_records(unit, open_file, settings, watched=watched),
            lambda record: _rollout(record, settings),
            known=mapped_names(settings.fields),
        )


def _answers_in_terminus(row: dict[str, Any]) -> bool:
    turns: list[Any] = next((row[name] for name in _MESSAGES if isinstance(row.get(name), list)), [])
    said = [turn.get("content") for turn in turns if isinstance(turn, dict) and turn.get("role") == "assistant"]
    return any(isinstance(text, str) and begins_terminus(text) and read_terminus(text) for text in said[:4])


def _rollout(record: NativeRecord, settings: IngestSettings) -> Rollout:
    row = record.value
    messages, warnings = with_text_actions(
        chat_messages(message_list(row, _MESSAGES)), read_terminus, begins=begins_terminus
    )
    messages = sampled(observed(messages))
    fields = settings.fields.model_copy(update={"task_id": list(_TASK), "task_text": []})
    header, notes = chat_header(row, fields, reward_range=settings.reward_range, first_user=first_user_text(messages))
    trial = as_text(row.get(_TRIAL))
    return Rollout(
        header=replace(
            header,
            source_format=TerminusRowsAdapter.name,
            env_type=EnvType.TERMINAL,
            agent_name=header.agent_name or "terminus-2",
            session_id=header.session_id or trial,
        ),
        messages=messages,
        native_id=as_text(first_present(row, fields.native_id)) or trial,
        canonical_sha256=canonical_hash(row),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *untaken_fields(row, taken_fields(row, fields) | {*_MESSAGES, _TRIAL}),
            *lost_components(row, fields),
        ),
        parse_warnings=(*record.warnings, *warnings, *notes),
    )
