"""Values that a name near them makes secrets, whatever prints them.

From every secret's name on: a value across a separator or in quotes may be as weak as a password; one that is truly
random is taken across any words of the line. Then the line below, the column below, and what stands before the name.
Every look is bounded, so that the time grows with the text alone.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import re2

from transforms.redaction.columns import Place, value_below
from transforms.redaction.far import MAX_GAP_BYTES, FarTokens
from transforms.redaction.landmarks import AHEAD, ALL_LOOKS, BEFORE, BELOW, COLUMN, FAR, looks
from transforms.redaction.maintained import Finding
from transforms.redaction.names import NAME_PATTERN, is_loose_name, is_password_name, names_other_thing
from transforms.redaction.one_pass import byte_options
from transforms.redaction.values import (
    is_chosen,
    is_hash_or_path,
    is_identifier,
    is_noise,
    is_password,
    is_phrase,
    is_random,
    is_truly_random,
)

_MAX_BEFORE: Final = 192
_MAX_AHEAD: Final = 400
"""Bytes around a name that are looked at: a row of a table may be as long."""
_FEWEST_LOOSE: Final = 20
"""Bytes of a value whose name also names what is no secret."""
_FEWEST_BEFORE: Final = 10
"""Bytes of the shortest value before a name and of the link between them."""
_AWS_SECRET_BYTES: Final = 40
_POINTS: Final = (b".", b":")
_SIGNS: Final = (b"=", b":")
_CELL_END = re.compile(rb"[ \"'`]{0,60}+[|,\t)\r\n]")
_PATH_ENDS = (b"/", b"\\", b"./")
_SIGNATURE = re.compile(rb"\) *(?:->|:)")
_UNANCHORED: Final = re2._re2.RE2.Anchor.UNANCHORED
_NAME = re2.compile(NAME_PATTERN.encode(), byte_options())
_MARKS = re2.compile(rb"[0-9!@#%^*?+~]|[a-z][A-Z][a-z]?[A-Z]|[\"'`>][a-z]{3,8} [a-z]{3,8} ", byte_options())
"""No value is without one of these."""
_GOES_ON = re.compile(rb"[A-Z]{2}")
_WITHIN_RUN = re.compile(rb"(?=[A-Za-z+/]{0,15}[0-9])[A-Za-z0-9+/]{16}\Z")
"""What stands before a name that is a piece of base64."""
_ALNUM: Final = frozenset(byte for byte in range(128) if chr(byte).isalnum())
_LOOKS_OF_LOOSE: Final = AHEAD | COLUMN
_FEWEST_DENSE: Final = 32
_DENSE_BYTES: Final = 300
"""Bytes a name in texts where looking at all of them at once is worth it; elsewhere every name gets every look."""
_RUN_ENDS: Final = frozenset(bytes([byte]) for byte in range(128) if chr(byte).isalnum() or chr(byte) in "+/")
_RUN_BEGINNINGS: Final = _RUN_ENDS - {b"+", b"/"}
_REST: Final = rb"(?:[A-Z][a-z0-9][A-Za-z0-9]{0,20}|[0-9]{1,2}|[_.-][A-Za-z0-9][A-Za-z0-9_.-]{0,24})?+"
_GAP: Final = (
    rb"(?:[ \t](?=[^ \t\r\n\\])|[\"'][^\x00\"'\n]{0,24}[\"'] ?[-=]> ?(?=[\"'])|[^A-Za-z0-9\x00\s\\$&%<(\[]"
    rb"|(?=[A-Za-z])(?:[A-Za-z]{2,8}\([0-9]{1,4}\)|[A-Za-z_]{1,20}+[(\[]"
    rb"|(?i:(?:input_)?value|default|is|to|as|was|string|text)(?=[\s\"'=:])"
    rb"|(?<=[:=(, ])[rbfu](?=[\"'])|u0022|(?<=:)[A-Za-z.]{1,16}+[ \t]?=(?=[ \t\"'])"
    rb"|(?<=: )[A-Za-z.]{1,16}+[ \t]?=(?=[ \t\"']))"
    rb"|(?<=[:=>|,(-])[ \t]*+(?:\r?\n|\\+n){1,2}+[ \t]*+"
    rb"|(?:\r?\n|\\+n)[ \t]*+(?=[\"'-]?(?i:value))"
    rb"|\\+(?:[nrt\"'`/]|u00[0-9a-fA-F]{2})|&(?:quot|#34|gt);|%3[dDaA]|%2[02]"
    rb"|</?[A-Za-z][A-Za-z0-9]{0,15}(?:[ \t][^<>\x00\n]{0,32})?/?>"
    rb"|\([A-Za-z0-9_ *=]{1,20}\)|0x[0-9a-f]{4,16}(?= )|\[[A-Za-z0-9*]{0,20}\]:"
    rb"|[^A-Za-z0-9\x00\n\r\\$]){0,40}+"
)
_STRUCTURE = re.compile(rb"[:=>|\t]|  |%3[dDaA]|\xe2\x80\xba|\xe2\x86\x92")
_IN_QUOTES: Final = rb"(?:(?<=[\"'`])|(?<=u0022)|(?<=&quot;)|(?<=&#34;)|(?<=%22))[^\x00\"'`\\\n]{8,}"
_IN_ELEMENT: Final = rb"(?<=>)[^\x00\"'`<>\n]{8,200}(?=</)"
_BARE: Final = rb"[^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]{8,256}={0,2}"
_LONGEST_BARE: Final = 256
"""Bytes of a value without quotes that are read before it is judged: each name within it reads as far again."""
_REST_OF_BARE = re.compile(_BARE.replace(b"{8,256}", b"*"))
_PLAIN = re.compile(rb"(?:=|: )([\"']?)(" + _BARE + rb")(?=[\s,;&\"']|\Z)")
"""By far the most values; the other ways to one cost three times as much."""
_REST_ALONE = re.compile(rb"(" + _REST + rb")(?:()()()(\x00))?")
_FORWARD = re.compile(
    rb"(" + _REST + rb")(" + _GAP + rb")(?:(" + _IN_QUOTES + rb"|" + _IN_ELEMENT + rb")|(" + _BARE + rb")|(\x00))?"
)
"""The rest of the name, the gap, and the value in quotes or bare; or the NUL over one that is found already."""
_LINE_END = re.compile(
    rb"(?:[\]\"'`):}]{0,4}[ \t]*|[^\n\x00=;{}:]{0,48}+:[ \t]*(?:(?:\r?\n)(?=[ \t]*\r?\n))?)(?:[ \t]*\r?\n|\\n)"
)
_LINE_OF_VALUE = re.compile(
    rb"(?:[^\n\x00\"'`A-Za-z]{0,24}|[ \t]*(?:Out)?\[[0-9]+\]:? ?|[ \t]*\$[0-9]+ = [^\n\x00\"'`]{0,40}"
    rb"|[ \t]*[a-z]{2,12} (?=[\"']))"
    rb"(?:[\"'`]([^\n\x00\"'`\\]{8,})(?:\\[rn])?[\"'`]|(?<![A-Za-z])([^\s\x00\"'`\\(){}<>]{8,}))"
    rb"[ \t,;]{0,2}(?:\r?\n|\\n|\Z|(?=\x00))"
)
_TYPED_BELOW = re.compile(rb"[^\n\x00]{0,80}value[\"']?\s*[=:]\s*[\"']([^\x00\"'`\\\n]{8,})")
_BACKWARDS = re.compile(
    rb"(?i:[^\n]{0,24}?(?:#|//|--|\*/)[ \t;]*|[a-z_.()]{0,24}+ = ?|[^\n|]{0,40}+\| ?|[^\n >]{0,40}+ ?>{1,2} ?"
    rb"|[a-z_.-]{0,16}?[\"'`]? ?(?:(?:dleif )?rof|=? ?[a-z]{2,10} erehw) "
    rb"|[a-z0-9_.-]{0,16}+[\"']?\s*[:=]\s*[\"']?(?:eman|yek|di)[\"']?\s*,"
    rb"|[a-z0-9_.-]{0,16}+[\"']=(?:eman|yek)\s+)"
    rb"(?:[\"'`]([^\x00\"'`\\\n]{8,}+)[\"'`]|([^\s\x00\"'`\\]{8,}+)(?=\s|\Z))"
)
"""The line before a name, read from the name back: the link to its value, and the value."""


class _Name(NamedTuple):
    """What a name says of its value; an identifier stands before its value without a separator, as a flag does."""

    is_password: bool
    is_loose: bool
    is_identifier: bool

    def accepts(self, value: bytes, following: bytes = b"", *, is_quoted: bool = True) -> bool:
        """Say whether a value across a separator is this name's secret."""
        if b" " in value:
            return is_quoted and self.is_password and is_phrase(value)
        if self.is_loose:
            return len(value) >= _FEWEST_LOOSE and is_noise(value, following) and is_truly_random(value)
        if not is_quoted and (len(value) < 8 or (not self.is_password and is_identifier(value))):
            return False
        if self.is_password:
            judge = is_password if is_quoted else is_random
            return judge(value, following) and not is_hash_or_path(value)
        return len(value) >= 8 and is_random(value, following)


