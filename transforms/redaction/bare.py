"""Where known values stand in a text, thousands of values at once."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ANCHOR_BYTES: Final = 8
_SMALL_TABLE_BITS: Final = 16
_LARGE_TABLE_BITS: Final = 20
_MOST_IN_SMALL_TABLE: Final = 1000
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""Knuth's multiplicative hashing: 2^64 divided by the golden ratio, odd."""


def occurrences(text: bytes, values: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the values in the text, by position; where several start at one place, the longest.

    Args:
        text: The text that is searched.
        values: Values of at least 8 bytes.
    """
    by_anchor: dict[bytes, list[bytes]] = defaultdict(list)
    for value in sorted(values, key=len, reverse=True):
        by_anchor[value[:_ANCHOR_BYTES]].append(value)
    for start in _candidates(text, list(by_anchor)):
        for value in by_anchor.get(text[start : start + _ANCHOR_BYTES], ()):
            if text.startswith(value, start):
                yield start, start + len(value)
                break


def _candidates(text: bytes, anchors: list[bytes]) -> list[int]:
    """Return the places where an anchor may stand: those whose next 8 bytes share a hash with one."""
    if not anchors or len(text) < _ANCHOR_BYTES:
        return []
    bits = _SMALL_TABLE_BITS if len(anchors) <= _MOST_IN_SMALL_TABLE else _LARGE_TABLE_BITS
    is_known = np.zeros(1 << bits, bool)
    is_known[_hashes(np.frombuffer(b"".join(anchors), "<u8"), bits)] = True
    places = []
    for offset in range(_ANCHOR_BYTES):
        count = (len(text) - offset) // _ANCHOR_BYTES
        words = np.frombuffer(text, "<u8", count=count, offset=offset)
        places.append(np.flatnonzero(is_known[_hashes(words, bits)]) * _ANCHOR_BYTES + offset)
    return np.sort(np.concatenate(places)).tolist()


def _hashes(words: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    return (words * _MULTIPLIER) >> np.uint64(64 - bits)
