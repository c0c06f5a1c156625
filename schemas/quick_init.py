"""Records that are made by the million: frozen for readers and the type checker, cheap to make."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

Record = TypeVar("Record")


def quick_init(record: type[Record]) -> type[Record]:
    """Give a frozen dataclass the constructor of a plain one.

    The constructor of a frozen dataclass sets every field through a guarded call: 3.6 µs for the 24 fields of a
    message, against .6 µs. The guard is taken off with it, so that here the type checker alone refuses an assignment.
    """
    plain: dict[str, Any] = {"__annotations__": {each.name: each.type for each in fields(record)}}  # type: ignore[arg-type]
    for each in fields(record):  # type: ignore[arg-type]
        if each.default_factory is not MISSING:
            plain[each.name] = field(default_factory=each.default_factory)
        elif each.default is not MISSING:
            plain[each.name] = each.default
    record.__init__ = dataclass(type(record.__name__, (), plain)).__init__  # type: ignore[method-assign, misc]
    del record.__setattr__, record.__delattr__
    return record
