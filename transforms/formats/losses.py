"""Names of what a record says and no column takes, so that nothing is left out without a word."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def untaken(record: Mapping[str, Any], taken: Collection[str], *, prefix: str = "") -> set[str]:
    """Return the names of the record's fields that say something and are not taken, each behind `prefix`.

    Null, empty text, empty lists and empty objects say nothing.
    """
    return {f"{prefix}{name}" for name, value in record.items() if name not in taken and not _is_blank(value)}


def untaken_of_each(items: Iterable[Any], taken: Collection[str], *, prefix: str) -> set[str]:
    """Return `untaken` over the objects of a list."""
    names: set[str] = set()
    for item in items:
        if isinstance(item, Mapping):
            names |= untaken(item, taken, prefix=prefix)
    return names


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)
