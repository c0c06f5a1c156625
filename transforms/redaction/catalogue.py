"""The whole catalogue, compiled: our own rules and the maintained ones in one pass, and where their secrets stand."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from transforms.redaction.bare import occurrences
from transforms.redaction.encoded import encoded_rule
from transforms.redaction.harmless import is_harmless, tells_of_cache
from transforms.redaction.letters import reads_as_words
from transforms.redaction.maintained import Finding, MaintainedRule, find_maintained, maintained_rules
from transforms.redaction.matching import CompiledRule, compile_rules
from transforms.redaction.named import named_values
from transforms.redaction.names import NAME_PATTERN
from transforms.redaction.near import near_values
from transforms.redaction.one_pass import OnePass, compile_one_pass
from transforms.redaction.parts import Part, part_around
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES
from transforms.redaction.values import is_random

IsAllowed = Callable[[bytes, int, int], bool]
PERSONAL_KINDS: Final = frozenset(rule.kind for rule in PERSONAL_RULES)
MIN_BARE_LENGTH: Final = 12
"""Characters a secret needs to be replaced outside its context too; shorter ones also stand for other things."""


class Search:
    """A text and the places of it that were given to a secret; where two overlap, the earlier claim stands.

    Args:
        text: Texts with a NUL between them and in place of every placeholder.
        bare_values: Secrets known from their context, which are found bare too; new ones are added.
        is_allowed: Says of the text, start and end whether that place must stand; None lets no place stand.
    """

    def __init__(self, text: bytes, bare_values: set[bytes], is_allowed: IsAllowed | None) -> None:
        self.text = text
        self.bare_values = bare_values
        self.findings: list[Finding] = []
        self.num_seen_by_names = 0
        self._is_allowed = is_allowed
        self._left = bytearray(text)
        self._is_of_cache: bool | None = None

    def is_free(self, start: int, end: int) -> bool:
        """Say whether a place is not empty, lies in one text, holds nothing claimed and may be claimed."""
        return (
            start < end
            and self._left.find(0, start, end) < 0
            and (self._is_allowed is None or not self._is_allowed(self.text, start, end))
        )

    def is_harmless(self, start: int, end: int) -> bool:
        """Say whether a value that its context speaks for is made to be shown."""
        if self._is_of_cache is None:
            self._is_of_cache = tells_of_cache(self.text)
        return is_harmless(self.text, start, end, is_of_cache=self._is_of_cache)

    def claim(self, start: int, end: int, kind: str) -> None:
        """Give a place to a secret of a kind."""
        self._left[start:end] = bytes(end - start)
        self.findings.append((start, end, kind))

    def left(self) -> bytes:
        """Return the text with NULs over what is claimed."""
        return bytes(self._left)

    def within(self, part: Part) -> "Search":
        """Return the search of a part alone."""
        allowed = self._is_allowed
        if allowed is None:
            return Search(part.text, self.bare_values, None)
        return Search(part.text, self.bare_values, lambda _, *place: allowed(self.text, *part.place(*place)))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Our own rules first, then those of the package; the one pass names rules of both by position."""

    own: tuple[CompiledRule, ...]
    maintained: tuple[MaintainedRule, ...]
    one_pass: OnePass

    @property
    def names_index(self) -> int:
        """What the one pass calls the pattern of names of secrets."""
        return len(self.own)

    @property
    def encoded_index(self) -> int:
        """What the one pass calls the rule of base64 runs."""
        return len(SECRET_RULES)

    def find(
        self, search: Search, flagged: Sequence[int] | None = None, *, are_names_quiet: bool = False
    ) -> list[Finding]:
        """Return the secrets of a text by position, looking again at what is left until nothing more is found.

        Args:
            search: The text and what is known of it.
            flagged: What the one pass named for this text, or for a text that holds it; None runs the pass.
            are_names_quiet: Whether the names are known to speak for nothing, but where a claim makes new ones.
        """
        known = frozenset[bytes]()
        before, num_found = search.text, 0
        flagged = self.one_pass(search.text) if flagged is None else flagged
        has_names = len(self.own) in flagged
        self._find_once(search, flagged, looks_at_names=has_names, are_names_quiet=are_names_quiet)
        while num_found < len(search.findings):
            if len(search.bare_values) > len(known):
                _claim_bare(search, search.bare_values - known)
                known = frozenset(search.bare_values)
            part = part_around(search.findings[num_found:], before=before, after=search.left())
            before, num_found = search.left(), len(search.findings)
            inner = search.within(part)
            self._find_once(inner, self.one_pass(part.text))
            for start, end, kind in inner.findings:
                search.claim(*part.place(start, end), kind)
            if has_names and search.num_seen_by_names < len(search.findings):
                _claim_named(search, around=search.findings[search.num_seen_by_names :])
        return sorted(search.findings)

    def _find_once(
        self, search: Search, flagged: Sequence[int], *, looks_at_names: bool = False, are_names_quiet: bool = False
    ) -> None:
        num_own = len(self.own)
        for index in flagged:
            if index < num_own:
                _claim_own(search, self.own[index])
        if looks_at_names:
            _claim_named(search, around=list(search.findings) if are_names_quiet else None)
        rules = [self.maintained[index - num_own - 1] for index in flagged if index > num_own]
        for start, end, kind in find_maintained(search.left(), rules) if rules else ():
            if search.is_free(start, end):
                search.claim(start, end, kind)


