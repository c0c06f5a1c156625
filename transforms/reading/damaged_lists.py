"""Where the whole items of a damaged JSON list stand: an item that was cut or overwritten costs itself alone."""

import json
import re
from collections.abc import Iterator, Set
from typing import Any, Final

_OPENING: Final = re.compile(r"\ufeff?\s*\[\s*")
_BETWEEN: Final = re.compile(r"\s*,\s*")
_BEFORE_OBJECT: Final = re.compile(r"[,}\]]\s*(?=\{)")
_SEARCHED_CHARS: Final = 1 << 26
"""Characters of a damaged list that are parsed in vain, beside twice its size, before the search for items ends."""
_LINES_PER_PARSE: Final = 32
"""Characters searched for ends of lines in the time that one is parsed in, or less."""


def whole_items(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each item of a JSON list begins and ends, in bytes, without those that are damaged or cut.

    Behind a damaged item, or a lost comma, the next item is the first object that has all keys that the objects before
    it share: what lies inside of the damaged one has others. Bytes that are no UTF-8 damage the item that holds them.
    """
    text = raw.decode("utf-8", "surrogateescape")
    opening = _OPENING.match(text)
    if opening is None:
        return
    values, shared = _Values(text), frozenset[str]()
    at: int | None = opening.end()
    place, measured = 0, 0
    while at is not None:
        found = values.at(at)
        if found is None:
            at = values.next_object(at, shared)
            continue
        value, end = found
        if isinstance(value, dict):
            shared = shared & value.keys() if shared else frozenset(value)
        place += _num_bytes(text[measured:at])
        size = _num_bytes(text[at:end])
        yield place, place + size
        place, measured = place + size, end
        between = _BETWEEN.match(text, end)
        at = between.end() if between else values.next_object(end - 1, shared)


class _Values:
    """The values of a JSON text, until so much of it has been read in vain that a search would take too long."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._left = 2 * len(text) + _SEARCHED_CHARS

    def at(self, start: int) -> tuple[Any, int] | None:
        """Return the value that begins at a place, and where it ends; None if none does."""
        try:
            return self._decoder.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            # The error counts the lines before its place, which is far faster than parsing but begins at the start.
            self._left -= error.pos - start + error.pos // _LINES_PER_PARSE
        except (ValueError, RecursionError):
            # Too long a number, or too deep: nothing tells how far it was read.
            self._left -= len(self._text) - start
        return None

    def next_object(self, start: int, keys: Set[str]) -> int | None:
        """Return where the next object begins that has all of these keys; None if none does, or without keys."""
        candidate = _BEFORE_OBJECT.search(self._text, start) if keys else None
        while candidate is not None and self._left > 0:
            at = behind = candidate.end()
            if found := self.at(at):
                value, behind = found
                if value.keys() >= keys:
                    return at
                self._left -= behind - at
            candidate = _BEFORE_OBJECT.search(self._text, max(at, behind - 1))
        return None


def _num_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
