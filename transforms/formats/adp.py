"""Agent Data Protocol: a list of actions and observations, each with its `class_`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.adp_items import adp_messages
from transforms.formats.chat_header import chat_header, lost_components, taken_fields, untaken_fields
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_object, as_text, watched_keys
from transforms.formats.identity import canonical_hash
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import parse_json

_TAKEN: Final = frozenset({"id", "schema_version", "content", "details", "available_custom_tools", "available_apis"})


class AdpAdapter(RowAdapter):
    """Reads standardized ADP trajectories; task, model and outcome lie in `details`, where they were kept."""

    name = "adp"
    version = "2"
    carries = (
        "actions and observations as messages, thoughts, reasoning, rewards of steps",
        "API and code actions as calls with results by call id, else by position",
        "web pages and pictures as parts",
        "whatever of task, model and outcome `details` holds",
    )
    loses = ("fields of `details` that no column takes", "the list of code languages")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.shape == "parquet":
            columns = outline.keys[0]
            return {"id", "content"} <= columns and bool({"details", "available_custom_tools"} & columns)
        return rows_have(outline, {"content"}, items={"class_"}) and rows_have(outline, {"id"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        fields = settings.fields
        watched = watched_keys(["id", "content", "details"], fields.task_id, fields.reward)
        return build_rollouts(
            row_records(unit, open_file, settings, watched=watched),
            lambda record: _rollout(record, settings),
            known=mapped_names(settings.fields),
        )


def _rollout(record: NativeRecord, settings: IngestSettings) -> Rollout:
    row, fields = record.value, settings.fields
    content = _parsed(row.get("content"))
    if not isinstance(content, list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`content` is no list of actions and observations")
    messages, warnings = adp_messages(content)
    details = as_object(_parsed(row.get("details")))
    header, notes = chat_header(
        details, fields, reward_range=settings.reward_range, first_user=first_user_text(messages)
    )
    tools = row.get("available_custom_tools", row.get("available_apis"))
    return Rollout(
        header=replace(header, source_format=AdpAdapter.name, tools_json=header.tools_json or tools_text(tools)),
        messages=messages,
        native_id=as_text(row.get("id")),
        canonical_sha256=canonical_hash(row),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *untaken_fields(row, _TAKEN),
            *(f"details.{name}" for name in untaken_fields(details, taken_fields(details, fields))),
            *(f"details.{name}" for name in lost_components(details, fields)),
        ),
        parse_warnings=(*record.warnings, *warnings, *notes),
    )


def _parsed(raw: Any) -> Any:
    """Return a value that may be given as JSON text."""
    return parse_json(raw.encode("utf-8", "replace")).value if isinstance(raw, str) else raw
