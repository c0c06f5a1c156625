"""Rows of a Parquet file as plain Python values, decoded in a supervised process."""

from collections.abc import Iterator
from typing import BinaryIO, Final

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord
from transforms.reading.failures import NativeCrashError, UnreadableError
from transforms.reading.native import Limits, NativeRecord
from transforms.reading.streams import inflate_limit
from transforms.reading.supervision import supervised

MAGIC: Final = b"PAR1"


def column_names(stream: BinaryIO) -> list[str]:
    """Return the names of a Parquet file's columns.

    Raises:
        UnreadableError: The file is no readable Parquet file.
    """
    try:
        return [str(name) for piece in supervised("parquet_names", stream) for name in orjson.loads(piece)]
    except UnreadableError as error:
        raise type(error)(f"damaged Parquet file: {error}") from error


def parquet_records(stream: BinaryIO, *, limits: Limits) -> Iterator[NativeRecord | BadRecord]:
    """Yield the rows of a Parquet file as records keyed `row:<number from 1>`.

    Nulls inside structs are left out (but those of `content` and `reward`), as a typed column cannot tell a null from
    a field the record never had; maps become objects, times ISO texts, decimals and bytes texts.

    Raises:
        UnreadableError: The file is damaged; rows that came before have been yielded.
        TooLargeError: The file decodes to more than is allowed.
        NativeCrashError: The process that decodes it died.
    """
    size = stream.seek(0, 2)
    number = 0
    pieces = supervised(
        "parquet_rows",
        stream,
        max_bytes=limits.max_bytes,
        max_depth=limits.max_depth,
        max_total=inflate_limit(size),
    )
    try:
        for piece in pieces:
            for line in piece.split(b"\n"):
                number, row, *fault = orjson.loads(line)
                yield _record(number, row, fault)
    except UnreadableError as error:
        raise type(error)(f"damaged Parquet file after row {number}: {error}") from error
    except ValueError as error:
        raise NativeCrashError(f"the reading process lost its senses after row {number}: {error}") from error


def _record(number: int, row: dict[str, object] | None, fault: list[str | None]) -> NativeRecord | BadRecord:
    if row is not None:
        return NativeRecord(f"row:{number}", row)
    reason, message, sha256 = fault
    return BadRecord(f"row:{number}", QuarantineReason(str(reason)), message or "", sha256=sha256)
