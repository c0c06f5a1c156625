"""Passwords that are given to a name across one plain link, with any signs in them, and that people say in words."""

import re
from collections.abc import Callable
from typing import Final

from transforms.redaction.columns import Place
from transforms.redaction.values import is_chosen, is_given, is_hash_or_path, is_noisy, is_told

_LINK: Final = (
    rb"[\"'`*\]]{0,4}[ \t]{0,4}(?::=|=>|->|<-|[:=|\t;?]|\xe2\x86\x92|\xe2\x80[\x93\x94]|\.{3,}|\xe2\x95\x91"
    rb"|\xe2\x94\x82|%3[dD]"
    rb"|(?:has )?(?:new )?value |is |was |to |be |as |-{1,2})[ \t\"'`*(\[]{0,4}"
)
_GIVEN = re.compile(
    rb"(?:" + _LINK + rb"|[ \t]{1,8})([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]]{8,128})(?=[\s\"'`,;&|<>)}\]\\]|\Z)"
)
_SPOKEN = re.compile(rb"[, \t]{1,2}([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]{8,64})(?=[\s\"',;)]|\.(?:\s|\Z)|\Z)")

_SEPARATORS: Final = (b"=", b":", b" ", b"\n", b"\t", b"")
_MOST_BEHIND: Final = 80
_MOST_BEFORE: Final = 80
"""Bytes of a question before the name that it asks for, and behind it."""
_SENTENCE = re.compile(
    rb"[A-Za-z0-9 ,?'-]{0,40}? (?:(?:it'?s|is|was|be|now|with|using|try|use|to|[-=]>) [\"'`(]?|\([\"'`]?)"
    rb"([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]{8,64})(?=[\s\"'`,;)]|\.(?:\s|\Z)|\Z)"
)
_LABELLED = re.compile(
    rb"[^=:\n\x00\"'`\\]{1,64}[=:][ \t]{1,4}([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]]{8,64})(?=[\s\"'`,;)]|\Z)"
)
_WHOLE = re.compile(rb"[ \t]{0,2}(?:[=:]|[-=]>|is)[ \t]{0,8}[\"'`]?([^\s\x00\"'`\\]{16,128})(?=[\s\"'`\\]|\Z)")

_PAIR = re.compile(
    rb"[^\x00-\x20\"'\\,]{0,40}\\*[\"']\s{0,2}(?:[,;]|:\s?\{)\s{0,12}(?:\\+n\s{0,12})?"
    rb"(?:\\*[\"']?[A-Za-z_]{1,24}\\*[\"']?\s?[:=]\s?(?:\\*[\"'][^\"'\n\x00\\]{0,64}\\*[\"']|[A-Za-z0-9.]{1,24})"
    rb"\s{0,2}[,;]\s{0,12}(?:\\+n\s{0,12})?){0,4}?"
    rb"\\*[\"']?(?i:[a-z_]{0,12}value|val|v|content|data|text|plaintext)\\*[\"']?\s?[:=]\s?\\*"
    rb"[\"']([^\x00\"'\\\n]{8,256})\\*[\"']"
)
"""The rest of a row or an object that names a secret and holds its value in another field."""
_ASKS = re.compile(
    rb"(?i)\?|what|which|where|who has|whats|pls|please|send|share|remind|give|need|know|got|anyone|any ?one"
)
_NO_QUESTION = re.compile(rb"[=;{\x00]")
_BREAKS = re.compile(rb"(?:\r?\n|\\n){1,2}")
_ANSWER = re.compile(
    rb"(?P<who>[ \t>*|-]{0,6}(?:[\[(]?[0-9][0-9:. TZ-]{3,24}[\])]?[ \t]{0,2}(?:[AaPp][Mm][\])]? )?)?[<@*(\[]{0,3}"
    rb"[A-Za-z][A-Za-z0-9_.@-]{0,24}(?: [A-Za-z(][A-Za-z0-9_.@)-]{0,20})?(?:[>\])]{1,3}:?|[*]{0,2}:[>*]{0,2})"
    rb"[ \t]{1,4}|[A-Za-z][A-Za-z0-9_.@-]{0,24}[ \t]{1,3}[\[(]?[0-9]{1,2}:[0-9]{2}(?: ?[AaPp][Mm])?[\])]?[ \t]{0,2}"
    rb"(?:\r?\n|\\n)"
    rb"|\{[^\n\x00{}]{0,80}\\*[\"'](?:text|content|message|body|msg)\\*[\"'] ?: ?\\*(?=[\"']))?"
    rb"(?:[A-Za-z' ]{1,16}[,:]? ){0,2}[\"'`]?(?P<said>[^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]]{8,128})[\"'`]?"
    rb"(?=\\*[\"']?\}?\]?,?[ \t]{0,2}(?:\r?\n|\\n|\Z|\x00))"
)
"""What somebody says alone on a line; the name of who says it is a word or two."""