def named_values(text: bytes, around: Iterable[Finding] | None = None) -> Iterator[Finding]:
    """Yield the places of secrets that a name near them speaks for, by the place of the name.

    Args:
        text: Texts with a NUL between them and over what is found.
        around: Places near which names are looked at; None looks at all.
    """
    names = [name for first, last in _stretches(text, around) for name in _names(text, first=first, last=last)]
    if names:
        yield from _judged(text, names)


def _stretches(text: bytes, around: Iterable[Finding] | None) -> Iterator[Place]:
    """Yield the stretches from which a name reaches one of the places."""
    if around is None:
        yield 0, len(text)
        return
    reach = _MAX_AHEAD + MAX_GAP_BYTES
    first = last = 0
    for start, end, _ in sorted(around):
        if start - reach > last:
            if last:
                yield first, last
            first = start - reach
        last = max(last, min(len(text), end + reach))
    if last:
        yield first, last


def _names(text: bytes, *, first: int, last: int) -> Iterator[Place]:
    """Yield start and end of the names in a stretch that have a mark near, with the character after each."""
    search, find_mark, size, mark = _NAME._regexp.Match, _MARKS._regexp.Match, len(text), -1
    ((start, end),) = search(_UNANCHORED, text, first, size)
    while 0 <= start < last:
        at = end
        if mark < start - _MAX_BEFORE:
            ((mark, _),) = find_mark(_UNANCHORED, text, end, size)
            mark = size + _MAX_AHEAD if mark < 0 else mark
        if mark < end + _MAX_AHEAD or find_mark(_UNANCHORED, text, max(0, start - _MAX_BEFORE), end)[0][0] >= 0:
            yield start, end
        else:
            at = max(end, mark - _MAX_AHEAD)
        ((start, end),) = search(_UNANCHORED, text, at, size)


