"""The maintained catalogue: the rules of the `kingfisher-secret-scanner` package, read from it and run by it.

The package gives each rule's pattern, so that all of them go through the one pass together with our own; where one is
found, the package's scanner says where, with its filters. Its scanner asks for word boundaries around a token, which a
log does not always have: a rule that begins with fixed letters is looked for without them, and what is found is shown
to the scanner alone.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

import re2
from kingfisher_sdk import Rules, Scanner

from transforms.redaction.one_pass import byte_options

_FLAGS = re.compile(r"^(?:\(\?[is]\))*")
_RIGHT_EDGE: Final = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
_FIXED_START = re.compile(r"^\(*(?:\?:)?(?:[A-Za-z0-9]{2,12}[_-]|[A-Za-z0-9]{6})")
"""Letters with a separator, or many: base64 text holds any few letters."""
_WIDE_COUNT = re.compile(r"\{(\d+),(\d+)\}")
_WIDEST_COUNT: Final = 64
"""A wider count costs seconds to compile; without its upper end a pattern finds no less."""
_TOKEN_TAIL = re.compile(rb"[A-Za-z0-9_-]*")
_NUMBER_SUFFIX = re.compile(r"\.\d+$")
_NO_WORD = re.compile(r"[^A-Z0-9]+")


class MaintainedRule(NamedTuple):
    """A rule of the package: `trigger` goes through the one pass, `token` finds it without edges, where it may."""

    rule_id: str
    kind: str
    trigger: str
    token: "re2._Regexp | None"


class Finding(NamedTuple):
    """Where a secret stands, in bytes, and of what kind it is."""

    start: int
    end: int
    kind: str


@cache
def maintained_rules() -> tuple[MaintainedRule, ...]:
    """Return the package's rules that report secrets, in its order."""
    rules = _package_rules()
    return tuple(
        _read_rule(entry["id"], rules.detail(entry["id"])["detection_regex"])
        for entry in rules.metadata()
        if entry["visible"]
    )


def find_maintained(text: bytes, flagged: Iterable[MaintainedRule]) -> Iterator[Finding]:
    """Yield the secrets that the package's scanner sees, then those of the flagged rules that stand glued to words."""
    kinds = {rule.rule_id: rule.kind for rule in maintained_rules()}
    for finding in _scanner().scan(text.replace(b"\x00", b"\n")):
        if finding.visible:
            place = finding.location
            yield Finding(place["start_offset"], place["end_offset"], kinds[finding.rule_id])
    for rule in flagged:
        if rule.token is not None:
            yield from _glued(text, rule)


def _glued(text: bytes, rule: MaintainedRule) -> Iterator[Finding]:
    for match in rule.token.finditer(text):
        token = match.group()
        if b"\x00" not in token and any(found.rule_id == rule.rule_id for found in _scanner().scan(token)):
            yield Finding(match.start(), _TOKEN_TAIL.match(text, match.end()).end(), rule.kind)


@cache
def _package_rules() -> Rules:
    return Rules()


@cache
def _scanner() -> Scanner:
    return Scanner(_package_rules(), base64=False)


def _read_rule(rule_id: str, pattern: str) -> MaintainedRule:
    flags = _FLAGS.match(pattern).group()
    body = pattern[len(flags) :].removesuffix(_RIGHT_EDGE).removesuffix(r"\b").removeprefix(r"\b")
    trigger = flags + _WIDE_COUNT.sub(_without_wide_end, body)
    token = re2.compile((flags + body).encode(), byte_options()) if _FIXED_START.match(body) else None
    return MaintainedRule(rule_id, _kind(rule_id), trigger, token)


def _without_wide_end(count: re.Match[str]) -> str:
    return f"{{{count[1]},}}" if int(count[2]) > _WIDEST_COUNT else count[0]


def _kind(rule_id: str) -> str:
    """Return the kind that a placeholder names: `betterleaks.fly-io-key.2` is a FLY_IO_KEY."""
    name = _NUMBER_SUFFIX.sub("", re.sub(r"^betterleaks\.|^veles\.secrets/", "", rule_id))
    return _NO_WORD.sub("_", name.upper()).strip("_")
