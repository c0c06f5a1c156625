"""Whether a text stands inside of others, at a cost that grows with the texts and not with how often it is asked."""

from collections.abc import Iterable
from typing import Final

SHORT: Final = 8
"""Shorter texts stand inside of others by chance: they are told only as whole words."""
NEAR: Final = 1 << 13
"""Characters to either side of the last find that are searched first: values come in the order of the messages."""
_FREE: Final = 1 << 26
_PER_CHAR: Final = 64
"""The budget: characters searched in all, and for each one of the texts. Native records of 800 long steps need 11 for
each, of 5000 short ones 30; searching in a hostile text all that it allows takes below half a second for each MiB."""
_PER_TRY: Final = 64
"""What another place of a short text costs beside the characters up to it."""


class Passages:
    """Texts, and what stands inside of them.

    All searching together is bounded by `budget` characters. Past it nothing but what was found before is told to
    stand: a record that asks for more has its values named as lost rather than the run held up by it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._joined = "\x00".join(texts)
        self._known: dict[str, bool] = {}
        self._cursor = 0
        self.budget: Final = _FREE + _PER_CHAR * len(self._joined)
        self.searched = 0

    def hold(self, text: str) -> bool:
        """Say whether a text stands in one of the texts; a short one only as whole words."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self.hold_near(text) or self._hold_far(text)
        return found

    def hold_near(self, text: str) -> bool:
        """Say whether a text stands near the last one that was found; `hold` says where it does not."""
        known = self._known.get(text)
        if known is not None:
            return known
        last = self._cursor
        ahead = last + len(text)
        return self._finds(text, last, ahead + NEAR) or self._finds(text, max(last - NEAR, 0), ahead)

    def _hold_far(self, text: str) -> bool:
        last = self._cursor
        return self._finds(text, last, len(self._joined)) or self._finds(text, 0, last + len(text))

    def _finds(self, text: str, start: int, end: int) -> bool:
        """Search a text between two places, as far as the budget goes."""
        joined = self._joined
        end = min(end, len(joined))
        while self.searched < self.budget:
            found = joined.find(text, start, end)
            if found < 0:
                self.searched += max(end - start, 0)
                return False
            self.searched += found - start + len(text)
            if len(text) >= SHORT or _is_whole(joined, found, found + len(text)):
                self._cursor = found
                return True
            self.searched += _PER_TRY
            start = found + 1
        return False


def _is_whole(joined: str, start: int, end: int) -> bool:
    return not joined[start - 1 : start].isalnum() and not joined[end : end + 1].isalnum()
