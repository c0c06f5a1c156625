"""Values that a name near them makes secrets, whatever prints them.

From every secret's name on: a value across a separator or in quotes may be as weak as a password; one that is truly
random is taken across any words of the line. Then the line below, the column below, and what stands before the name.
Every look is bounded, so that the time grows with the text alone.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
import re2

from transforms.redaction.columns import Place, value_below
from transforms.redaction.far import MAX_GAP_BYTES, FarTokens
from transforms.redaction.given import answer_after, noise_after, pair_after, password_after
from transforms.redaction.landmarks import AHEAD, ALL_LOOKS, BEFORE, BELOW, COLUMN, FAR, looks
from transforms.redaction.letters import reads_as_words
from transforms.redaction.links import (
    BACKWARDS,
    CELL_END,
    FORWARD,
    LINE_END,
    LINE_OF_VALUE,
    LONGEST_BARE,
    MORE_OF_PASSWORD,
    PATH_ENDS,
    PLAIN,
    PROMPT,
    QUOTES,
    REST_ALONE,
    REST_OF_BARE,
    REST_OF_COMMAND,
    SIGNATURE,
    SIGNS_OF_PASSWORDS,
    STRUCTURE,
    TOLD,
    TYPED_BELOW,
)
from transforms.redaction.maintained import Finding
from transforms.redaction.names import (
    NAME_PATTERN,
    ends_in_password,
    is_loose_name,
    is_password_name,
    is_public_name,
    is_spelled_name,
    names_other_thing,
)
from transforms.redaction.one_pass import byte_options
from transforms.redaction.stretches import spans_of, stretches_around
from transforms.redaction.values import (
    is_chosen,
    is_given,
    is_hash,
    is_hash_or_path,
    is_identifier,
    is_mixed,
    is_noise,
    is_opaque,
    is_password,
    is_phrase,
    is_random,
    is_told,
    is_truly_random,
)

_MAX_BEFORE: Final = 192
_MAX_AHEAD: Final = 400
"""Bytes around a name that are looked at: a row of a table may be as long."""
_TEST_LISTS: Final = (b"PASS_TO_PASS", b"FAIL_TO_PASS")
"""Fields of benchmarks of bugs whose ends look like a password's name."""
_NAMES_IN_A_ROW: Final = 16
"""Bytes between two names of which the later one's value may stand before both: `| gh secret set PASSWORD`."""
_LONGEST_OWNER: Final = 16
"""Bytes before a loose name in which the word stands that tells what it names."""
_FEWEST_BEFORE: Final = 10
"""Bytes of the shortest value before a name and of the link between them."""
_AWS_SECRET_BYTES: Final = 40
_POINTS: Final = (b".", b":")
_SIGNS: Final = (b"=", b":")
_BLANKS: Final = (b" ", b"\n", b"\r")
_NAME = re2.compile(NAME_PATTERN.encode(), byte_options())
_MARKS = re2.compile(rb"[0-9!@#%^*?+~]|[a-z][A-Z][a-z]?[A-Z]|[\"'`>][a-z]{3,8} [a-z]{3,8} ", byte_options())
"""No value is without one of these."""
_OWN_MARK = re.compile(rb"[0-9!@#%^*?+~ ]|[a-z][A-Z][a-z]?[A-Z]")
"""One of these is in every value itself, so that it is found alone as among many names."""
_GOES_ON = re.compile(rb"[A-Z]{2}")
_WITHIN_RUN = re.compile(rb"(?=[A-Za-z+/]{0,15}[0-9])[A-Za-z0-9+/]{16}\Z|[A-Za-z0-9+/]{24}\Z")
"""What stands before a name that is a piece of base64, if it reads as no words."""
_ALNUM: Final = frozenset(byte for byte in range(128) if chr(byte).isalnum())
_FEWEST_DENSE: Final = 32
_DENSE_BYTES: Final = 300
"""Bytes a name in texts where looking at all of them at once is worth it; elsewhere every name gets every look."""
_RUN_ENDS: Final = frozenset(bytes([byte]) for byte in range(128) if chr(byte).isalnum() or chr(byte) in "+/")
_RUN_BEGINNINGS: Final = _RUN_ENDS - {b"+", b"/"}


