"""Passwords and keys that people tell in sentences, in English and in other languages, and phrases of plain words."""

from typing import Final

from transforms.redaction.rule import context
from transforms.redaction.values import (
    is_drawn,
    is_literal,
    is_numbered_words,
    is_phrase,
    is_random,
    is_shown,
    is_typed,
    is_word_phrase,
)

_PHRASE: Final = r"[a-z]{3,12}(?: [a-z]{3,12}){3,9}(?: [0-9]{1,4})?"
_NAME: Final = r"(?i:pass(?:word|phrase|code)?|\bpw|\bpwd)"
_PLAIN: Final = r"[^\x00-\x20\x7f-\xff\"'`\\,;<>()]"


def is_typed_or_words(value: bytes, following: bytes) -> bool:
    """Say whether what stands behind a password's name is one: typed, or words with a number."""
    return is_typed(value, following) or is_word_phrase(value) or is_numbered_words(value)


def _is_spaced_phrase(value: bytes, _following: bytes) -> bool:
    return is_phrase(value)


TOLD: Final = (
    context("PASSWORD", r"\b(?i:pass|pw|passphrase) [\"'`]([^\s\x00\"'`\\]{6,64})[\"'`]", accept=is_typed_or_words),
    context(
        "PASSWORD",
        _NAME + r"\b[^\n\x00\"'`]{0,60} is [\"'`]([^\s\x00\"'`\\]{6,64})[\"'`]",
        accept=is_typed_or_words,
    ),
    context(
        "PASSWORD",
        _NAME + r"\b[^\n\x00:]{0,60}\b(?i:new one|it's now|it is now|changed to)[^\n\x00A-Za-z0-9]{1,4}"
        r"([^\s\x00\"'`\\,;]{8,64})",
        accept=is_typed_or_words,
    ),
    context(
        "PASSWORD",
        _NAME + r"[^\n\x00?]{0,60}\? (?i:it'?s) (?:still |now )?[\"'`]?(" + _PLAIN + r"{8,64})",
        accept=is_typed_or_words,
    ),
    context("PASSWORD", r"\b(?:PW|pw) ([^\x00-\x20\x7f-\xff\"'`\\,;:=<>()]{8,64})", accept=is_typed),
    context(
        "PASSWORD",
        _NAME + r"\b[^\n\x00\"'`]{0,60}(?: is|=|:) ?[\"'`](" + _PHRASE + r")[\"'`]",
        accept=_is_spaced_phrase,
    ),
    context(
        "PASSWORD",
        r"(?i:passphrase) ?[=:] ?(" + _PHRASE + r")(?:\r?\n|\\n|$)",
        accept=_is_spaced_phrase,
    ),
    context(
        "SECRET",
        r"(?i:(?:encryption|symmetric|decryption|signing|master|private|secret|aes) key)[^\n\x00:=]{0,60}"
        r"(?: is|:| =) [\"'`]?([0-9a-f]{32,128})",
        accept=is_drawn,
    ),
    context("SECRET", r"\bkey ?= ?b[\"']([A-Za-z0-9_-]{43}=)[\"']", accept=is_random),
    context("OTP_SEED", r"\b(?:scratch|backup) codes? (?:are|is)[:\s\\n]{1,8}([0-9]{8,14})\b", accept=is_literal),
    context(
        "PASSWORD",
        r"(?:密码|密碼|口令|パスワード|비밀번호|암호|[Пп]ароль|[Mm]ot de passe|[Cc]ontrase(?:ñ|n)a|[Ss]enha"
        r"|[Kk]ennwort|[Pp]asswort|[Ll](?:ö|o)senord|[Hh]as(?:ł|l)o|[Ww]achtwoord|(?:WLAN|Wi-?Fi)-[Ss]chl(?:ü|ue)ssel)"
        r"[^\n\x00]{0,40}?"
        r"(?:：|:|=|是|为|為|は| ist | lautet | es | est | é | is )\s{0,3}[\"'`]?(" + _PLAIN + r"{6,64})",
        accept=is_typed_or_words,
    ),
    context(
        "SECRET",
        r"(?:密钥|密鑰|秘钥|私钥|キー|鍵|[Кк]люч|[Ss]chl(?:ü|ue)ssel|[Cc]lave|[Cc]l(?:é|ef)\b|[Cc]hiave|[Cc]have"
        r"|[Ss]ecreto|[Ss]egredo)[^\n\x00]{0,40}?(?:：|:|=|是|为|為|は)\s{0,3}[\"'`]?([A-Za-z0-9_.~+/-]{16,}={0,2})",
        accept=is_shown,
    ),
)
