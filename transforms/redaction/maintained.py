"""The maintained catalogue: the rules of the `kingfisher-secret-scanner` package, read from it and run by it.

The package gives each rule's pattern, so that all of them go through the one pass together with our own; where one is
found, the package's scanner says where, with its filters. Its scanner asks for word boundaries around a token, which a
log does not always have: a rule that begins with fixed letters is looked for without them, and what is found is shown
to the scanner alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import kingfisher_sdk
import re2
from kingfisher_sdk import Rules, Scanner

from transforms.kept import keep_bytes, kept_bytes
from transforms.redaction.matching import match_spans
from transforms.redaction.one_pass import byte_options
from transforms.redaction.values import is_random

_FLAGS = re.compile(r"^(?:\(\?[is]\))*")
_RIGHT_EDGE: Final = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
_FIXED_START = re.compile(r"^\(*(?:\?:)?(?:[A-Za-z0-9]{2,12}[_-]|[A-Za-z0-9]{4})")
"""Fewer letters, without a separator, stand in too many texts."""
_LONG_RUN: Final = re.compile(rb"[A-Za-z0-9+/]{9}\Z")
"""What stands before a token is no word: it is a run of base64 that happens to hold the token's letters."""
_HEX: Final = re.compile(rb"[0-9a-f]+")
_WIDE_COUNT = re.compile(r"\{(\d+),(\d+)\}")
_WIDEST_COUNT: Final = 64
"""A wider count costs seconds to compile; without its upper end a pattern finds no less."""
_BYTES_PER_CONFIRMATION: Final = 500
"""The scanner takes 50 us to confirm a finding: with more matches than one in so many bytes it would set the speed."""
_FEWEST_CROWDED: Final = 32
_TOKEN_LETTERS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_NUMBER_SUFFIX = re.compile(r"\.\d+$")
_NO_WORD = re.compile(r"[^A-Z0-9]+")


_OURS: Final = frozenset(
    f"betterleaks.{name}"
    for name in (
        *("curl-auth-header", "curl-auth-user", "generic-credential-uri", "mongodb-connection-string", "jwt"),
        *("private-key", "aws-session-token", "alibaba-secret-key", "alibaba-sts-access-key-secret"),
    )
)
"""Rules for which our own stand in the one pass: the frames and assignments that any text is full of."""


class MaintainedRule(NamedTuple):
    """A rule of the package: `trigger` goes through the one pass, `form` is the pattern that says where it matches.

    A token's form has no edges. A rule with companions (a key's id, a host) is not confirmed by its match alone.
    """

    rule_id: str
    kind: str
    trigger: str
    form: str
    is_token: bool
    has_companions: bool

    @property
    def pattern(self) -> "re2._Regexp":
        """The form, compiled when it is first needed: few rules ever are."""
        return _compiled(self.form)


Finding = tuple[int, int, str]
"""Where a secret stands, from and to, in bytes, and its kind."""


@cache
def maintained_rules() -> tuple[MaintainedRule, ...]:
    """Return the package's rules that report secrets and have none of ours in their place, in its order.

    The package reads its rules for half a second: what they say is kept.
    """
    key = json.dumps(["rules", kingfisher_sdk.__version__, _installed_files()]).encode()
    kept = kept_bytes(key)
    if kept is None:
        kept = json.dumps(_package_details()).encode()
        keep_bytes(key, kept)
    return tuple(_read_rule(*detail) for detail in json.loads(kept) if detail[0] not in _OURS)


def find_maintained(text: bytes, flagged: Sequence[MaintainedRule]) -> Iterator[Finding]:
    """Yield the secrets of flagged rules: each match is shown to the package's scanner alone.

    Where the matches stand too close for that, a match's own value is taken if it is random: the scanner's filters
    only take findings away.
    """
    matches = [
        (rule, spans)
        for rule in flagged
        for spans in match_spans(rule.pattern, text)
        if text.find(b"\x00", *spans[0]) < 0 and not (rule.is_token and _is_piece(text, *spans[0]))
    ]
    is_crowded = len(matches) > max(_FEWEST_CROWDED, len(text) // _BYTES_PER_CONFIRMATION)
    for rule, spans in matches:
        if rule.has_companions or is_crowded:
            start, end = spans[min(1, len(spans) - 1)]
            if is_random(text[start:end], b""):
                yield start, _word_end(text, end) if rule.is_token else end, rule.kind
        else:
            yield from _confirmed(text, rule, start=spans[0][0], end=spans[0][1])


def _confirmed(text: bytes, rule: MaintainedRule, *, start: int, end: int) -> Iterator[Finding]:
    """Yield what the scanner finds in a match alone; a token goes on to the end of the word that it is glued to."""
    for finding in _scanner().scan(text[start:end]):
        if not finding.visible or finding.rule_id in _OURS:
            continue
        kind, place = _kind(finding.rule_id), finding.location
        if rule.is_token or kind == rule.kind:
            last = _word_end(text, end) if rule.is_token else start + place["end_offset"]
            yield start + place["start_offset"], last, kind


def _is_piece(text: bytes, start: int, end: int) -> bool:
    """Say whether a match begins within a word and is a piece of base64, of a hash or of a long name, no token."""
    return text[max(0, start - 1) : start].isalnum() and bool(
        _LONG_RUN.search(text, max(0, start - 9), start)
        or _HEX.fullmatch(text, start - 1, end)
        or not is_random(text[start:end], b"")
    )


def _word_end(text: bytes, end: int) -> int:
    while end < len(text) and text[end] in _TOKEN_LETTERS:
        end += 1
    return end


@cache
def _package_rules() -> Rules:
    return Rules()


@cache
def _scanner() -> Scanner:
    return Scanner(_package_rules(), base64=False)


def _package_details() -> list[tuple[str, str, bool]]:
    """Return id, pattern and whether it has companions of each of the package's rules that report secrets."""
    rules = _package_rules()
    details = [rules.detail(entry["id"]) for entry in rules.metadata() if entry["visible"]]
    return [(detail["id"], detail["detection_regex"], bool(detail["depends_on_rule"])) for detail in details]


def _installed_files() -> list[tuple[str, int, int]]:
    """Return name, size and time of the package's files: with another build come other rules."""
    files = [path for path in Path(kingfisher_sdk.__file__).parent.iterdir() if path.is_file()]
    return sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files)


def _read_rule(rule_id: str, pattern: str, has_companions: bool) -> MaintainedRule:
    body = _FLAGS.sub("", pattern)
    flags = pattern[: len(pattern) - len(body)]
    body = body.removesuffix(_RIGHT_EDGE).removesuffix(r"\b").removeprefix(r"\b")
    trigger = flags + _WIDE_COUNT.sub(_without_wide_end, body)
    is_token = _FIXED_START.match(body) is not None
    form = flags + body if is_token else pattern
    return MaintainedRule(rule_id, _kind(rule_id), trigger, form, is_token, has_companions)


@cache
def _compiled(form: str) -> "re2._Regexp":
    return re2.compile(form.encode(), byte_options())


def _without_wide_end(count: re.Match[str]) -> str:
    return f"{{{count[1]},}}" if int(count[2]) > _WIDEST_COUNT else count[0]


def _kind(rule_id: str) -> str:
    """Return the kind that a placeholder names: `betterleaks.fly-io-key.2` is a FLY_IO_KEY."""
    name = _NUMBER_SUFFIX.sub("", re.sub(r"^betterleaks\.|^veles\.secrets/", "", rule_id))
    return _NO_WORD.sub("_", name.upper()).strip("_")
