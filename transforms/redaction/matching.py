"""Our own rules, compiled: where their secrets stand in a text."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import re2

from transforms.redaction.one_pass import byte_options
from transforms.redaction.rule import Rule
from transforms.redaction.stretches import spans_of

_CLASS: Final = r"\[[^\]\\]+\]"
_PLAIN_TOKEN: Final = re.compile(rf"(?:[A-Za-z0-9_-]|\\\.|{_CLASS}){{3,}}{_CLASS}\{{[0-9]+,?[0-9]*\}}")
"""Fixed letters, then one counted run: `re` cannot backtrack in it and gives a match six times as fast as RE2."""


class CompiledRule(NamedTuple):
    """A rule and its pattern, ready to run; `group` is the pattern's secret."""

    rule: Rule
    pattern: "re.Pattern[bytes] | re2._Regexp"
    group: int

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Return start and end of everything in the text that has the rule's form, in its order."""
        if isinstance(self.pattern, re.Pattern):
            return (match.span() for match in self.pattern.finditer(text))
        group = self.group
        return (spans[group] for spans in match_spans(self.pattern, text))

    def accepts(self, text: bytes, start: int, end: int) -> bool:
        """Say whether the rule takes the value at a place for a secret."""
        accept = self.rule.accept
        return accept is None or accept(text[start:end], text[end : end + 1])


def match_spans(pattern: "re2._Regexp", text: bytes) -> Iterator[list[tuple[int, int]]]:
    """Yield start and end of every match of a pattern that matches no empty text, and of the groups in it."""
    search, end = spans_of(pattern), len(text)
    spans = search(text, 0, end)
    while spans[0][0] >= 0:
        yield spans
        spans = search(text, spans[0][1], end)


def compile_rules(rules: Sequence[Rule]) -> tuple[CompiledRule, ...]:
    """Compile rules for matching over bytes."""
    return tuple(_compile_rule(rule) for rule in rules)


def _compile_rule(rule: Rule) -> CompiledRule:
    pattern = rule.pattern.encode()
    if _PLAIN_TOKEN.fullmatch(rule.pattern):
        return CompiledRule(rule, re.compile(pattern), 0)
    compiled = re2.compile(pattern, byte_options())
    return CompiledRule(rule, compiled, compiled.groups)
