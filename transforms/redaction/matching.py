"""Our own rules, compiled: where their secrets stand in a text."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import re2

from transforms.redaction.one_pass import byte_options
from transforms.redaction.rules import Rule


class CompiledRule(NamedTuple):
    """A rule and its pattern, ready to run."""

    rule: Rule
    pattern: "re2._Regexp"


def compile_rules(rules: Sequence[Rule]) -> tuple[CompiledRule, ...]:
    """Compile rules for matching over bytes."""
    options = byte_options()
    return tuple(CompiledRule(rule, re2.compile(rule.pattern.encode(), options)) for rule in rules)


def find_secrets(text: bytes, compiled: CompiledRule) -> Iterator[tuple[int, int]]:
    """Yield start and end of a rule's secrets in a text, in its order."""
    accept, pattern = compiled.rule.accept, compiled.pattern
    group = pattern.groups
    for match in pattern.finditer(text):
        start, end = match.span(group)
        if accept is None or accept(text[start:end], text[end : end + 1]):
            yield start, end
