"""What session logs of interactive agents share: a whole file of lines is one session, and nobody scored it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, hash_of_value
from transforms.formats.row_files import row_records
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.native import DOCUMENT_BYTES, NativeRecord

CONDENSED: Final = "condensed_context"
"""Warning: the model did not see the whole run at once; what came before the last context is told as parts of it."""
UNREADABLE_LINES: Final = "unreadable_lines"
"""Warning: lines of this session are missing; each is told as a bad record of its own."""
UNKNOWN_LINE: Final = "unknown_line"
"""Warning, with the line's type behind a colon: lines of this type are left out."""
_COUNTED: Final = ("prompt_tokens", "completion_tokens", "cached_tokens")


class SessionLines(NamedTuple):
    """The lines of a session that could be parsed, and the bad records of those that could not.

    `records` are the native records of the lines; of a part of a file they may be those of the whole file.
    """

    lines: tuple[dict[str, Any], ...]
    bad: tuple[BadRecord, ...]
    warnings: tuple[str, ...] = ()
    records: tuple[NativeRecord, ...] = ()


def read_session(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> SessionLines:
    """Read a session's own file whole.

    Raises:
        UnreadableError: The file is damaged.
        OSError: The file cannot be read.
    """
    records: list[NativeRecord] = []
    bad: list[BadRecord] = []
    warnings: dict[str, None] = {}
    length = 0
    for record in row_records(unit, open_file, settings, watched=watched):
        if isinstance(record, BadRecord):
            bad.append(record)
            continue
        length += record.length or 0
        if length > DOCUMENT_BYTES:
            raise _SessionTooLargeError(f"a session may have {DOCUMENT_BYTES} bytes")
        records.append(record)
        warnings.update(dict.fromkeys(record.warnings))
    if bad:
        warnings[UNREADABLE_LINES] = None
    return SessionLines(tuple([record.value for record in records]), tuple(bad), tuple(warnings), tuple(records))


def session_rollouts(
    read: SessionLines,
    rollouts_of: Callable[[SessionLines], Iterator[Rollout | BadRecord]],
    *,
    check: Callable[[dict[str, Any]], object],
) -> Iterator[Rollout | BadRecord]:
    """Yield the bad records and the rollouts of a session; a line that is unusable does not cost the others.

    Args:
        read: The session.
        rollouts_of: Reads the lines of a session as one.
        check: Reads a line alone; a `RecordError` says that it is unusable.
    """
    items = list(rollouts_of(read))
    if any(isinstance(item, BadRecord) for item in items):
        usable = _set_aside(read, check)
        rest = list(rollouts_of(usable)) if len(usable.bad) > len(read.bad) else []
        if any(isinstance(item, Rollout) for item in rest):
            read, items = usable, rest
    yield from read.bad
    yield from items


def _set_aside(read: SessionLines, check: Callable[[dict[str, Any]], object]) -> SessionLines:
    """Return a session without the lines that are unusable even alone, each of which is a bad record at its place."""
    places = {id(record.value): record for record in read.records}
    lines: list[dict[str, Any]] = []
    bad = list(read.bad)
    for line in read.lines:
        try:
            check(line)
        except RecordError as error:
            place = places[id(line)]
            digest = hash_of_value(line)
            bad.append(BadRecord(place.key, error.reason, str(error), place.offset, place.length, digest))
        else:
            lines.append(line)
    warnings = tuple(dict.fromkeys((*read.warnings, UNREADABLE_LINES)))
    return read._replace(lines=tuple(lines), bad=tuple(bad), warnings=warnings)


def read_session_beside(
    uri: str, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> SessionLines:
    """Read the session of a file that lies beside a unit's own; its bad records are named by that file."""
    key = f"file:{uri.rpartition('/')[2]}"
    try:
        with open_file(uri) as stream:
            size = stream.seek(0, 2)
        found = read_session(replace(unit, uri=uri, size=size), open_file, settings, watched=watched)
    except UnreadableError as error:
        return SessionLines((), (BadRecord(key, error.reason, str(error)),))
    except OSError as error:
        return SessionLines((), (BadRecord(key, QuarantineReason.UNREADABLE, str(error)),))
    # Offsets of another file would point into the unit's own.
    bad = (replace(one, record_key=f"{key}/{one.record_key}", byte_offset=None, byte_length=None) for one in found.bad)
    records = (one._replace(key=f"{key}/{one.key}", offset=None, length=None) for one in found.records)
    return found._replace(bad=tuple(bad), records=tuple(records))


class _SessionTooLargeError(UnreadableError):
    reason = QuarantineReason.TOO_LARGE


def no_messages() -> RecordError:
    """Return the error of a session in which nobody says anything."""
    return RecordError(QuarantineReason.MISSING_MESSAGES, "no line of this session holds a message")


def session_facts(messages: Sequence[Message]) -> dict[str, Any]:
    """Return the header columns that are sums over messages, copies left out: tokens, first and last time."""
    own = [message for message in messages if not message.is_copied_context]
    times = [message.timestamp for message in own if message.timestamp is not None]
    facts: dict[str, Any] = {name: _sum_of(getattr(message, name) for message in own) for name in _COUNTED}
    return facts | {"started_at": min(times, default=None), "ended_at": max(times, default=None)}


def _sum_of(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