class _Name(NamedTuple):
    """What a name says of its value; an identifier stands before its value without a separator, as a flag does."""

    is_password: bool
    is_loose: bool
    is_identifier: bool
    is_public: bool = False
    is_spelled: bool = False

    def accepts(self, value: bytes, following: bytes = b"", *, is_quoted: bool = True) -> bool:
        """Say whether a value across a separator is this name's secret."""
        if b" " in value:
            return is_quoted and self.is_password and is_phrase(value)
        if self.is_loose:
            if self.is_public and not is_noise(value, following):
                return False
            return is_opaque(value, following)
        if is_hash(value):
            return not self.is_password or self.is_spelled
        if not is_quoted and (len(value) < 8 or (not self.is_password and is_identifier(value))):
            return False
        if self.is_password:
            judge = is_password if is_quoted else is_given
            return judge(value, following) and not is_hash_or_path(value)
        return len(value) >= 8 and is_random(value, following)

    def accepts_far(self, value: bytes) -> bool:
        """Say whether a random token behind words of the line is this name's secret."""
        if (self.is_password or self.is_loose) and is_hash_or_path(value):
            return False
        return not self.is_public or is_noise(value, b"")


def named_values(text: bytes, around: Iterable[Finding] | None = None) -> Iterator[Finding]:
    """Yield the places of secrets that a name near them speaks for, by the place of the name.

    Args:
        text: Texts with a NUL between them and over what is found.
        around: Places near which names are looked at; None looks at all.
    """
    names = [name for first, last in _stretches(text, around) for name in _names(text, first=first, last=last)]
    if names:
        yield from _judged(text, names)


def could_hold_named(text: bytes, *, first: int) -> bool:
    """Say whether a name from a place on could speak for a value: where none could, `named_values` finds nothing."""
    # All names, with a mark near or none: the mark that a phrase of words is found by may stand in another part.
    names = [(found.start() + first, found.end() + first) for found in _NAME.finditer(text[first:])]
    return bool(names) and any(_judged(text, names, is_thorough=True))


def _stretches(text: bytes, around: Iterable[Finding] | None) -> Iterator[Place]:
    """Yield the stretches from which a name reaches one of the places."""
    if around is None:
        yield 0, len(text)
        return
    reach = _MAX_AHEAD + MAX_GAP_BYTES
    places = ((start, end) for start, end, _ in sorted(around))
    yield from stretches_around(places, before=reach, behind=reach, size=len(text))


def _names(text: bytes, *, first: int, last: int) -> Iterator[Place]:
    """Yield start and end of the names in a stretch that have a mark near, with the character after each."""
    search, find_mark, size, mark = spans_of(_NAME), spans_of(_MARKS), len(text), -1
    ((start, end),) = search(text, first, size)
    while 0 <= start < last:
        at = end
        if mark < start - _MAX_BEFORE:
            ((mark, _),) = find_mark(text, end, size)
            mark = size + _MAX_AHEAD if mark < 0 else mark
        if mark < end + _MAX_AHEAD or find_mark(text, max(0, start - _MAX_BEFORE), end)[0][0] >= 0:
            yield start, end
        else:
            at = max(end, mark - _MAX_AHEAD)
        ((start, end),) = search(text, at, size)


def _judged(text: bytes, names: list[Place], *, is_thorough: bool = False) -> Iterator[Finding]:
    """Yield what names speak for that have something near that could be a value; all look, if thorough."""
    ends = [end - (end < len(text) or text[end - 1] not in _ALNUM) for _, end in names]
    asked = [ALL_LOOKS] * len(names)
    if not is_thorough and len(names) >= _FEWEST_DENSE and len(names) * _DENSE_BYTES > ends[-1] - names[0][0]:
        asked = looks(text, np.array([start for start, _ in names]), np.array(ends)).tolist()
    tokens = FarTokens(text)
    done = 0
    for index, (start, _) in enumerate(names):
        if start < done:
            continue
        end = ends[index]
        before = text[start - 1 : start] if start else b""
        name = _read_name(text[start:end], before)
        # A pass phrase has nothing by which a look could be ruled out.
        looked = ALL_LOOKS if name.is_password else asked[index]
        if not looked or text[start - 6 : start + 6] in _TEST_LISTS:
            continue
        if name.is_loose and is_public_name(text[max(0, start - _LONGEST_OWNER) : end]):
            name = name._replace(is_public=True)
        last = index - 1 if index and ends[index - 1] < start - _NAMES_IN_A_ROW else index - 2
        since = max(start - _MAX_BEFORE, ends[last] if last >= 0 else 0, done)
        place = _value_of(text, tokens, looked, name=name, start=start, end=end, since=since)
        is_marked = place and (name.is_password or _OWN_MARK.search(text, *place))
        if place and is_marked and not (before in _RUN_ENDS and _is_within_run(text, start)):
            done = place[1]
            if done - place[0] >= LONGEST_BARE // 2 and (rest := REST_OF_BARE.match(text, done)):
                done = rest.end()
            yield place[0], done, _kind(text, name, start=start, size=done - place[0])


