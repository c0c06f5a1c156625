"""Look-up of fields by a list of possible names; a name with dots reaches into nested objects."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from transforms.formats.rewards import MISSING

_DIGITS: Final = re.compile(r"[+-]?[0-9]+")


def lookup(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first name present (a null counts), else `MISSING`."""
    for name in names:
        if name in record:
            return record[name]
        if "." in name and (value := _reach(record, name.split("."))) is not MISSING:
            return value
    return MISSING


def first_present(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first name whose value is not null; None when there is none."""
    for name in names:
        value = record.get(name) if "." not in name else lookup(record, [name])
        if value is not None and value is not MISSING:
            return value
    return None


def present_name(record: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first name that is present in the record."""
    for name in names:
        if name in record or ("." in name and _reach(record, name.split(".")) is not MISSING):
            return name
    return None


def watched_keys(*names: Iterable[str]) -> frozenset[str]:
    """Return the last parts of field names: keys that must not stand twice in an object."""
    return frozenset(name.rpartition(".")[2] for group in names for name in group)


def as_object(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_items(value: Any) -> list[Any]:
    """Return a list; null and empty text give none, any other single value stands for a list of one."""
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def as_text(value: Any) -> str | None:
    """Return an id or name as text without outer blanks; None for null, blank, lists and objects."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return None


def as_integer(value: Any, *, bits: int = 64) -> int | None:
    """Return a whole number of at most `bits` bits (sign included): from a number or a text of digits; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = int(value) if len(value) < 21 and _DIGITS.fullmatch(value.strip()) else None
    if isinstance(value, float):
        value = int(value) if value.is_integer() and abs(value) < 2**53 else None
    return value if isinstance(value, int) and -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None


def as_count(value: Any, *, bits: int = 64) -> int | None:
    """Return a whole number as `as_integer` does, of things that are counted: None for one below 0."""
    number = as_integer(value, bits=bits)
    return None if number is None or number < 0 else number


def as_number(value: Any) -> float | None:
    """Return a finite number as float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def as_datetime(value: Any) -> datetime | None:
    """Return an ISO 8601 text or a number of seconds (or milliseconds) since 1970 as UTC time; else None."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        number = as_number(value)
        if number is None or number <= 0:
            return None
        # 1e11 seconds lie in the year 5138, 1e11 milliseconds in 1973.
        return datetime.fromtimestamp(number / 1000 if number > 1e11 else number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _reach(record: Any, path: list[str]) -> Any:
    for part in path:
        if not isinstance(record, Mapping) or part not in record:
            return MISSING
        record = record[part]
    return record