def pair_after(text: bytes, end: int, *, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the accepted value that another field of the row or object gives to a name that ends in quotes."""
    # By far most names are followed by a separator, and a search for one byte costs a third of a match.
    if text[end : end + 1] in _SEPARATORS:
        return None
    pair = _PAIR.match(text, end)
    return pair.span(1) if pair and accept(pair[1]) else None


def answer_after(text: bytes, start: int, *, end: int, accept: Callable[[bytes], bool]) -> Place | None:
    """Return the accepted value that is all somebody answers to the line before, which asks for a name.

    Args:
        text: The text.
        start: Where the name begins.
        end: Where it ends.
        accept: Judges a value.
    """
    line_end = _line_end(text, end)
    breaks = _BREAKS.match(text, line_end) if line_end >= 0 else None
    answer = _ANSWER.match(text, breaks.end()) if breaks else None
    if answer is None or _NO_QUESTION.search(text, end, line_end):
        return None
    first = max(text.rfind(b"\n", max(0, start - _MOST_BEFORE), start), start - _MOST_BEFORE, 0)
    if not answer["who"] and text[line_end - 1 : line_end] != b"?":
        return None
    return answer.span("said") if _ASKS.search(text, first, line_end) and accept(answer["said"]) else None


def _line_end(text: bytes, end: int) -> int:
    """Return where the line of a name that ends at a place ends near, also if breaks are written out; -1 if far."""
    limit = end + _MOST_BEHIND
    found = text.find(b"\n", end, limit)
    if found > end and text[found - 1 : found] == b"\r":
        found -= 1
    return text.find(b"\\n", end, limit) if found < 0 else found


def noise_after(text: bytes, end: int) -> Place | None:
    """Return what a name ending at a place is set to, up to the next blank, if it is full of signs as no code is."""
    whole = _WHOLE.match(text, end)
    return whole.span(1) if whole and is_noisy(whole[1]) else None


def password_after(text: bytes, end: int) -> Place | None:
    """Return the password that a name ending at a place is given: behind a link, or said without one."""
    given = _GIVEN.match(text, end)
    if given and text[end : end + 1] not in b" \t":
        value = given[1].rstrip(b".:")
        if is_given(value, text[given.end() : given.end() + 1]) and not is_hash_or_path(value):
            return given.start(1), given.start(1) + len(value)
    spoken = _SPOKEN.match(text, end)
    if spoken:
        value = spoken[1].rstrip(b".:")
        if is_told(value) and not is_hash_or_path(value):
            return spoken.start(1), spoken.start(1) + len(value)
    sentence = _SENTENCE.match(text, end) or _LABELLED.match(text, end)
    if sentence:
        value = sentence[1].rstrip(b".:")
        if (is_told(value) or is_chosen(value, b"")) and not is_hash_or_path(value):
            return sentence.start(1), sentence.start(1) + len(value)
    return None
