"""The value of a name that heads a column: in a table that a database prints, in CSV, in the columns of an INSERT."""

import re
from collections.abc import Callable
from typing import Final

from transforms.redaction.values import is_given, is_opaque

_MAX_ROW_BYTES: Final = 400
_MAX_RULES: Final = 2
_RULE_LINE = re.compile(rb"[\s+|=:-]*\Z")
_CELL_NAME = re.compile(rb"[\s\"'`]*[A-Za-z0-9_.-]{2,40}[\s\"'`]*\Z")
_HEADING = re.compile(rb"[A-Za-z0-9_.-]{2,40}(?: [A-Za-z0-9_.-]{1,20}){0,2}\s?\Z")
_UNDERLINE = re.compile(rb"[ \t]*-{3,}[ \t]*\r?\n")
_MORE_NAMES = re.compile(rb"[^()\x00\n]{0,200}\)\s*(?i:values)\s*\(")
_GAP: Final = b"  "
_FEWEST_IN_CELL: Final = 8
_CELL_EDGES: Final = b" \t\r\"'`();"

Place = tuple[int, int]


def value_below(text: bytes, start: int, *, end: int, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the place of the accepted value under a name that is a whole column's head.

    Args:
        text: The text.
        start: Where the name begins.
        end: Where it ends.
        accept: Judges a value.
    """
    break_before = text.rfind(b"\n", max(0, start - _MAX_ROW_BYTES), start)
    first = break_before + 1 if break_before >= 0 else max(0, start - _MAX_ROW_BYTES)
    last = text.find(b"\n", end, end + _MAX_ROW_BYTES)
    head = text[first:last] if last >= 0 else b""
    if last >= 0 and _UNDERLINE.match(text, last + 1) and (found := _alone(text, head, below=last + 1, accept=accept)):
        return found
    if _GAP in head and (found := _aligned(text, head, offset=start - first, below=last + 1, accept=accept)):
        return found
    for delimiter in (b"|", b",", b"\t", b";"):
        if delimiter in head:
            found = _below(text, head, offset=start - first, below=last + 1, delimiter=delimiter, accept=accept)
            if found:
                return found
    return _inserted(text, start, end=end, accept=accept)


def _alone(text: bytes, head: bytes, *, below: int, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the value that is a whole line under a name that is one and is underlined."""
    found = _first_row(text, below) if _HEADING.match(head.strip()) else None
    if found is None:
        return None
    below, row = found
    value = row.strip()
    start = below + row.index(value)
    return (start, start + len(value)) if _is_in_cell(value) and accept(value) else None


def _is_in_cell(value: bytes) -> bool:
    is_word = len(value) >= _FEWEST_IN_CELL and b" " not in value
    return is_word and (is_given(value, b"") or is_opaque(value, b""))


def _aligned(text: bytes, head: bytes, *, offset: int, below: int, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the value under a name in a table that blanks align: it begins where the cell of the name does."""
    column = head.rfind(_GAP, 0, offset) + len(_GAP) if _GAP in head[:offset] else 0
    if not _HEADING.match(head[column:].split(_GAP, 1)[0]):
        return None
    found = _first_row(text, below)
    if found is None:
        return None
    below, row = found
    value = row[column:].split(b" ", 1)[0].rstrip(b"\r")
    is_cell = (column == 0 or row[:column].endswith(_GAP)) and _is_in_cell(value)
    return (below + column, below + column + len(value)) if is_cell and accept(value) else None


def _first_row(text: bytes, below: int) -> tuple[int, bytes] | None:
    """Return the first of the next lines that is no rule between the head and the rows, and where it begins."""
    for _ in range(_MAX_RULES + 1):
        stop = text.find(b"\n", below, below + _MAX_ROW_BYTES)
        stop = min(len(text), below + _MAX_ROW_BYTES) if stop < 0 else stop
        row = text[below:stop]
        if row and not _RULE_LINE.match(row):
            return below, row
        below = stop + 1
    return None


def _below(
    text: bytes, head: bytes, *, offset: int, below: int, delimiter: bytes, accept: Callable[[bytes], bool]
) -> Place | None:
    column = head.count(delimiter, 0, offset)
    cells = head.split(delimiter)
    if not _CELL_NAME.match(cells[column]):
        return None
    found = _first_row(text, below)
    if found is None:
        return None
    return _cell(found[1], found[0], column=column, num_cells=len(cells), delimiter=delimiter, accept=accept)


def _cell(
    row: bytes, below: int, *, column: int, num_cells: int, delimiter: bytes, accept: Callable[[bytes], bool]
) -> Place | None:
    cells = row.split(delimiter)
    if len(cells) != num_cells and not (len(cells) == num_cells + 1 and not cells[-1].strip()):
        return None
    start = below + sum(len(cell) + 1 for cell in cells[:column])
    return _stripped(cells[column], start, accept=accept)


def _inserted(text: bytes, start: int, *, end: int, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the value of a name between `(a, name, b) VALUES (`, by its position."""
    values = _MORE_NAMES.match(text, end)
    if values is None:
        return None
    opened = text.rfind(b"(", max(0, start - _MAX_ROW_BYTES), start)
    column = text.count(b",", opened, start) if opened >= 0 else 0
    cells = text[values.end() : values.end() + _MAX_ROW_BYTES].split(b",", column + 1)
    if len(cells) <= column:
        return None
    at = values.end() + sum(len(cell) + 1 for cell in cells[:column])
    return _stripped(cells[column].partition(b")")[0], at, accept=accept)


def _stripped(cell: bytes, start: int, *, accept: Callable[[bytes], bool]) -> Place | None:
    left = len(cell) - len(cell.lstrip(_CELL_EDGES))
    value = cell.strip(_CELL_EDGES)
    return (start + left, start + left + len(value)) if accept(value) else None