def _judged(text: bytes, names: list[Place]) -> Iterator[Finding]:
    """Yield what names speak for that have something near that could be a value."""
    ends = [end - (end < len(text) or text[end - 1] not in _ALNUM) for _, end in names]
    asked = [ALL_LOOKS] * len(names)
    if len(names) >= _FEWEST_DENSE and len(names) * _DENSE_BYTES > ends[-1] - names[0][0]:
        asked = looks(text, np.array([start for start, _ in names]), np.array(ends)).tolist()
    tokens = FarTokens(text)
    done = 0
    for index, (start, _) in enumerate(names):
        if start < done or not asked[index]:
            continue
        end = ends[index]
        before = text[start - 1 : start] if start else b""
        name = _read_name(text[start:end], before)
        since = max(start - _MAX_BEFORE, ends[index - 1] if index else 0)
        looked = asked[index] & _LOOKS_OF_LOOSE if name.is_loose else asked[index]
        place = _value_of(text, tokens, looked, name=name, start=start, end=end, since=since)
        if place and not (before in _RUN_ENDS and _WITHIN_RUN.match(text, max(0, start - 16), start)):
            done = place[1]
            if done - place[0] >= _LONGEST_BARE // 2 and (rest := _REST_OF_BARE.match(text, done)):
                done = rest.end()
            yield place[0], done, _kind(text, name, start=start, size=done - place[0])


def _kind(text: bytes, name: _Name, *, start: int, size: int) -> str:
    if name.is_password:
        return "PASSWORD"
    is_cloud = size == _AWS_SECRET_BYTES and b"aws" in text[max(0, start - 4) : start].lower()
    return "AWS_SECRET" if is_cloud else "SECRET"


@lru_cache(maxsize=4096)
def _read_name(word: bytes, before: bytes) -> _Name:
    is_identifier = before in (b"_", b"-", b".", b":", b"/") or b"_" in word or b"-" in word or word.isupper()
    return _Name(is_password_name(word), is_loose_name(word), is_identifier)


