"""Why a record or a whole file could not be read, and the record that says so."""

import hashlib

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord
from transforms.reading.excerpts import readable_text


class RecordError(Exception):
    """A record that cannot be used; `at_end` says that the text simply stops too early."""

    def __init__(self, reason: QuarantineReason, message: str, *, at_end: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.at_end = at_end


def unknown_value(what: str, value: object, *, where: str = "") -> RecordError:
    """Return the error of a message whose role, source or class is none that the format knows.

    The value is told whole: of a secret that was cut before it was looked for, the rest would be stored. What is shown
    is cut once it is redacted.
    """
    return RecordError(QuarantineReason.INVALID_MESSAGE, f"{where}unknown {what} {str(value)!r}")


class UnreadableError(Exception):
    """A file that cannot be read, or not to its end."""

    reason = QuarantineReason.UNREADABLE


class CutStreamError(UnreadableError):
    """A packed file that stops before its end."""


class TooLargeError(UnreadableError):
    """A file that holds, or takes, more than is allowed."""

    reason = QuarantineReason.TOO_LARGE


class NativeCrashError(UnreadableError):
    """A file over which the process that reads it died, or stood still."""

    reason = QuarantineReason.NATIVE_CRASH


def bad_record(
    error: RecordError, key: str, *, raw: bytes | None = None, offset: int | None = None, length: int | None = None
) -> BadRecord:
    """Return the quarantine record of `error`; with `raw`, its length, hash and first text, not cut yet, are kept."""
    if raw is None:
        return BadRecord(key, error.reason, str(error), byte_offset=offset, byte_length=length)
    return BadRecord(
        key,
        error.reason,
        str(error),
        byte_offset=offset,
        byte_length=len(raw) if length is None else length,
        sha256=hashlib.sha256(raw).hexdigest(),
        excerpt=readable_text(raw),
    )
