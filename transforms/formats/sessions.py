"""What session logs of interactive agents share: a whole file of lines is one session, and nobody scored it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Message, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile
from transforms.formats.row_files import row_records
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.native import DOCUMENT_BYTES

UNREADABLE_LINES: Final = "unreadable_lines"
"""Warning: lines of this session are missing; each is told as a bad record of its own."""
UNKNOWN_LINE: Final = "unknown_line"
"""Warning, with the line's type behind a colon: lines of this type are left out."""
_COUNTED: Final = ("prompt_tokens", "completion_tokens", "cached_tokens")


class SessionLines(NamedTuple):
    """The lines of a session that could be parsed, and the bad records of those that could not."""

    lines: tuple[dict[str, Any], ...]
    bad: tuple[BadRecord, ...]
    warnings: tuple[str, ...] = ()


def read_session(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> SessionLines:
    """Read a session's own file whole.

    Raises:
        UnreadableError: The file is damaged.
        OSError: The file cannot be read.
    """
    lines: list[dict[str, Any]] = []
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
        lines.append(record.value)
        warnings.update(dict.fromkeys(record.warnings))
    if bad:
        warnings[UNREADABLE_LINES] = None
    return SessionLines(tuple(lines), tuple(bad), tuple(warnings))


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
    return found._replace(bad=tuple(bad))


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
