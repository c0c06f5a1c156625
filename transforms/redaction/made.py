"""Keys that a line makes, prints or sets: what a generator or a store answers, keys of networks and of ciphers."""

import binascii
import re
from typing import Final

from transforms.redaction.rule import context
from transforms.redaction.values import (
    is_drawn,
    is_hash,
    is_login,
    is_network_digits,
    is_opaque,
    is_password,
    is_printed,
    is_shown,
    is_typed,
)

_LINE: Final = r"(?:\r?\n|\\n)"
_MADE_BY: Final = (
    r"(?:generate_key|token_(?:hex|urlsafe|bytes)|urandom|random_?[bB]ytes|rand -(?:hex|base64)|genkey|genpsk|keygen"
    r"|gen_random_|random_base32|generate[:-]secret|key:generate|keyring generate)"
)
_PRINTED_BY: Final = (
    r"(?:(?:\bpass|gopass|lpass) show|\bbw get|\bop (?:read|item get)|vault (?:kv )?(?:get|read) -field"
    r"|find-(?:generic|internet)-password|secret-tool lookup|secrets versions access|get-secret-value"
    r"|keyvault secret show|\bnmcli -s|chamber read|\bpwgen|\bmkpasswd|\bapg )"
)
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?\Z")
_PRINTED: Final = re.compile(rb"[\x21-\x7e]{6,}\n?\Z")
_NETWORK: Final = r"(?i:ssid|wi-?fi|wlan|wireless|hotspot)"


def is_wrapped(value: bytes, following: bytes) -> bool:
    """Say whether base64 is drawn or holds one printed word, as that of a password does and no word's letters do."""
    if is_opaque(value, following):
        return True
    if len(value) < 12 or _BASE64.match(value) is None:
        return False
    word = binascii.a2b_base64(value)
    return _PRINTED.match(word) is not None and is_password(word.rstrip(), b"")


def _is_network_key(value: bytes, following: bytes) -> bool:
    """Say whether a word set as a network's key is one: a digest's digits, typed, or digits alone."""
    return is_hash(value) or is_typed(value, following) or is_network_digits(value)


MADE: Final = (
    context(
        "SECRET",
        r"(?i:copy (?:it|this|the key|the token|your key|your token) now|(?:shown|displayed) (?:only )?once"
        r"|be shown again)[^\n\x00]{0,60}" + _LINE + r"{1,2}[ \t>*`]{0,8}([A-Za-z0-9_.~+/=-]{16,})",
        accept=is_shown,
    ),
    context(
        "SECRET",
        _MADE_BY + r"[^\n\x00]{0,120}?" + _LINE + r"[^\n\x00A-Za-z0-9+/]{0,8}(?:b')?([A-Za-z0-9+/_-]{16,}={0,2})",
        accept=is_drawn,
    ),
    context(
        "SECRET",
        _PRINTED_BY + r"[^\n\x00]{0,120}?" + _LINE + r"[\"']?([^\s\x00\"'\\]{8,})[\"']?(?:\r?\n|\\n|$)",
        accept=is_printed,
    ),
    context(
        "SECRET",
        r"base64 (?:-w ?0)?[^\n\x00]{0,80}" + _LINE + r"([A-Za-z0-9+/]{12,}={0,2})",
        accept=is_login,
    ),
    context(
        "SECRET",
        r"get secrets?\b[^\n\x00]{0,240}(?:template|columns|jsonpath)[^\n\x00]{0,200}"
        + _LINE
        + r"(?:[^\n\x00]{0,120}"
        + _LINE
        + r"){0,2}?(?:[^\n\x00]{0,80}[^A-Za-z0-9+/\x00])?([A-Za-z0-9+/]{12,}={0,2})",
        accept=is_wrapped,
    ),
    context(
        "PASSWORD",
        r"(?:WIFI:(?:[A-Z]:[^\n\x00;]{0,64};){0,4}?P:|(?:wpa_passphrase|-setairportnetwork [^\s\x00]+) +"
        r"(?:[\"'][^\n\x00\"']{1,32}[\"']|[^\s\x00\"']{1,32}) +[\"']?|(?:set-key|wpa-psk) (?:ascii|hex) [0-9] +"
        r"|wi-?fi connect [^\n\x00]{0,80}?password +[\"']?)([^\s\x00\"'\\;]{8,})",
        accept=_is_network_key,
    ),
    context(
        "PASSWORD",
        _NETWORK
        + r"[^\n\x00]{0,80}?(?:"
        + _LINE
        + r"[^\n\x00]{0,80}?){0,3}?[^A-Za-z0-9_\x00](?i:key(?: content)?|pass(?:word|phrase)?|pwd|pw|code)"
        r"[\"'\]]{0,2}(?: is|\s{0,16}[:=,])?\s{0,4}(?:s:)?[\"'`]?([^\s\x00\"'`\\;,:=]{8,})",
        accept=_is_network_key,
    ),
    context("SECRET", r"::add-mask::([^\s\x00\"'`\\]{6,})", accept=is_printed),
    context(
        "SECRET",
        r"(?i:pragma (?:re|hex)?key)\s*=\s*[\\\"']{1,3}(?:x')?([^\s\x00\"'\\]{6,})",
        accept=is_printed,
    ),
    context(
        "SECRET",
        r"(?:[Ee]ncrypt(?:ion)?|ENCRYPT(?:ION)?|pepper|PEPPER|[Jj]wt|JWT|Plaintext|\b[dk]ek|\b[DK]EK)[\"']?\s{0,4}(?:[:=]|=>)\s{0,4}"
        r"(?:[\s{]{1,16}[\"']?(?i:key|secret)[\"']?\s{0,4}(?:[:=]|=>)\s{0,4})?"
        r"[\"'`]?([A-Za-z0-9+/_-]{22,}={0,2})",
        accept=is_drawn,
    ),
    context(
        "SECRET",
        r"(?i:encryption|jwt|cipher|signing)[\"']?\s?[:=]\s?\{?\s{1,16}"
        r"(?:[\"']?[A-Za-z_]{2,24}[\"']?\s?[:=][^\n\x00]{0,80}\n\s{1,16}){1,4}[\"']?(?i:key|secret)[\"']?\s?[:=]\s?"
        r"[\"']?([A-Za-z0-9+/_-]{22,}={0,2})",
        accept=is_drawn,
    ),
    context(
        "SECRET",
        r"omniauth\(? ?:[a-z0-9_]{2,24},\s?[\"'][^\n\x00\"']{4,80}[\"'],\s?[\"']([^\s\x00\"'\\]{16,})[\"']",
        accept=is_drawn,
    ),
    context(
        "COOKIE",
        r"(?i:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|[a-z]{3,12}_session|session_?id)[\\\"']{1,2}\]?\s?(?:=>|[:=])\s?"
        r"[\\\"']{1,2}([A-Za-z0-9%_.+/=-]{20,})",
        accept=is_opaque,
    ),
    context("SECRET", r"(?i:appid)[\"']?\s?[:=]\s?[\"']([A-Za-z0-9_]{20,})[\"']", accept=is_drawn),
)
