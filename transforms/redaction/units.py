"""A rollout's texts side by side: what is scanned together, which part of it may change, and how changes go back."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from transforms.redaction.fields import framed
from transforms.redaction.placeholders import covered

Unit = tuple[str, str | None, bool]
"""One text: what may change, the JSON key that stands before it when it is scanned, and whether it is a name."""

Edit = tuple[int, int, bytes]
"""A place of a unit's text in bytes, from and to, and what comes there."""


class Page:
    """Units joined by NULs, placeholders covered by them: no rule looks across."""

    def __init__(self, units: Sequence[Unit]) -> None:
        scanned = [text if key is None else framed(key, text) for text, key, _ in units]
        joined = "\x00".join(scanned)
        sizes = map(len, scanned if joined.isascii() else map(encode, scanned))
        self._units = units
        self._starts = [0, *accumulate(size + 1 for size in sizes)]
        self._index = self._from = self._to = self._first = self._last = 0
        # No placeholder holds a NUL: covering all units at once covers each.
        self.text = covered(encode(joined))

    def locate(self, start: int, end: int) -> tuple[int, int, int]:
        """Return the unit of a place, and the part of it that lies in the unit's text: start and end there."""
        if not self._from <= start < self._to:
            self._index = bisect_right(self._starts, start) - 1
            self._from, self._to = self._starts[self._index : self._index + 2]
            self._first, self._last = self._bounds_of(self._index)
        first, last = self._first, self._last
        return self._index, (start - first if start > first else 0), (end if end < last else last) - first

    def _bounds_of(self, index: int) -> tuple[int, int]:
        """Return where the text of a unit begins and ends, without the key around it."""
        start, end, key = self._starts[index], self._starts[index + 1] - 1, self._units[index][1]
        if key is None:
            return start, end
        before, _, after = framed(key, "\x00").rpartition("\x00")
        return start + len(encode(before)), end - len(encode(after))


def apply_edits(value: bytes, edits: Sequence[Edit]) -> bytes:
    """Return a value with places replaced, which are sorted and apart from each other."""
    pieces: list[bytes] = []
    end = 0
    for start, stop, replacement in edits:
        pieces += (value[end:start], replacement)
        end = stop
    pieces.append(value[end:])
    return b"".join(pieces)


def encode(text: str) -> bytes:
    """Return a text's bytes; lone surrogates are kept."""
    return text.encode("utf-8", "surrogatepass")


def decode(text: bytes) -> str:
    """Return the text of bytes that `encode` made."""
    return text.decode("utf-8", "surrogatepass")
