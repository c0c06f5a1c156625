"""The whole catalogue, compiled: our own rules and the maintained ones in one pass, and where their secrets stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from transforms.redaction.bare import occurrences
from transforms.redaction.encoded import encoded_rule
from transforms.redaction.maintained import Finding, MaintainedRule, find_maintained, maintained_rules
from transforms.redaction.matching import CompiledRule, compile_rules
from transforms.redaction.one_pass import OnePass, compile_one_pass
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES
from transforms.redaction.units import Edit, apply_edits
from transforms.redaction.values import is_random

PERSONAL_KINDS: Final = frozenset(rule.kind for rule in PERSONAL_RULES)
MIN_BARE_LENGTH: Final = 12
"""Characters a secret needs to be replaced outside its context too; shorter ones also stand for other things."""


@dataclass(slots=True)
class Search:
    """A text and the places of it that were given to a secret; where two overlap, the earlier claim stands.

    `text` has a NUL between the texts that were joined and in place of every placeholder. `bare_values` are secrets
    known from their context, which are found bare too; new ones are added. `is_allowed` says of the text, start and
    end whether that place must stand.
    """

    text: bytes
    bare_values: set[bytes]
    is_allowed: Callable[[bytes, int, int], bool]
    findings: list[Finding] = field(default_factory=list)
    _taken: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self._taken = bytearray(len(self.text))

    def is_taken(self, start: int, end: int) -> bool:
        """Say whether a place is empty, must stand, or a part of it is claimed."""
        return start >= end or self._taken.find(1, start, end) >= 0 or self.is_allowed(self.text, start, end)

    def claim(self, start: int, end: int, kind: str) -> None:
        """Give a place to a secret of a kind."""
        self._taken[start:end] = b"\x01" * (end - start)
        self.findings.append(Finding(start, end, kind))

    def left(self) -> bytes:
        """Return the text with NULs over the places that are taken."""
        covers = [Edit(start, end, b"\x00" * (end - start)) for start, end, _ in sorted(self.findings)]
        return apply_edits(self.text, covers)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Our own rules first, then those of the package; the one pass names rules of both by position."""

    own: tuple[CompiledRule, ...]
    maintained: tuple[MaintainedRule, ...]
    one_pass: OnePass

    def find(self, search: Search) -> list[Finding]:
        """Return the secrets of a text by position; only the rules that the one pass names are run."""
        flagged = self.one_pass(search.text)
        for index in flagged:
            if index < len(self.own):
                _claim_own(search, self.own[index])
        if flagged and flagged[-1] >= len(self.own):
            self._claim_maintained(search)
        for start, end in occurrences(search.text, search.bare_values):
            if not search.is_taken(start, end):
                search.claim(start, end, "SECRET")
        return sorted(search.findings)

    def _claim_maintained(self, search: Search) -> None:
        """Claim what the package finds in what our own rules left: the one pass looks again, as it costs the least."""
        left = search.left()
        rules = [self.maintained[index - len(self.own)] for index in self.one_pass(left) if index >= len(self.own)]
        for found in find_maintained(left, rules) if rules else ():
            if b"\x00" not in left[found.start : found.end] and not search.is_taken(found.start, found.end):
                search.claim(*found)


def _claim_own(search: Search, compiled: CompiledRule) -> None:
    rule, text = compiled.rule, search.text
    for start, end in compiled.places(text):
        if search.is_taken(start, end) or not compiled.accepts(text, start, end):
            continue
        search.claim(start, end, rule.kind)
        if rule.is_contextual and end - start >= MIN_BARE_LENGTH:
            value = text[start:end]
            if rule.accept is is_random or is_random(value, b""):
                search.bare_values.add(value)


@cache
def compiled_catalogue(personal_data: bool) -> Catalogue:
    """Return the catalogue, compiled once a process."""
    personal = PERSONAL_RULES if personal_data else ()
    own = compile_rules((*SECRET_RULES, encoded_rule(), *personal))
    maintained = maintained_rules()
    patterns = [compiled.rule.pattern for compiled in own] + [rule.trigger for rule in maintained]
    return Catalogue(own, maintained, compile_one_pass(patterns))


def allows(literals: Sequence[bytes]) -> Callable[[bytes, int, int], bool]:
    """Return the test whether a place lies inside a literal that is never redacted."""
    if not literals:
        return lambda text, start, end: False

    def is_allowed(text: bytes, start: int, end: int) -> bool:
        return any(_lies_inside(literal, text, start=start, end=end) for literal in literals)

    return is_allowed


def _lies_inside(literal: bytes, text: bytes, *, start: int, end: int) -> bool:
    found = text.find(literal, max(0, end - len(literal)), start + len(literal))
    return found >= 0 and found <= start and end <= found + len(literal)
