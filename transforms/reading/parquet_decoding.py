"""Decodes the rows of a Parquet file to JSON, a few at a time; runs in a supervised process.

The footer's claims about sizes are not trusted.
"""

import base64
import hashlib
import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, Final

import orjson
import pyarrow.parquet as pq

from schemas.reasons import QuarantineReason

BATCH_ROWS: Final = 16
"""Rows decoded at once: a 2.6 KB file that decodes to 1 GiB stayed at 149 MB with 16."""
KEPT_NULLS: Final = frozenset({"content", "reward"})
"""Struct fields whose null says something; every other null may be mere padding of the column's type."""
_BUFFER_BYTES: Final = 1024 * 1024
_PIECE_BYTES: Final = 1024 * 1024
_DEEPEST: Final = 250
"""The JSON writer refuses what is nested deeper than 254 levels."""


def schema_names(stream: BinaryIO) -> list[str]:
    """Return the names of a Parquet file's columns.

    Raises:
        pa.ArrowException: The file is no readable Parquet file.
        OSError: As above.
    """
    return list(pq.read_schema(stream).names)


def decode_rows(stream: BinaryIO, *, max_bytes: int, max_depth: int, max_total: int) -> Iterator[bytes]:
    """Yield the rows of a Parquet file as lines of JSON, several lines a piece.

    A line is `[number from 1, row]`, or `[number, null, reason, message, sha256]` for a row that cannot be used.

    Args:
        stream: The file.
        max_bytes: Characters of text that a row may have.
        max_depth: Levels a row may be nested.
        max_total: Characters of text that all rows together may have.

    Raises:
        pa.ArrowException: The file is damaged; rows that came before have been yielded.
        OSError: As above.
        OverflowError: The rows hold more than `max_total`.
        MemoryError: Not even a single row fits.
    """
    done, total = 0, 0
    for batch_rows in (BATCH_ROWS, 1):
        try:
            for piece, num_rows, size in _pieces(stream, batch_rows, skip=done, limits=(max_bytes, max_depth)):
                done, total = done + num_rows, total + size
                yield piece
                if total > max_total:
                    raise OverflowError(f"decodes to more than {max_total} characters")
            return
        except MemoryError:
            if batch_rows == 1:
                raise


def _pieces(
    stream: BinaryIO, batch_rows: int, *, skip: int, limits: tuple[int, int]
) -> Iterator[tuple[bytes, int, int]]:
    """Yield pieces with the rows and characters they hold, from the row after `skip` on."""
    stream.seek(0)
    number = 0
    lines: list[bytes] = []
    weight = size = 0
    with pq.ParquetFile(stream, memory_map=False, pre_buffer=False, buffer_size=_BUFFER_BYTES) as reader:
        for batch in reader.iter_batches(batch_size=batch_rows, use_threads=False):
            names = batch.schema.names
            for index in range(batch.num_rows):
                number += 1
                if number <= skip:
                    continue
                line, row_size = _line(number, names, [column[index] for column in batch.columns], limits)
                lines.append(line)
                weight, size = weight + len(line), size + row_size
                if weight >= _PIECE_BYTES:
                    yield b"\n".join(lines), len(lines), size
                    lines, weight, size = [], 0, 0
            if lines:
                yield b"\n".join(lines), len(lines), size
                lines, weight, size = [], 0, 0


def _line(number: int, names: list[str], cells: list[Any], limits: tuple[int, int]) -> tuple[bytes, int]:
    """Return the line of a row and the characters it holds."""
    max_bytes, max_depth = limits
    try:
        row = plain_value({name: cell.as_py() for name, cell in zip(names, cells, strict=True)})
    except UnicodeDecodeError as error:
        return _bad(number, QuarantineReason.INVALID_ENCODING, f"invalid UTF-8: {error.reason}"), 0
    except (ValueError, OverflowError) as error:
        return _bad(number, QuarantineReason.INVALID_VALUE, f"{type(error).__name__}: {error}"), 0
    size = text_size(row, min(max_depth, _DEEPEST))
    if size is None:
        return _bad(number, QuarantineReason.TOO_DEEP, f"nested deeper than {min(max_depth, _DEEPEST)} levels"), 0
    if size > max_bytes:
        sha256 = hashlib.sha256(orjson.dumps(row, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return _bad(number, QuarantineReason.TOO_LARGE, f"{size} characters, {max_bytes} allowed", sha256), size
    return orjson.dumps([number, row]), size


def _bad(number: int, reason: QuarantineReason, message: str, sha256: str | None = None) -> bytes:
    return orjson.dumps([number, None, reason, message, sha256])


def plain_value(value: Any) -> Any:
    """Return a value as JSON would hold it; text that is not UTF-8 becomes base64, NaN and infinities null."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return _plain_list(value)
    if isinstance(value, dict):
        return _plain_struct(value.items())
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return _plain_bytes(value)
    return str(value) if isinstance(value, Decimal) else repr(value)


def _plain_list(items: list[Any]) -> Any:
    if items and all(isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) for item in items):
        return _plain_struct(items)
    return [plain_value(item) for item in items]


def _plain_struct(pairs: Any) -> dict[str, Any]:
    return {str(key): plain_value(value) for key, value in pairs if value is not None or key in KEPT_NULLS}


def _plain_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def text_size(value: Any, max_depth: int) -> int | None:
    """Return the characters of all texts in `value`; None when it is nested deeper than `max_depth`."""
    size, level = 0, [value]
    for _ in range(max_depth + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, str):
                size += len(item)
            elif isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return size
        level = below
    return None