def _is_within_run(text: bytes, start: int) -> bool:
    """Say whether a name is a piece of base64."""
    return any(
        _WITHIN_RUN.match(text, start - size, start) and not reads_as_words(text[start - size : start])
        for size in (16, 24)
        if size <= start
    )


def _kind(text: bytes, name: _Name, *, start: int, size: int) -> str:
    if name.is_password:
        return "PASSWORD"
    is_cloud = size == _AWS_SECRET_BYTES and b"aws" in text[max(0, start - 4) : start].lower()
    return "AWS_SECRET" if is_cloud else "SECRET"


@lru_cache(maxsize=4096)
def _read_name(word: bytes, before: bytes) -> _Name:
    is_identifier = before in (b"_", b"-", b".", b":", b"/") or b"_" in word or b"-" in word or word.isupper()
    return _Name(is_password_name(word), is_loose_name(word), is_identifier, is_spelled=is_spelled_name(word))


def _value_of(
    text: bytes, tokens: FarTokens, asked: int, *, name: _Name, start: int, end: int, since: int
) -> Place | None:
    """Return the value that a name from start to end speaks for, by the nearest way to it; nothing before `since`."""
    plain = PLAIN.match(text, end) if asked & AHEAD else None
    if plain and name.is_password and text[plain.end(2) : plain.end(2) + 1] == b"=":
        plain = None
    if plain and name.accepts(plain[2], text[plain.end() : plain.end() + 1], is_quoted=plain[1] != b""):
        return plain.span(2)
    place, rest_end = None, end
    if plain is None or plain[1] or plain[2][:1] not in _RUN_BEGINNINGS or plain[2].endswith(_POINTS):
        forward = (FORWARD if asked & AHEAD else REST_ALONE).match(text, end)
        if forward is None or forward[5] or _GOES_ON.match(text, end - 1):
            return None
        rest_end = forward.end(1)
        if rest_end > end and names_other_thing(forward[1]):
            return _below_prompt(text, name, start=start, at=rest_end) if asked & BELOW else None
        if rest_end > end and not name.is_password and ends_in_password(forward[1]):
            name = name._replace(is_password=True, is_loose=False, is_spelled=True)
        place = _across_gap(text, name, forward=forward) if asked & AHEAD else None
    if place is None and asked & AHEAD:
        place = _given(text, name, at=rest_end) or pair_after(text, rest_end, accept=name.accepts)
    if place is None and asked & FAR and (place := tokens.random_after(end)):
        return place if name.accepts_far(text[slice(*place)]) else None
    if place or not asked & (BELOW | BEFORE | COLUMN):
        return place
    return _aside(text, asked, name=name, start=start, end=rest_end, since=since)


def _given(text: bytes, name: _Name, *, at: int) -> Place | None:
    """Return the value across one link that has signs in it, or that is said without a link."""
    place = None if name.is_loose else noise_after(text, at)
    return password_after(text, at) if place is None and name.is_password else place


def _aside(text: bytes, asked: int, *, name: _Name, start: int, end: int, since: int) -> Place | None:
    """Return the value on the line below a name, before it or below it in a table."""
    if text[end : end + 1] in _SIGNS and not LINE_END.match(text, end):
        return None
    place = (
        (
            _on_line_below(text, name, at=end)
            or _below_prompt(text, name, start=start, at=end)
            or answer_after(text, start, end=end, accept=partial(name.accepts, is_quoted=False))
        )
        if asked & BELOW
        else None
    )
    if place is None and asked & BEFORE:
        place = _before(text, name, start=start, since=since)
    if place is None and asked & COLUMN and CELL_END.match(text, end):
        place = value_below(text, start, end=end, accept=name.accepts)
    return place


