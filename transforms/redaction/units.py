"""A rollout's texts side by side: what is scanned together, which part of it may change, and how changes go back."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from transforms.redaction.fields import framed
from transforms.redaction.placeholders import covered


@dataclass(slots=True)
class Unit:
    """One text: `value` is what may change, with `before` and `after` around it when it is scanned."""

    value: bytes
    before: bytes = b""
    after: bytes = b""
    is_name: bool = False
    is_changed: bool = False

    @property
    def scanned(self) -> bytes:
        return self.before + self.value + self.after


Edit = tuple[int, int, bytes]
"""A place of a unit's value, from and to, and what comes there."""


class Page:
    """Units joined by NULs, placeholders covered by them: no rule looks across."""

    def __init__(self, units: Sequence[Unit]) -> None:
        scanned = [covered(unit.scanned) for unit in units]
        starts = [0, *accumulate(len(text) + 1 for text in scanned)]
        self._starts = starts
        self._values = [
            (start + len(unit.before), start + len(unit.before) + len(unit.value))
            for start, unit in zip(starts, units, strict=False)
        ]
        self.text = b"\x00".join(scanned)

    def locate(self, start: int, end: int) -> tuple[int, int, int]:
        """Return the unit of a place, and the part of it that lies in the unit's value: start and end there."""
        index = bisect_right(self._starts, start) - 1
        first, last = self._values[index]
        return index, max(start, first) - first, min(end, last) - first


def unit_of(text: str, *, key: str | None = None, is_name: bool = False) -> Unit:
    """Return the unit of a text; a value under a JSON key is scanned with it."""
    value = encode(text)
    if key is None:
        return Unit(value, is_name=is_name)
    before, _, after = framed(key, "\x00").partition("\x00")
    return Unit(value, encode(before), encode(after), is_name)


def apply_edits(value: bytes, edits: Sequence[Edit]) -> bytes:
    """Return a value with places replaced, which are sorted and apart from each other."""
    return b"".join(_spliced(value, edits))


def encode(text: str) -> bytes:
    """Return a text's bytes; lone surrogates are kept."""
    return text.encode("utf-8", "surrogatepass")


def decode(text: bytes) -> str:
    """Return the text of bytes that `encode` made."""
    return text.decode("utf-8", "surrogatepass")


def _spliced(value: bytes, edits: Sequence[Edit]) -> Iterator[bytes]:
    end = 0
    for start, stop, replacement in edits:
        yield value[end:start]
        yield replacement
        end = stop
    yield value[end:]
