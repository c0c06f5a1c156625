"""Native records of a file: parsed objects with their place, or the bad record that says what stood there."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord
from transforms.reading.failures import CutStreamError, RecordError, UnreadableError, bad_record
from transforms.reading.lines import BOM, Line, read_lines
from transforms.reading.streams import ByteSource, read_up_to
from transforms.reading.strict_json import Parsed, parse_json, parse_object

DOCUMENT_BYTES: Final = 1024 * 1024 * 1024
"""A JSON document is parsed whole; over 1 GiB it would take several times that in memory."""


class Limits(NamedTuple):
    """What a record may be: bytes as written, levels of nesting."""

    max_bytes: int
    max_depth: int


class NativeRecord(NamedTuple):
    """A parsed record and where it stood.

    `key` is `line:<number>` or `byte:<offset>` for lines, `row:<number>` for Parquet, `item:<index>` or `key:<name>`
    inside a JSON document, `document` for a document that is one record.
    """

    key: str
    value: dict[str, Any]
    offset: int | None = None
    length: int | None = None
    warnings: tuple[str, ...] = ()


def line_records(
    stream: ByteSource, *, limits: Limits, watched: frozenset[str], start: int = 0, end: int | None = None
) -> Iterator[NativeRecord | BadRecord]:
    """Yield the records of a JSONL stream; blank lines are no records, a cut last line is `truncated`.

    Args:
        stream: Plain bytes.
        limits: Bounds of one record.
        watched: Id and label keys, which must not be doubled.
        start: First byte of the range to read.
        end: End of the range, excluded; None reads to the end.

    Raises:
        UnreadableError: The stream is damaged; what came before has been yielded.
        OSError: The stream cannot be read on.
    """
    lines = read_lines(stream, max_bytes=limits.max_bytes, start=start, end=end)
    while True:
        try:
            line = next(lines, None)
        except CutStreamError as error:
            yield BadRecord("stream", QuarantineReason.TRUNCATED, str(error))
            return
        if line is None:
            return
        if line.raw is None or line.raw.strip():
            yield _line_record(line, limits, watched)


def _line_record(line: Line, limits: Limits, watched: frozenset[str]) -> NativeRecord | BadRecord:
    key = f"byte:{line.offset}" if line.number is None else f"line:{line.number}"
    if line.raw is None:
        message = f"{line.length} bytes, {limits.max_bytes} allowed"
        return BadRecord(key, QuarantineReason.TOO_LARGE, message, line.offset, line.length, line.sha256)
    return record_of(line.raw, key, line.offset, limits=limits, watched=watched, is_terminated=line.is_terminated)


def record_of(
    raw: bytes, key: str, offset: int, *, limits: Limits, watched: frozenset[str], is_terminated: bool = True
) -> NativeRecord | BadRecord:
    """Return the record that a piece of a file spells, or the bad record that says why it spells none.

    Args:
        raw: The piece.
        key: Its key.
        offset: Where it stands in the plain bytes of the file.
        limits: Bounds of one record; its size is not looked at.
        watched: Id and label keys, which must not be doubled.
        is_terminated: Whether it is known to end here; else one that stops too early is `truncated`.
    """
    try:
        parsed = parse_object(raw, watched=watched, max_depth=limits.max_depth)
    except RecordError as error:
        return bad_record(_or_truncated(error, is_terminated), key, raw=raw, offset=offset)
    return NativeRecord(key, parsed.value, offset, len(raw), parsed.warnings)


def _or_truncated(error: RecordError, is_terminated: bool) -> RecordError:
    if is_terminated or not error.at_end:
        return error
    return RecordError(QuarantineReason.TRUNCATED, f"the text stops too early: {error}")


def read_document(stream: ByteSource, *, limits: Limits, watched: frozenset[str]) -> Parsed:
    """Read a JSON file whole; the records inside of one that is longer than a record may be are bounded.

    Raises:
        RecordError: The file is no single JSON value, too large, cut short or nested too deep.
        UnreadableError: The packing is damaged.
    """
    try:
        raw = read_up_to(stream, DOCUMENT_BYTES + 1)
    except CutStreamError as error:
        raise RecordError(QuarantineReason.TRUNCATED, str(error)) from error
    if len(raw) > DOCUMENT_BYTES:
        raise RecordError(QuarantineReason.TOO_LARGE, f"a JSON document may have {DOCUMENT_BYTES} bytes")
    if not raw.strip():
        raise RecordError(QuarantineReason.TRUNCATED, "the file is empty")
    try:
        parsed = parse_json(raw.removeprefix(BOM), watched=watched, max_depth=limits.max_depth + 2)
    except RecordError as error:
        raise _or_truncated(error, is_terminated=raw.endswith(b"\n")) from error
    return parsed._replace(max_item_bytes=limits.max_bytes) if len(raw) > limits.max_bytes else parsed


def unreadable(error: UnreadableError | OSError) -> BadRecord:
    """Return the one bad record of a unit that cannot be read, or not to its end."""
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    reason = error.reason if isinstance(error, UnreadableError) else QuarantineReason.UNREADABLE
    return BadRecord("file", reason, message or type(error).__name__)
