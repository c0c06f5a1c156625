"""A query's rows as CSV or JSON text."""

import csv
import io
import json
import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa


def rows_of(table: pa.Table) -> list[list[Any]]:
    """Return the table's rows as lists of Python values; equal column names are no trouble."""
    columns = [column.to_pylist(maps_as_pydicts="lossy") for column in table.columns if pa.types.is_map(column.type)]
    maps = iter(columns)
    values = [next(maps) if pa.types.is_map(column.type) else column.to_pylist() for column in table.columns]
    return [list(row) for row in zip(*values, strict=True)] if values else []


def cell_text(value: Any) -> str:
    """Return a value as the text of one cell: nothing for null, JSON for lists, maps and structs."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(_plain(value), ensure_ascii=False)
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def to_csv(table: pa.Table) -> str:
    """Return the rows as CSV with a header line."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows([cell_text(value) for value in row] for row in rows_of(table))
    return sink.getvalue()


def to_json(table: pa.Table, *, ascii_only: bool) -> str:
    r"""Return the rows as a JSON list of objects, one a line; NaN and infinities are null.

    With `ascii_only` every other character is escaped as `\uXXXX`, so that none can steer a terminal.
    """
    names = table.column_names
    objects = (dict(zip(names, map(_plain, row), strict=True)) for row in rows_of(table))
    lines = [json.dumps(row, ensure_ascii=ascii_only) for row in objects]
    text = "[" + ",\n ".join(lines) + "]\n"
    return text.replace("\x7f", "\\u007f")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {cell_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return cell_text(value)
