"""The whole catalogue, compiled: our own rules and the maintained ones in one pass, and where their secrets stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from transforms.redaction.bare import occurrences
from transforms.redaction.encoded import encoded_rule
from transforms.redaction.maintained import Finding, MaintainedRule, find_maintained, maintained_rules
from transforms.redaction.matching import CompiledRule, compile_rules, find_secrets
from transforms.redaction.one_pass import OnePass, compile_one_pass
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES
from transforms.redaction.values import is_random

PERSONAL_KINDS: Final = frozenset(rule.kind for rule in PERSONAL_RULES)
MIN_BARE_LENGTH: Final = 12
"""Characters a secret needs to be replaced outside its context too; shorter ones also stand for other things."""


class Claims:
    """The places of a text that were given to a secret; where two overlap, the earlier claim stands."""

    def __init__(self, length: int) -> None:
        self.findings: list[Finding] = []
        self._taken = bytearray(length)

    def add(self, start: int, end: int, kind: str) -> bool:
        """Claim a place unless a part of it is taken; say whether it was claimed."""
        if start >= end or self._taken.find(1, start, end) >= 0:
            return False
        self._taken[start:end] = b"\x01" * (end - start)
        self.findings.append(Finding(start, end, kind))
        return True


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Our own rules first, then those of the package; the one pass names rules of both by position."""

    own: tuple[CompiledRule, ...]
    maintained: tuple[MaintainedRule, ...]
    one_pass: OnePass

    def find(
        self, text: bytes, *, bare_values: set[bytes], is_allowed: Callable[[bytes, int, int], bool]
    ) -> list[Finding]:
        """Return the secrets of a text by position; only the rules that the one pass names are run.

        Args:
            text: Texts with a NUL between them and in place of every placeholder.
            bare_values: Secrets known from their context, which are found bare; new ones are added.
            is_allowed: Says of a text, start and end whether that place must stand.
        """
        claims = Claims(len(text))
        flagged = self.one_pass(text)
        for index in flagged:
            if index < len(self.own):
                self._claim_own(text, self.own[index], claims, bare_values=bare_values, is_allowed=is_allowed)
        if rules := [self.maintained[index - len(self.own)] for index in flagged if index >= len(self.own)]:
            for found in find_maintained(text, rules):
                if b"\x00" not in text[found.start : found.end] and not is_allowed(text, found.start, found.end):
                    claims.add(*found)
        for start, end in occurrences(text, bare_values):
            claims.add(start, end, "SECRET")
        return sorted(claims.findings)

    def _claim_own(
        self,
        text: bytes,
        compiled: CompiledRule,
        claims: Claims,
        *,
        bare_values: set[bytes],
        is_allowed: Callable[[bytes, int, int], bool],
    ) -> None:
        rule = compiled.rule
        for start, end in find_secrets(text, compiled):
            if is_allowed(text, start, end) or not claims.add(start, end, rule.kind):
                continue
            if rule.is_contextual and end - start >= MIN_BARE_LENGTH and is_random(text[start:end], b""):
                bare_values.add(text[start:end])


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
