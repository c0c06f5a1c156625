"""OpenAI-chat rows in JSONL, JSON or Parquet; what the format has no standard place for is found by a field map."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.anthropic_parts import unfolded
from transforms.formats.chat_header import (
    RowFieldMaps,
    chat_header,
    extra_fields,
    lost_components,
    taken_fields,
    unread_fields,
)
from transforms.formats.chat_messages import chat_messages, first_user_text, stated_messages, unread_lists
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_text, first_present, lookup, watched_keys
from transforms.formats.identity import canonical_hash
from transforms.formats.rewards import MISSING
from transforms.formats.row_files import RowAdapter, row_records
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

NAME: Final = "openai_chat"


class OpenAIChatAdapter(RowAdapter):
    """Reads rows that hold an OpenAI chat conversation."""

    name = NAME
    version = "2"
    carries = (
        "messages with calls, results, reasoning and parts",
        "ids, task, group and policy through the field map",
        "rewards and components",
        "ending, errors, cost and tokens",
        "tool schemas and sampling",
        "unknown message fields",
    )
    loses = ("row fields that no column or map names (told row by row)",)

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        """Say whether rows hold a list of messages with roles, or text that may be one, under a mapped name."""
        names = settings.fields.messages
        if outline.shape == "parquet":
            return any(name.partition(".")[0] in outline.keys[0] for name in names)
        if outline.records:
            return any(_may_hold_messages(record, names) for record in outline.records)
        level = 1 if outline.starts_as == "[" else 0
        seen = any(outline.has(level, name.rpartition(".")[2]) for name in names)
        inner = outline.keys[level + 2 :] if outline.keys else ()
        return seen and (any({"role", "content"} & keys for keys in inner) or not any(inner))

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        fields, maps = settings.fields, RowFieldMaps(settings.fields)
        watched = watched_keys(fields.native_id, fields.task_id, fields.reward, fields.messages)
        records = row_records(unit, open_file, settings, watched=watched)
        return build_rollouts(records, lambda record: _rollout(record, settings, maps), sources=None)


def _may_hold_messages(record: dict[str, Any], names: list[str]) -> bool:
    for name in names:
        value = lookup(record, [name])
        if value is MISSING:
            continue
        if not isinstance(value, list) or not value:
            return not isinstance(value, dict)
        if isinstance(value[0], dict) and "role" in value[0]:
            return True
    return False


def _rollout(record: NativeRecord, settings: IngestSettings, maps: RowFieldMaps) -> Rollout:
    stated = stated_messages(record.value, settings.fields.messages)
    messages = chat_messages(unfolded(stated.value))
    fields, columns, taken = maps.of(record.value)
    if taken is None:
        taken = taken_fields(record.value, fields, columns)
    extra_json, lost_fields = extra_fields(record.value, taken.union(settings.fields.messages))
    header, warnings = chat_header(
        record.value,
        fields,
        reward_range=settings.reward_range,
        first_user=first_user_text(messages),
        extra_json=extra_json,
    )
    native_id = as_text(first_present(record.value, fields.native_id))
    return Rollout(
        header=header if messages else replace(header, reward_valid=False),
        messages=messages,
        native_id=native_id,
        canonical_sha256=canonical_hash(record.value),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *lost_fields,
            *unread_fields(record.value, fields, header=header, columns=columns, native_id=native_id),
            *lost_components(record.value, fields),
            *unread_lists(record.value, fields.messages),
        ),
        parse_warnings=(*record.warnings, *stated.warnings, *warnings),
    )
