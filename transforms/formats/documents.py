"""Native records inside a JSON document: a list of objects, a map of objects, or one object."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Final

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, hash_of_value, limits_of
from transforms.reading.damaged_lists import whole_items
from transforms.reading.failures import CutStreamError, RecordError, UnreadableError, bad_record
from transforms.reading.native import Limits, NativeRecord, read_document, record_of
from transforms.reading.streams import read_up_to, unpacked
from transforms.reading.strict_json import Parsed

UNREADABLE_SIDECAR: Final = "unreadable_sidecar"
"""Warning: what a file beside the rollout says of it is missing, as the file cannot be read."""
_SEARCHED_BYTES: Final = 128 * 1024 * 1024
"""Damaged lists up to this size are searched for whole items: as text they take up to four times that in memory."""
_SEPARATORS: Final = b" \t\r\n,"


def load_document(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> Parsed | BadRecord:
    """Read a unit's file as one JSON value, or return the bad record that says why it is none.

    Raises:
        UnreadableError: The packing is damaged.
        OSError: The file cannot be read.
    """
    try:
        with open_file(unit.uri) as stream:
            return read_document(unpacked(stream, unit.size), limits=limits_of(settings), watched=watched)
    except RecordError as error:
        return replace(bad_record(error, "document", offset=0, length=unit.size), sha256=unit.sha256)


def load_sidecar(
    uri: str, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str] = frozenset()
) -> Parsed:
    """Read a file that lies beside a unit's own as one JSON value.

    Args:
        uri: The file.
        open_file: Opens files of the lake.
        settings: Limits of what is read.
        watched: Id and label keys, which must not be doubled.

    Raises:
        RecordError: The file is no single JSON value, or ambiguous.
        UnreadableError: The packing is damaged.
        OSError: The file cannot be read.
    """
    with open_file(uri) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        return read_document(unpacked(stream, size), limits=limits_of(settings), watched=watched)


def read_sidecar(uri: str | None, open_file: OpenFile, settings: IngestSettings) -> Parsed:
    """Read the object of a file that lies beside a rollout.

    Returns:
        The object and what reading it warned of: an empty one for no file, and with `unreadable_sidecar` for one that
        cannot be read or holds no object.
    """
    if uri is None:
        return Parsed({})
    try:
        parsed = load_sidecar(uri, open_file, settings)
    except (RecordError, UnreadableError, OSError):
        return Parsed({}, (UNREADABLE_SIDECAR,))
    return parsed if isinstance(parsed.value, dict) else Parsed({}, (UNREADABLE_SIDECAR,))


def warned(items: Iterable[Rollout | BadRecord], sidecar: Parsed) -> Iterator[Rollout | BadRecord]:
    """Yield the items, each rollout with what reading a file beside it warned of."""
    for item in items:
        if sidecar.warnings and isinstance(item, Rollout):
            item = replace(item, parse_warnings=(*item.parse_warnings, *sidecar.warnings))
        yield item


def list_records(document: Parsed | BadRecord) -> Iterator[NativeRecord | BadRecord]:
    """Yield the records of a document that is a list of objects, keyed `item:<index>`; one object is `document`."""
    if isinstance(document, BadRecord):
        yield document
    elif isinstance(document.value, list):
        for index, item in enumerate(document.value):
            yield item_record(f"item:{index}", item, document)
    else:
        yield item_record("document", document.value, document._replace(max_item_bytes=None))


def document_records(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> Iterator[NativeRecord | BadRecord]:
    """Yield the records of a unit's document, as `list_records`; of a list that is refused or damaged item by item.

    What lies between two whole items, or behind the last, is one bad record with its place in the file.

    Raises:
        UnreadableError: The packing is damaged.
        OSError: The file cannot be read.
    """
    document = load_document(unit, open_file, settings, watched=watched)
    if isinstance(document, BadRecord):
        with open_file(unit.uri) as stream:
            raw = _plain_bytes(stream, unit.size)
        items = list(whole_items(raw))
        if items:
            yield from _items_and_rest(items, raw, document, limits=limits_of(settings), watched=watched)
            return
    yield from list_records(document)


def _plain_bytes(stream: BinaryIO, size: int) -> bytes:
    """Return a damaged file's bytes; none of one whose packing was cut, or that is too large to be searched."""
    try:
        raw = read_up_to(unpacked(stream, size), _SEARCHED_BYTES + 1)
    except CutStreamError:
        return b""
    return raw if len(raw) <= _SEARCHED_BYTES else b""


