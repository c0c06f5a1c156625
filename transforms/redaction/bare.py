"""Where known values stand in a text, thousands of values at once."""

from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ANCHOR_BYTES: Final = 8
_MAX_VALUE_BYTES: Final = 4096
"""A longer value would make every place that begins like it dear."""
_SMALL_TABLE_BITS: Final = 18
_LARGE_TABLE_BITS: Final = 20
_MOST_IN_SMALL_TABLE: Final = 1000
_PLACES_AT_ONCE: Final = 1 << 18
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""Knuth's multiplicative hashing: 2^64 divided by the golden ratio, odd."""


def occurrences(text: bytes, values: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the values in the text, by position; where several start at one place, the longest.

    Args:
        text: The text that is searched.
        values: Values of at least 8 bytes; those of more than 4096 are not looked for.
    """
    sought = [value for value in values if len(value) <= _MAX_VALUE_BYTES]
    anchors = {value[:_ANCHOR_BYTES] for value in sought}
    starts = [start for start in _candidates(text, anchors) if text[start : start + _ANCHOR_BYTES] in anchors]
    if not starts:
        return
    ordered = sorted(sought)
    parents, longest = _parents(ordered), max(map(len, ordered))
    for start in starts:
        following = text[start : start + longest]
        index = bisect_right(ordered, following) - 1
        while index >= 0 and not following.startswith(ordered[index]):
            index = parents[index]
        if index >= 0:
            yield start, start + len(ordered[index])


def _parents(ordered: list[bytes]) -> list[int]:
    """Return for each of the sorted values the longest other one that it begins with, -1 for none."""
    parents: list[int] = []
    for index, value in enumerate(ordered):
        parent = index - 1
        while parent >= 0 and not value.startswith(ordered[parent]):
            parent = parents[parent]
        parents.append(parent)
    return parents


def _candidates(text: bytes, anchors: set[bytes]) -> list[int]:
    """Return the places where an anchor may stand: those whose next 8 bytes share a hash with one."""
    bits = _SMALL_TABLE_BITS if len(anchors) <= _MOST_IN_SMALL_TABLE else _LARGE_TABLE_BITS
    is_known = np.zeros(1 << bits, bool)
    is_known[_hashes(np.frombuffer(b"".join(anchors), "<u8"), bits)] = True
    places: list[int] = []
    for first in range(0, len(text) - _ANCHOR_BYTES + 1 if anchors else 0, _PLACES_AT_ONCE):
        count = min(_PLACES_AT_ONCE, len(text) - _ANCHOR_BYTES + 1 - first)
        words = np.ndarray(count, "<u8", text, first, (1,))
        places += (np.flatnonzero(is_known.take(_hashes(words, bits))) + first).tolist()
    return places


def _hashes(words: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    hashed = words * _MULTIPLIER
    hashed >>= np.uint64(64 - bits)
    return hashed.view(np.int64)
