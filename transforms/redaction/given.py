"""Passwords that are given to a name across one plain link, with any signs in them, and that people say in words."""

import re
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

_SENTENCE = re.compile(
    rb"[A-Za-z0-9 ,?'-]{0,40}? (?:(?:it'?s|is|was|be|now|with|using|try|use|[-=]>) [\"'`(]?|\([\"'`]?)"
    rb"([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]{8,64})(?=[\s\"'`,;)]|\.(?:\s|\Z)|\Z)"
)
_LABELLED = re.compile(
    rb"[^=:\n\x00\"'`\\]{1,64}[=:][ \t]{1,4}([^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]]{8,64})(?=[\s\"'`,;)]|\Z)"
)
_WHOLE = re.compile(rb"[ \t]{0,2}(?:[=:]|[-=]>|is)[ \t]{0,8}[\"'`]?([^\s\x00\"'`\\]{16,128})(?=[\s\"'`\\]|\Z)")


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
