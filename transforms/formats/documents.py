"""Native records inside a JSON document: a list of objects, a map of objects, or one object."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, hash_of_value, limits_of
from transforms.reading.failures import RecordError, UnreadableError, bad_record
from transforms.reading.native import NativeRecord, read_document
from transforms.reading.streams import unpacked
from transforms.reading.strict_json import Parsed


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


def read_sidecar(
    uri: str, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str] = frozenset()
) -> Any:
    """Return the JSON value of a file that lies beside a rollout; None for one that cannot be read or is ambiguous."""
    try:
        return load_sidecar(uri, open_file, settings, watched=watched).value
    except (RecordError, UnreadableError, OSError):
        return None


def list_records(document: Parsed | BadRecord) -> Iterator[NativeRecord | BadRecord]:
    """Yield the records of a document that is a list of objects, keyed `item:<index>`; one object is `document`."""
    if isinstance(document, BadRecord):
        yield document
    elif isinstance(document.value, list):
        for index, item in enumerate(document.value):
            yield item_record(f"item:{index}", item, document)
    else:
        yield item_record("document", document.value, document._replace(max_item_bytes=None))


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