def _value_of(
    text: bytes, tokens: FarTokens, asked: int, *, name: _Name, start: int, end: int, since: int
) -> Place | None:
    """Return the value that a name from start to end speaks for, by the nearest way to it; nothing before `since`."""
    plain = _PLAIN.match(text, end) if asked & AHEAD else None
    if plain and name.accepts(plain[2], text[plain.end() : plain.end() + 1], is_quoted=plain[1] != b""):
        return plain.span(2)
    place, rest_end = None, end
    if plain is None or plain[1] or plain[2][:1] not in _RUN_BEGINNINGS or plain[2].endswith(_POINTS):
        forward = (_FORWARD if asked & AHEAD else _REST_ALONE).match(text, end)
        if forward is None or forward[5] or _GOES_ON.match(text, end - 1):
            return None
        rest_end = forward.end(1)
        if rest_end > end and names_other_thing(forward[1]):
            return None
        place = _across_gap(text, name, forward=forward) if asked & AHEAD else None
    if place is None and asked & FAR:
        place = tokens.random_after(end)
        if place and name.is_password and is_hash_or_path(text[slice(*place)]):
            return None
    if place or not asked & (BELOW | BEFORE | COLUMN):
        return place
    return _aside(text, asked, name=name, start=start, end=rest_end, since=since)


def _aside(text: bytes, asked: int, *, name: _Name, start: int, end: int, since: int) -> Place | None:
    """Return the value on the line below a name, before it or below it in a table."""
    if text[end : end + 1] in _SIGNS and not _LINE_END.match(text, end):
        return None
    place = _on_line_below(text, name, at=end) if asked & BELOW else None
    if place is None and asked & BEFORE:
        place = _before(text, name, start=start, since=since)
    if place is None and asked & COLUMN and _CELL_END.match(text, end):
        place = value_below(text, start, end=end, accept=name.accepts)
    return place


def _across_gap(text: bytes, name: _Name, *, forward: re.Match[bytes]) -> Place | None:
    """Return the value behind separators, quotes and what dumps write around a value."""
    between, value, bare = forward.group(2, 3, 4)
    is_quoted = value is not None
    if not between or (value is None and bare is None):
        return None
    start = forward.start(3 if is_quoted else 4)
    if not is_quoted:
        value = bare.rstrip(b".:")
    elif b" " in value and not is_phrase(value):
        value = value.split(maxsplit=1)[0]
    end = start + len(value)
    following = text[end : end + 1]
    if not is_quoted and (between.endswith(_PATH_ENDS) or (b")" in between and _SIGNATURE.search(between))):
        return (start, end) if is_truly_random(value) else None
    if is_quoted or between[:1] in _SIGNS or _STRUCTURE.search(between):
        accepted = name.accepts(value, following, is_quoted=is_quoted)
    elif name.is_identifier:
        accepted = name.accepts(value, following, is_quoted=False)
    else:
        accepted = name.is_password and is_chosen(value, following)
    return (start, end) if accepted else None


def _on_line_below(text: bytes, name: _Name, *, at: int) -> Place | None:
    """Return the value that is all of the line below a line that ends in the name, or that is typed `value=` there."""
    line_end = _LINE_END.match(text, at)
    if line_end is None:
        return None
    found = _LINE_OF_VALUE.match(text, line_end.end())
    if found:
        group = 1 if found[1] is not None else 2
        value = found[group]
        if is_truly_random(value) or (name.accepts(value) if group == 1 else is_chosen(value, b"")):
            return found.span(group)
        return None
    typed = _TYPED_BELOW.match(text, line_end.end())
    return typed.span(1) if typed and name.accepts(typed[1]) else None


def _before(text: bytes, name: _Name, *, start: int, since: int) -> Place | None:
    """Return the value before its name: a comment behind it, a pair told value first, a pipe into a store."""
    first = max(since, text.rfind(b"\n", since, start) + 1)
    found = _BACKWARDS.match(text[first:start][::-1]) if start - first >= _FEWEST_BEFORE else None
    if found is None:
        return None
    group = 1 if found[1] is not None else 2
    place = start - found.end(group), start - found.start(group)
    value = text[slice(*place)]
    accepted = name.accepts(value) if group == 1 else is_truly_random(value) or is_chosen(value, b"")
    return place if accepted else None