def _claim_bare(search: Search, values: Collection[bytes]) -> None:
    for start, end in occurrences(search.left(), values):
        if search.is_free(start, end):
            search.claim(start, end, "SECRET")


def _claim_own(search: Search, compiled: CompiledRule) -> None:
    """Claim a rule's secrets in what earlier rules left; the less is left, the less there is to match."""
    rule, text, accept = compiled.rule, search.left(), compiled.rule.accept
    for start, end in compiled.places(text):
        if accept is not None and not accept(text[start:end], text[end : end + 1]):
            continue
        if not search.is_free(start, end) or (rule.is_contextual and search.is_harmless(start, end)):
            continue
        search.claim(start, end, rule.kind)
        if rule.is_contextual and end - start >= MIN_BARE_LENGTH:
            value = text[start:end]
            if rule.accept is is_random or is_random(value, b""):
                search.bare_values.add(value)


def _claim_named(search: Search, around: Sequence[Finding] | None = None) -> None:
    """Claim what names speak for, near to others' claims alone if given: its own leave nothing new for a name."""
    for start, end, kind in named_values(search.left(), around):
        if search.is_free(start, end) and not search.is_harmless(start, end):
            search.claim(start, end, kind)
            value = search.text[start:end]
            is_alike = kind != "PASSWORD" or is_random(value, b"")
            if end - start >= MIN_BARE_LENGTH and is_alike and not reads_as_words(value):
                search.bare_values.add(value)
    for start, end, kind in near_values(search.left()):
        if search.is_free(start, end) and not search.is_harmless(start, end):
            search.claim(start, end, kind)
            search.bare_values.add(search.text[start:end])
    search.num_seen_by_names = len(search.findings)


@cache
def compiled_catalogue(personal_data: bool) -> Catalogue:
    """Return the catalogue, compiled once a process."""
    personal = PERSONAL_RULES if personal_data else ()
    own = compile_rules((*SECRET_RULES, encoded_rule(), *personal))
    maintained = maintained_rules()
    patterns = [compiled.rule.sought for compiled in own] + [NAME_PATTERN] + [rule.trigger for rule in maintained]
    return Catalogue(own, maintained, compile_one_pass(patterns))


def allows(literals: Sequence[bytes]) -> IsAllowed | None:
    """Return the test whether a place lies inside a literal that is never redacted; None without literals."""
    if not literals:
        return None

    def is_allowed(text: bytes, start: int, end: int) -> bool:
        return any(_lies_inside(literal, text, start=start, end=end) for literal in literals)

    return is_allowed


def _lies_inside(literal: bytes, text: bytes, *, start: int, end: int) -> bool:
    found = text.find(literal, max(0, end - len(literal)), start + len(literal))
    return found >= 0 and found <= start and end <= found + len(literal)
