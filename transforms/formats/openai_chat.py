"""OpenAI-chat rows in JSONL, JSON or Parquet; what the format has no standard place for is found by a field map."""

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_header import chat_header, taken_fields
from transforms.formats.chat_messages import chat_messages
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts, limits_of
from transforms.formats.documents import list_records, load_document
from transforms.formats.fields import as_text, first_present, lookup, watched_keys
from transforms.formats.identity import canonical_hash
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import Limits, NativeRecord, line_records
from transforms.reading.outline import Outline, outline_of
from transforms.reading.parquet_rows import parquet_records
from transforms.reading.streams import unpacked
from transforms.reading.strict_json import parse_json

NAME: Final = "openai_chat"


class OpenAIChatAdapter:
    """Reads rows that hold an OpenAI chat conversation."""

    name = NAME
    version = "1"

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

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        taken = taken_fields(tuple(name for names in settings.fields.model_dump().values() for name in names))
        return build_rollouts(_records(unit, open_file, settings), lambda record: _rollout(record, settings, taken))


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


def _records(unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[NativeRecord | BadRecord]:
    limits = limits_of(settings)
    watched = watched_keys(
        settings.fields.native_id, settings.fields.task_id, settings.fields.reward, settings.fields.messages
    )
    with open_file(unit.uri) as stream:
        outline = outline_of(stream, unit.size)
        stream.seek(0)
        if outline.shape == "parquet":
            yield from parquet_records(stream, limits=limits)
            return
        if outline.shape != "document":
            yield from _lines(unit, stream, limits=limits, watched=watched)
            return
    yield from list_records(load_document(unit, open_file, settings, watched=watched))


def _lines(
    unit: SourceUnit, stream: BinaryIO, *, limits: Limits, watched: frozenset[str]
) -> Iterator[NativeRecord | BadRecord]:
    source = unpacked(stream, unit.size)
    return line_records(source, limits=limits, watched=watched, start=unit.byte_start, end=unit.byte_end)


def _rollout(record: NativeRecord, settings: IngestSettings, taken: frozenset[str]) -> Rollout:
    fields, reward_range = settings.fields, settings.reward_range
    messages = chat_messages(_message_list(record.value, fields.messages))
    header, warnings = chat_header(record.value, fields, reward_range=reward_range, first_user=_first_user(messages))
    return Rollout(
        header=header,
        messages=messages,
        native_id=as_text(first_present(record.value, fields.native_id)),
        canonical_sha256=canonical_hash(record.value),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=_lost_fields(record.value, taken),
        parse_warnings=(*record.warnings, *warnings),
    )


def _message_list(record: dict[str, Any], names: list[str]) -> list[Any]:
    raw = first_present(record, names)
    if raw is None:
        raise RecordError(QuarantineReason.MISSING_MESSAGES, f"none of the fields {', '.join(names)} holds messages")
    if isinstance(raw, str):
        raw = parse_json(raw.encode("utf-8", "replace")).value
    if not isinstance(raw, list):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"the messages are no list but {type(raw).__name__}")
    return raw


def _first_user(messages: tuple[Message, ...]) -> str | None:
    return next((m.content for m in messages if m.role == "user" and not m.is_demo and m.content), None)


def _lost_fields(record: dict[str, Any], taken: frozenset[str]) -> tuple[str, ...]:
    """Return the names of the record's fields that no column takes, sorted."""
    return tuple(sorted(name for name in record if name not in taken))
