"""Why a record or a whole file could not be read, and the record that says so."""

import hashlib
from typing import Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord

EXCERPT_BYTES: Final = 200
"""Bytes of a bad record that are shown (after redaction): enough to recognise it, too few to carry it."""


class RecordError(Exception):
    """A record that cannot be used; `at_end` says that the text simply stops too early."""

    def __init__(self, reason: QuarantineReason, message: str, *, at_end: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.at_end = at_end


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
    """Return the quarantine record of `error`; with `raw`, its length, hash and first bytes are kept."""
    if raw is None:
        return BadRecord(key, error.reason, str(error), byte_offset=offset, byte_length=length)
    return BadRecord(
        key,
        error.reason,
        str(error),
        byte_offset=offset,
        byte_length=len(raw) if length is None else length,
        sha256=hashlib.sha256(raw).hexdigest(),
        excerpt=raw[:EXCERPT_BYTES].decode("utf-8", "replace"),
    )
