"""Quarantined records, found again in the lake: their place, their bytes, and whether these are still the same."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson

from schemas.records import BadRecord
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, hash_of_value, limits_of
from transforms.reading.archives import member_names, open_member
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.native import read_document
from transforms.reading.parquet_rows import parquet_records
from transforms.reading.streams import read_up_to, unpacked
from transforms.reading.strict_json import parse_json


class State(StrEnum):
    """What the source says of a quarantined record today.

    `only_by_replay` is a record that is no one piece of its file (a conversation of spans, a line of a file beside
    it), or whose bytes were never hashed: it is read again only with its whole unit.
    """

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NOT_FOUND = "not_found"
    ONLY_BY_REPLAY = "only_by_replay"


_PIECES: Final = frozenset({"row", "item", "key", "attempt", "member"})
"""Kinds of record keys whose name leads to one piece of the file."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A row of `quarantine` and, as `inputs` names it, the unit it stood in."""

    uri: str
    unit_key: str
    unit_sha256: str
    adapter: str
    record_key: str
    reason: str
    message: str
    byte_offset: int | None = None
    byte_length: int | None = None
    sha256: str | None = None
    stage: str = "ingest"
    excerpt: str | None = None
    trajectory_id: str | None = None

    @property
    def identifier(self) -> str:
        """Return the name by which commands call the record."""
        return f"{self.unit_key[:12]}/{self.record_key}"


class Found(NamedTuple):
    """The state of a record and, where it is the same, its bytes or its content as JSON, and the file they lie in."""

    state: State
    raw: bytes = b""
    uri: str = ""


def find_in_any(record: Quarantined, uris: Sequence[str], *, open_file: OpenFile, settings: IngestSettings) -> Found:
    """Look a record up in the files that are shown under its path, and give the first that holds it as it was.

    A record names its file without the secrets in its name: several files may answer to that, and their bytes decide.
    """
    states = []
    for uri in uris:
        found = find_again(replace(record, uri=uri), open_file, settings)
        if found.state is State.SAME:
            return found._replace(uri=uri)
        states.append(found.state)
    return Found(states[0] if states else State.GONE)


def find_again(record: Quarantined, open_file: OpenFile, settings: IngestSettings) -> Found:
    """Look a record up in its source and check its hash.

    A record that names a whole file is the same as long as the file is; of a unit that is a range of a file only the
    records in it are looked up.

    Args:
        record: The record.
        open_file: Opens files of the lake.
        settings: Limits of what is read.
    """
    try:
        if record.record_key in {"file", "stream", "document"}:
            return _whole_file(record, open_file)
        if record.sha256 is None or not _is_piece(record):
            return Found(State.ONLY_BY_REPLAY)
        if record.byte_offset is not None and record.byte_length is not None:
            raw: bytes | None = _bytes_at(record, open_file)
        else:
            raw = _part(record, open_file, settings)
    except FileNotFoundError:
        return Found(State.GONE)
    except (UnreadableError, RecordError, OSError):
        return Found(State.CHANGED)
    if raw is None:
        return Found(State.NOT_FOUND)
    return Found(State.SAME, raw) if _matches(raw, record.sha256) else Found(State.CHANGED)


def _is_piece(record: Quarantined) -> bool:
    """Say whether a record is one piece of its file: a range of bytes, or what its key leads to."""
    kind, _, name = record.record_key.partition(":")
    has_place = record.byte_offset is not None and record.byte_length is not None
    return has_place or (kind in _PIECES and (kind == "key" or name.isdecimal()))


def _matches(raw: bytes, sha256: str | None) -> bool:
    """Say whether the hash is that of the bytes, or of the value they spell in canonical JSON."""
    if hashlib.sha256(raw).hexdigest() == sha256:
        return True
    try:
        return sha256 is not None and hash_of_value(parse_json(raw).value) == sha256
    except RecordError:
        return False


def _whole_file(record: Quarantined, open_file: OpenFile) -> Found:
    digest = hashlib.sha256()
    head = b""
    with open_file(record.uri) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            head = head or block
    is_same = digest.hexdigest() == record.unit_sha256
    return Found(State.SAME, head) if is_same else Found(State.CHANGED)


def _bytes_at(record: Quarantined, open_file: OpenFile) -> bytes:
    assert record.byte_offset is not None
    assert record.byte_length is not None
    with open_file(record.uri) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        source = unpacked(stream, size)
        if source is stream:
            stream.seek(record.byte_offset)
        else:
            left = record.byte_offset
            while left and (chunk := source.read(min(left, 1 << 20))):
                left -= len(chunk)
        return read_up_to(source, record.byte_length)


def _part(record: Quarantined, open_file: OpenFile, settings: IngestSettings) -> bytes | None:
    """Return a member's bytes, or a row or an item as JSON; None for one that is not there."""
    kind, _, name = record.record_key.partition(":")
    if kind == "member":
        return _archived(record.uri, int(name), open_file, settings)
    if kind == "row":
        with open_file(record.uri) as stream:
            row = next(islice(parquet_records(stream, limits=limits_of(settings)), int(name) - 1, None), None)
        return None if row is None or isinstance(row, BadRecord) else orjson.dumps(row.value)
    with open_file(record.uri) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        document = read_document(unpacked(stream, size), limits=limits_of(settings), watched=frozenset()).value
    values = [found for place in _places(document) if (found := _member(place, kind, name)) is not None]
    parts = [orjson.dumps(value) for value in values]
    if kind == "key" and not parts and "<" in name:
        return _by_hash(document, record.sha256)
    return next((part for part in parts if _matches(part, record.sha256)), parts[0] if parts else None)


def _by_hash(document: Any, sha256: str | None) -> bytes | None:
    """Return the value that has the hash: its name, which held a secret, does not lead to it any more."""
    values = (value for place in _places(document) if isinstance(place, dict) for value in place.values())
    return next((part for part in map(orjson.dumps, values) if _matches(part, sha256)), None)


def _archived(uri: str, place: int, open_file: OpenFile, settings: IngestSettings) -> bytes | None:
    with open_file(uri) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        names = member_names(stream)
        if place >= len(names):
            return None
        return read_up_to(open_member(stream, names[place], size=size), limits_of(settings).max_bytes)


def _places(document: Any) -> Iterator[Any]:
    """Yield the lists and maps in which records may lie: the document, and those right inside it."""
    yield document
    if isinstance(document, dict):
        yield from (value for value in document.values() if isinstance(value, dict | list))


def _member(place: Any, kind: str, name: str) -> Any:
    if kind == "key":
        return place.get(name) if isinstance(place, dict) else None
    index = int(name) if name.isdecimal() else -1
    return place[index] if isinstance(place, list) and 0 <= index < len(place) else None