def _items_and_rest(
    items: list[tuple[int, int]], raw: bytes, damage: BadRecord, *, limits: Limits, watched: frozenset[str]
) -> Iterator[NativeRecord | BadRecord]:
    """Yield the items of a damaged list, and as one bad record each what lies between two of them and behind all."""
    index, before = 0, items[0][0]
    for start, end in items:
        if raw[before:start].strip(_SEPARATORS):
            yield _between(f"item:{index}", raw[before:start], before, damage=damage, limits=limits, watched=watched)
            index += 1
        yield _item_at(f"item:{index}", raw[start:end], start, limits=limits, watched=watched)
        index, before = index + 1, end
    rest = raw[before:]
    if rest.strip() != b"]":
        yield _damaged(f"item:{index}", rest, before, damage=damage, limits=limits, closing=b"")


def _between(
    key: str, raw: bytes, offset: int, *, damage: BadRecord, limits: Limits, watched: frozenset[str]
) -> NativeRecord | BadRecord:
    """Return what lies between two items: a record if strict reading mends what was taken for damage."""
    inner = raw.strip(_SEPARATORS)
    record = _item_at(key, inner, offset + raw.index(inner), limits=limits, watched=watched)
    if isinstance(record, NativeRecord):
        return record
    return _damaged(key, raw, offset, damage=damage, limits=limits, closing=b"0]")


def _damaged(key: str, raw: bytes, offset: int, *, damage: BadRecord, limits: Limits, closing: bytes) -> BadRecord:
    """Return the bad record of a damaged piece of a list; a list of the piece alone tells what is wrong with it."""
    reason, told = damage.reason, damage.message
    try:
        read_document(io.BytesIO(b"[0" + raw + closing), limits=limits, watched=frozenset())
    except RecordError as error:
        reason, told = error.reason, str(error)
    refusal = RecordError(reason, f"{told}, counted from byte {offset}, where the item before it ends")
    return bad_record(refusal, key, raw=raw, offset=offset)


def _item_at(
    key: str, raw: bytes, offset: int, *, limits: Limits, watched: frozenset[str]
) -> NativeRecord | BadRecord:
    if len(raw) > limits.max_bytes:
        error = RecordError(QuarantineReason.TOO_LARGE, f"{len(raw)} bytes, {limits.max_bytes} allowed")
        return bad_record(error, key, raw=raw, offset=offset)
    return record_of(raw, key, offset, limits=limits, watched=watched)


def map_records(document: Parsed) -> Iterator[NativeRecord | BadRecord]:
    """Yield the records of a map from name to object, keyed `key:<name>`, in the order of the file."""
    if not isinstance(document.value, dict):
        yield item_record("document", document.value, document)
        return
    for name, item in document.value.items():
        yield item_record(f"key:{name}", item, document)


def item_record(key: str, value: Any, document: Parsed) -> NativeRecord | BadRecord:
    """Return a record inside of a document, or the bad record that says why it is none: no object, or too large.

    Its size is that of its compact JSON text.
    """
    if isinstance(value, dict):
        allowed = document.max_item_bytes
        if allowed is not None and (size := _size_of(value)) > allowed:
            message = f"{size} bytes, {allowed} allowed"
            return BadRecord(key, QuarantineReason.TOO_LARGE, message, sha256=hash_of_value(value))
        return NativeRecord(key, value, warnings=document.warnings)
    message = f"expected an object, got {type(value).__name__}"
    return BadRecord(key, QuarantineReason.NOT_AN_OBJECT, message, sha256=hash_of_value(value))


def _size_of(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:
        # Nested deeper than the fast writer writes.
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
