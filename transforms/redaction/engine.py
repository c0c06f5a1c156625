"""Replace secrets by numbered placeholders, before anything is stored.

One multi-pattern pass over all texts of a rollout says which rules could match; a clean rollout costs nothing more.
A flagged one is scanned field by field, segment by segment between placeholders, until a whole round finds nothing:
so redacting twice changes nothing. A secret known from its context is then replaced wherever it stands bare.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

import re2

from schemas.records import Rollout
from transforms.redaction.fields import rewrite_json, rewrite_rollout, scanned_texts
from transforms.redaction.placeholders import Placeholders, placeholder_pattern
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES, Rule
from transforms.redaction.values import is_random

MIN_BARE_LENGTH: Final = 12
"""Characters a secret needs to be replaced outside its context too; shorter ones also stand for other things."""
_SET_MEMORY_BYTES: Final = 256 << 20
"""Room of the one pass: a set that runs out of room answers like a clean text, so it must not."""
_SEPARATOR: Final = "\n\x00\n"


class _Compiled(NamedTuple):
    triggers: "re2.Set"
    rules: tuple[tuple[Rule, "re2._Regexp"], ...]


@cache
def _compiled(personal_data: bool) -> _Compiled:
    options = _byte_options()
    rules = (*SECRET_RULES, *PERSONAL_RULES) if personal_data else SECRET_RULES
    triggers = re2.Set.SearchSet(options)
    for rule in rules:
        triggers.Add(rule.trigger.encode())
    triggers.Compile()
    return _Compiled(triggers, tuple((rule, re2.compile(rule.pattern.encode(), options)) for rule in rules))


@dataclass(frozen=True)
class Redactor:
    """Redacts rollouts and single texts.

    Args:
        enabled: Off, everything is handed back as it came.
        allow: Literals that are never redacted, alone or as the text around a match.
        personal_data: Also replace e-mail addresses, phone numbers and public IPv4 addresses.
    """

    enabled: bool = True
    allow: Collection[str] = ()
    personal_data: bool = False

    def redact_rollout(self, rollout: Rollout) -> tuple[Rollout, dict[str, int]]:
        """Return the rollout without secrets, and how many places were replaced, by kind."""
        if not self.enabled:
            return rollout, {}
        joined = _encode(_SEPARATOR.join(scanned_texts(rollout)))
        if not _compiled(self.personal_data).triggers.Match(joined):
            return rollout, {}
        scan = self._scan(joined)
        while True:
            rollout = rewrite_rollout(rollout, scan.redact, scan.redact_json)
            if not scan.finish_round():
                return rollout, dict(sorted(scan.placeholders.counts.items()))

    def redact_text(self, text: str) -> str:
        """Return a single text, such as an error's message, without secrets."""
        if not self.enabled:
            return text
        scan = self._scan(_encode(text))
        while True:
            text = scan.redact(text)
            if not scan.finish_round():
                return text

    def _scan(self, text: bytes) -> "_Scan":
        scan = _Scan(_compiled(self.personal_data), tuple(_encode(literal) for literal in self.allow))
        scan.placeholders.reserve(text)
        return scan


@dataclass(slots=True)
class _Scan:
    """The rounds over one rollout: what was found so far, and what is looked for bare in the next round."""

    compiled: _Compiled
    allow: tuple[bytes, ...]
    placeholders: Placeholders = field(default_factory=Placeholders)
    bare_values: set[bytes] = field(default_factory=set)
    bare_pattern: "re2._Regexp | None" = None
    num_before_round: int = 0

    def finish_round(self) -> bool:
        """Say whether the round replaced anything, and take up its contextual secrets for the next."""
        num_found = self.placeholders.counts.total()
        is_changed = num_found > self.num_before_round
        self.num_before_round = num_found
        if is_changed and self.bare_values:
            longest_first = sorted(self.bare_values, key=lambda value: (-len(value), value))
            alternatives = b"|".join(re2.escape(value) for value in longest_first)
            self.bare_pattern = re2.compile(alternatives, _byte_options())
        return is_changed

    def redact_json(self, json_text: str) -> str:
        return rewrite_json(json_text, self.redact)

    def redact(self, text: str) -> str:
        encoded = _encode(text)
        if not self.compiled.triggers.Match(encoded) and self.bare_pattern is None:
            return text
        num_before = self.placeholders.counts.total()
        redacted = b"".join(self._redact_segments(encoded))
        if self.placeholders.counts.total() == num_before:
            return text
        return redacted.decode("utf-8", "surrogatepass")

    def _redact_segments(self, text: bytes) -> Iterator[bytes]:
        end = 0
        for match in placeholder_pattern().finditer(text):
            yield self._redact_segment(text[end : match.start()])
            yield match.group()
            end = match.end()
        yield self._redact_segment(text[end:])

    def _redact_segment(self, segment: bytes) -> bytes:
        flagged = [self.compiled.rules[index] for index in sorted(self.compiled.triggers.Match(segment) or ())]
        parts = []
        last_end = 0
        for start, end, kind in self._claimed_spans(segment, flagged):
            parts += [segment[last_end:start], self.placeholders.name(segment[start:end], kind)]
            last_end = end
        return b"".join([*parts, segment[last_end:]])

    def _claimed_spans(self, segment: bytes, flagged: list[tuple[Rule, "re2._Regexp"]]) -> list[tuple[int, int, str]]:
        """Return the secrets of a segment by position; where two overlap, the earlier rule's stands."""
        claimed: list[tuple[int, int, str]] = []
        for rule, pattern in flagged:
            found = [
                span for span in self._matches(segment, rule, pattern) if not _overlaps(claimed, span[0], span[1])
            ]
            claimed = sorted(claimed + found)
        if self.bare_pattern is not None:
            bare = [(match.start(), match.end(), "SECRET") for match in self.bare_pattern.finditer(segment)]
            claimed = sorted(claimed + [span for span in bare if not _overlaps(claimed, span[0], span[1])])
        return claimed

    def _matches(self, segment: bytes, rule: Rule, pattern: "re2._Regexp") -> Iterator[tuple[int, int, str]]:
        for match in pattern.finditer(segment):
            start, end = match.span(pattern.groups)
            value = segment[start:end]
            if not value or (rule.accept and not rule.accept(value, segment[end : end + 1])):
                continue
            if any(value in literal and literal in segment for literal in self.allow):
                continue
            if rule.is_contextual and len(value) >= MIN_BARE_LENGTH and is_random(value, b""):
                self.bare_values.add(value)
            yield start, end, rule.kind


def _overlaps(claimed: list[tuple[int, int, str]], start: int, end: int) -> bool:
    """Say whether a span touches one of the claimed spans, which are sorted and apart from each other."""
    index = bisect_left(claimed, (end,))
    return index > 0 and claimed[index - 1][1] > start


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _byte_options() -> "re2.Options":
    """Options for bytes, not code points: negated classes then run over any encoding, one state a byte."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _SET_MEMORY_BYTES
    return options
