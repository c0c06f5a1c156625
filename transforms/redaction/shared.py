"""Texts that many rollouts share, judged once: the first message, the tools, the sampling settings, the last texts.

A text is known from its second sight on if it holds no secret wherever it stands: no rule finds its form in it, no
token of it is random, and no look from a name in it finds a value or reads beyond it. The one pass leaves it out.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from schemas.records import Rollout
from transforms.redaction.fields import KnownTexts, last_texts, unescaped_json
from transforms.redaction.named import could_hold_named
from transforms.redaction.near import noise
from transforms.redaction.notes import noted_json
from transforms.redaction.placeholders import covered
from transforms.redaction.suspects import MOST_NAMES, REACH_BEFORE, is_beyond, name_ends
from transforms.redaction.units import Page, encode

_MOST_TEXTS: Final = 128
_LONGEST_TEXT: Final = 1 << 16
"""Texts that are kept, and the characters of the longest: at most some MB of ASCII a process."""
_ENDS_A_CELL: Final = re.compile(rb"[|,\t)\r\n]")
"""Behind a name it can head a column, the one look that goes over the end of a text."""


@dataclass(slots=True)
class _Sighting:
    """What is known of a text."""

    is_second: bool = False
    is_judged: bool = False
    is_clean: bool = False
    has_names: bool = False


_UNKNOWN: Final = _Sighting()


class SharedTexts:
    """Knows the clean ones of the texts seen last; what it says of a text depends on the text alone, or is "no".

    Args:
        one_pass: Gives the indices of the patterns that match somewhere in a text.
        names: The index of the pattern of names.
    """

    def __init__(self, one_pass: Callable[[bytes], list[int]], *, names: int) -> None:
        self._one_pass = one_pass
        self._names = names
        self._sighting = lru_cache(maxsize=_MOST_TEXTS)(_sighted)

    def known_of(self, rollout: Rollout) -> KnownTexts:
        """Return which of a rollout's texts are known to be clean."""
        header, messages = rollout.header, rollout.messages
        tools = self._recall(header.tools_json, is_json=True)
        sampling = self._recall(header.sampling_json, is_json=True)
        content = self._recall(messages[0].content if messages else None)
        last = self._recall("\x00".join(last_texts(rollout)))
        has_names = any(sighting.has_names for sighting in (tools, sampling, content, last))
        return KnownTexts(tools.is_clean, sampling.is_clean, content.is_clean, last.is_clean, has_names)

    def _recall(self, text: str | None, *, is_json: bool = False) -> "_Sighting":
        if not text or len(text) > _LONGEST_TEXT:
            return _UNKNOWN
        sighting = self._sighting(text, is_json)
        if sighting.is_judged:
            return sighting
        if sighting.is_second:
            sighting.is_clean, sighting.has_names = self._judge(text, is_json=is_json)
            sighting.is_judged = True
            return sighting
        sighting.is_second = True
        return _UNKNOWN

    def _judge(self, text: str, *, is_json: bool) -> tuple[bool, bool]:
        scanned = encode(f"{text}\x00{unescaped_json(text)}" if is_json else text)
        flagged = self._one_pass(scanned)
        if covered(scanned) != scanned or any(noise(scanned)) or flagged not in ([], [self._names]):
            return False, False
        page = Page(noted_json(text)).text if is_json else scanned
        is_clean = not flagged or not _could_speak(page)
        return is_clean, is_clean and bool(flagged)


def _sighted(text: str, is_json: bool) -> _Sighting:
    return _Sighting()


def _could_speak(text: bytes) -> bool:
    """Say whether a name in a text could speak for a value in it or for one beyond it."""
    ends = name_ends(text)
    if not ends or len(ends) >= MOST_NAMES:
        return bool(ends)
    if _ENDS_A_CELL.search(text, ends[0] - 1) and (ends[0] < REACH_BEFORE or not is_beyond([text[ends[-1] :]])):
        return True
    return could_hold_named(b"\x00" + text + b"\x00", first=0)