def _across_gap(text: bytes, name: _Name, *, forward: re.Match[bytes]) -> Place | None:
    """Return the value behind separators, quotes and what dumps write around a value."""
    between, value, bare = forward.group(2, 3, 4)
    is_quoted = value is not None
    if (
        bare is not None
        and bare.endswith(b":")
        and b"\n" in between
        and text[forward.end(4) : forward.end(4) + 1] in _BLANKS
    ):
        return None
    if not between or (value is None and bare is None):
        return None
    start = forward.start(3 if is_quoted else 4)
    if not is_quoted:
        value = bare.rstrip(b".:")
    elif b" " in value and not is_phrase(value):
        value = value.split(maxsplit=1)[0]
    end = start + len(value)
    following = text[end : end + 1]
    if name.is_password and not is_quoted:
        start, end = _widened(text, start, end=end, first=forward.start(2))
        value, following = text[start:end], text[end : end + 1]
        is_quoted = text[start - 1 : start] in QUOTES and following in QUOTES
    if b"==" in between and is_hash(value):
        return None
    if not is_quoted and (between.endswith(PATH_ENDS) or SIGNATURE.search(between)):
        return (start, end) if is_truly_random(value) else None
    if is_quoted or between[:1] in _SIGNS or STRUCTURE.search(between):
        accepted = name.accepts(value, following, is_quoted=is_quoted)
    elif name.is_identifier:
        accepted = name.accepts(value, following, is_quoted=False)
    else:
        accepted = (not name.is_loose and is_mixed(value, following)) or (
            name.is_password and is_chosen(value, following)
        )
    return (start, end) if accepted else None


def _widened(text: bytes, start: int, *, end: int, first: int) -> Place:
    """Return the place of a password with the signs that it begins with, and what follows an equals sign in it."""
    while start > first and text[start - 1] in SIGNS_OF_PASSWORDS:
        start -= 1
    more = MORE_OF_PASSWORD.match(text, end)
    return start, more.end() if more else end


def _on_line_below(text: bytes, name: _Name, *, at: int) -> Place | None:
    """Return the value that is all of the line below a line that ends in the name, or that is typed `value=` there."""
    line_end = LINE_END.match(text, at)
    if line_end is None:
        return None
    found = LINE_OF_VALUE.match(text, line_end.end())
    if found:
        group = 1 if found[1] is not None else 2
        value = found[group]
        is_below = TOLD.search(text, at, line_end.end()) is not None
        is_comment = group == 2 and b"#" in text[line_end.end() : found.start(group)]
        is_accepted = (
            name.accepts(value, is_quoted=group == 1) if is_below or group == 1 else _stands_alone(value, name)
        )
        is_accepted = is_accepted and (name.is_password or not (is_identifier(value) and reads_as_words(value)))
        if is_truly_random(value) or (is_accepted and not is_comment):
            return found.span(group)
        return None
    typed = TYPED_BELOW.match(text, line_end.end())
    if typed is None:
        return None
    group = 1 if typed[1] is not None else 2
    value, following = typed[group], text[typed.end() : typed.end() + 1]
    if group == 2 and not name.is_password and not is_truly_random(value):
        return None
    return typed.span(group) if name.accepts(value, following, is_quoted=group == 1) else None


def _below_prompt(text: bytes, name: _Name, *, start: int, at: int) -> Place | None:
    """Return the value that is all of the line below a command that names it."""
    rest = REST_OF_COMMAND.match(text, at)
    if rest is None:
        return None
    since = start - _MAX_BEFORE if start > _MAX_BEFORE else 0
    first = max(text.rfind(b"\n", since, start), text.rfind(b"\x00", since, start)) + 1
    found = LINE_OF_VALUE.match(text, rest.end()) if PROMPT.match(text, first, start) else None
    if found is None:
        return None
    group = 1 if found[1] is not None else 2
    return found.span(group) if name.accepts(found[group], is_quoted=group == 1) else None


def _before(text: bytes, name: _Name, *, start: int, since: int) -> Place | None:
    """Return the value before its name: a comment behind it, a pair told value first, a pipe into a store."""
    start += 2 * (text[start + 1 : start + 2] == b" ")
    first = max(since, text.rfind(b"\n", since, start) + 1, text.rfind(b"\x00", since, start) + 1)
    found = BACKWARDS.match(text[first:start][::-1]) if start - first >= _FEWEST_BEFORE else None
    if found is None:
        return None
    group = 1 if found[1] is not None else 2
    place = start - found.end(group), start - found.start(group)
    value = text[slice(*place)]
    if group == 1:
        accepted = name.accepts(value) and (name.is_password or not (is_identifier(value) and reads_as_words(value)))
    else:
        accepted = is_truly_random(value) or _stands_alone(value, name)
    return place if accepted and not (name.is_public and is_hash_or_path(value)) else None


def _stands_alone(value: bytes, name: _Name) -> bool:
    """Say whether a word beside a name is its value by itself."""
    if name.is_loose or b"/" in value or is_hash_or_path(value):
        return False
    return is_chosen(value, b"") or is_mixed(value, b"") or (name.is_password and is_told(value))
