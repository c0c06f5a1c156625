"""The parts of a rollout that hold names of secrets or random tokens, and whether anything in them is a secret.

Most rollouts with a name have none: system prompts speak of keys and tokens, settings of `max_tokens`. Such a rollout
is told by these parts alone, without taking the others apart.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import accumulate, repeat
from operator import add
from typing import Final

from schemas.records import Rollout
from transforms.redaction.fields import ScannedTexts
from transforms.redaction.matching import CompiledRule
from transforms.redaction.named import could_hold_named
from transforms.redaction.names import NAME_PATTERN
from transforms.redaction.near import near_values, noise
from transforms.redaction.notes import note_part
from transforms.redaction.one_pass import compile_ends
from transforms.redaction.units import Page, Unit, encode

MOST_NAMES: Final = 64
"""Names from which on the whole rollout is as cheap as its parts apart."""
_LONGEST_NAME: Final = 80
REACH_BEFORE: Final = 700
_REACH_BEHIND: Final = 1800
"""Bytes around a name that a look can read: a row of a table before it and four below."""
_MOST_LINES: Final = 5
"""Lines behind a name that a look can read, unless they are the values of an INSERT."""
_INSERTED: Final = re.compile(rb"(?i)\)\s*values")


def could_decode(rollout: Rollout, scanned: ScannedTexts, joined: bytes, *, rule: CompiledRule) -> bool:
    """Say whether the rule of base64 runs takes one: no key that is told before a value makes or breaks a run.

    Args:
        rollout: Header and messages.
        scanned: Its texts.
        joined: The bytes of the texts, a NUL between them.
        rule: The rule, compiled.
    """
    num_parts = len(scanned.starts) - 2
    parts = _parts_of([start for start, _ in rule.places(joined)], scanned, joined)
    return any(part >= num_parts or _takes_in(rollout, part, rule) for part in parts)


def _takes_in(rollout: Rollout, part: int, rule: CompiledRule) -> bool:
    text = Page(_noted(rollout, part)).text
    return any(rule.accepts(text, start, end) for start, end in rule.places(text))


def could_speak(rollout: Rollout, scanned: ScannedTexts, joined: bytes, *, has_names: bool = True) -> bool:
    """Say whether a name could speak for a value or a random token stands near a word for credentials.

    Given is that nothing else was found in the texts.

    Args:
        rollout: Header and messages.
        scanned: Its texts.
        joined: The bytes of the texts, a NUL between them.
        has_names: Whether names stand in these texts, and not in those alone that are known to be clean.
    """
    ends = name_ends(joined) if has_names else []
    if len(ends) >= MOST_NAMES:
        return True
    num_parts = len(scanned.starts) - 2
    # The byte behind a name can be the NUL before the next text: the one two before the end is the name's own.
    named = _parts_of([max(end - 2, 0) for end in ends], scanned, joined)
    if any(part >= num_parts or _speaks_in(rollout, part, num_parts=num_parts) for part in named):
        return True
    # A text made of two is read only for names that it makes: it has none.
    noisy = _parts_of([start for start, _ in noise(joined)], scanned, joined)
    return any(part < num_parts and _is_near_in(rollout, part) for part in noisy)


def name_ends(text: bytes) -> list[int]:
    """Return where the first names of a text end, each with the byte behind it."""
    return _compiled_ends()(text)


@cache
def _compiled_ends() -> Callable[[bytes], list[int]]:
    return compile_ends(NAME_PATTERN, most=MOST_NAMES)


def _parts_of(places: list[int], scanned: ScannedTexts, joined: bytes) -> list[int]:
    """Return the numbers of the parts in which places lie."""
    if not places:
        return []
    texts = scanned.texts
    if joined.count(b"\x00") == len(texts) - 1:
        indices = {joined.count(b"\x00", 0, place) for place in places}
    else:
        borders = list(accumulate(map(add, map(len, map(encode, texts)), repeat(1))))
        indices = {bisect_right(borders, place) for place in places}
    return sorted({bisect_right(scanned.starts, index) - 1 for index in indices})


def _is_near_in(rollout: Rollout, part: int) -> bool:
    """Say whether a random token in a part stands near a word for credentials; no look leaves a text."""
    return any(near_values(Page(_noted(rollout, part)).text))


def _speaks_in(rollout: Rollout, part: int, *, num_parts: int) -> bool:
    """Say whether a name in a part could speak for a value in it or so near to it as a look reads."""
    units = _noted(rollout, part)
    text = Page(units).text
    ends = name_ends(text)
    if not ends or len(ends) >= MOST_NAMES:
        return bool(ends)
    first = last = part
    num_before, start = ends[0], max(0, ends[0] - _LONGEST_NAME)
    whole = units
    while num_before < REACH_BEFORE and first > 0:
        first -= 1
        before = _noted(rollout, first)
        num_before += _num_characters(before)
        whole, start = before + whole, 0
    behind = [text[ends[-1] :]]
    while last < num_parts - 1 and not is_beyond(behind):
        last += 1
        following = _noted(rollout, last)
        behind.append(b"\x00" + Page(following).text)
        whole = whole + following
    if whole is not units:
        text = Page(whole).text
    # What follows a part is not the end of all text.
    return could_hold(text if last == num_parts - 1 else text + b"\x00", start)


def is_beyond(behind: list[bytes]) -> bool:
    """Say whether no look from a name reads beyond what stands behind it."""
    text = b"".join(behind)
    return len(text) >= _REACH_BEHIND or (text.count(b"\n") >= _MOST_LINES and not _INSERTED.search(text))


@lru_cache(maxsize=512)
def could_hold(text: bytes, start: int) -> bool:
    """Judge the names of a text, which many rollouts share: they begin with the same prompt."""
    return could_hold_named(text, first=start)


def _noted(rollout: Rollout, part: int) -> list[Unit]:
    units: list[Unit] = []
    note_part(units, rollout, part)
    return units


def _num_characters(units: list[Unit]) -> int:
    return sum(len(unit[0]) + 1 for unit in units)
