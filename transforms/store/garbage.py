"""Python's search for reference cycles, made rarer while rows by the hundred thousand are held."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

YOUNG_OBJECTS: Final = 200_000
"""Containers between two searches: a row group's steps and calls are no more, none of which is part of a cycle.

At Python's own 700 the searches take a tenth of what reading chat rows costs; at so many a hundredth.
"""

_lock: Final = threading.Lock()
_open: list[tuple[int, int, int]] = []


@contextmanager
def rare_collections() -> Iterator[None]:
    """Search for cycles only every `YOUNG_OBJECTS` containers; the last block to end restores what was set before."""
    with _lock:
        _open.append(_open[0] if _open else gc.get_threshold())
        gc.set_threshold(YOUNG_OBJECTS, *_open[0][1:])
    try:
        yield
    finally:
        with _lock:
            before = _open.pop()
            if not _open:
                gc.set_threshold(*before)
