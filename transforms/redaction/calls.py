"""Secrets that are arguments of calls: by what the name of the call, or of what it belongs to, speaks of."""

import re
from typing import Final

from transforms.redaction.rule import CLOSE, QUOTE, context
from transforms.redaction.values import (
    is_chosen,
    is_drawn,
    is_network_digits,
    is_opaque,
    is_password,
    is_phrase,
    is_typed,
)

_ARGUMENTS = r"(?:(?:[a-z_]+ ?[:=] ?)?(?:[\"'][^\n\x00\"']*[\"']|[A-Za-z_$][A-Za-z0-9_.$]*)\s*,\s*)"
_ADDRESS = r"(?:(?:[a-z_]+ ?[:=] ?)?[\"'][^\n\x00\"'@]{1,64}@[^\n\x00\"']{1,64}[\"']\s*,\s*)?"
_DIGIT_QUOTED = r"(?:[a-z_]+ ?[:=] ?)?[\"']([^\s\x00\"'\\]*[0-9!@#%^*?+~=][^\s\x00\"'\\]*)[\"']"
_QUOTED = r"(?:[a-z_]+ ?[:=] ?)?[brfN]?[\"']([^\s\x00\"'\\]{6,})[\"']"
_GROUPS = r"[a-z]{4}(?: [a-z]{4}){3}"

_CALLED: Final = r"[A-Za-z0-9_]{0,24}(?:(?:\.|::|->)[A-Za-z0-9_]{1,24}){0,2}!?\s?\("
"""The rest of what is called."""
_ALGORITHM: Final = (
    r"(?:[^\n\x00;)\"'`]{0,60}[\"'](?i:aes|sha|md5|des|hmac|chacha|hs[0-9]|utf|id-)[A-Za-z0-9_./-]{0,24}[\"']\s?,)?"
)
_SOME_ARGUMENTS: Final = r"(?:[^\n\x00;()]{0,40}\([^\n\x00()]{0,40}\))?[^\n\x00;)]{0,80}?"
"""What may stand before a key within its call: others, and what reads it from a text."""
_KEYED: Final = (
    r"(?:(?i:hmac|cipher|fernet|crypt|secretkeyspec|securitykey|secretbox|serializer|verifier|(?:valid|verif)[a-z]{1,4}_?"
    r"(?:sig|web)|signer|signature|secure_?cookie|cookie_?(?:store|parser|session)|ironsession|csrf|pbkdf2|hkdf"
    r"|chacha|(?:web|git)_?hook|constructevent|signwith|jwt\.(?:sign|verify|encode|decode)|(?:key|gcm)::(?:from|new)_)"
    r"|AES|aes|Aes)"
)
_DECODERS: Final = (
    r"(?i:from_?hex(?:string)?|b(?:64|32)_?decode|frombase64(?:string)?|hex\.decode(?:string)?|hex::decode|unhexlify"
    r"|hex2bin|unhex|hex!|decode64|buffer\.from)"
)
_CLIENTS: Final = r"(?i:client|octokit|github|gitlab|bot|sdk|slack|stripe|openai|sendgrid|resend)"
_HOST: Final = re.compile(
    rb"[0-9.:]+\Z|[a-z0-9.-]+\.(?:com|org|net|io|dev|eu|de|local|internal|lan|corp|cloud|app|home)(?::[0-9]+)?\Z"
)
_NAMED_ALGORITHM: Final = re.compile(rb"(?i)hmac|sha-?[0-9]|aes[/_-]|[/-]cbc|-gcm|padding|poly1305")


def _is_passed(value: bytes, following: bytes) -> bool:
    """Say whether what is passed as `pass` is a password, also a mail program's of four groups of letters."""
    return is_phrase(value) if b" " in value else is_password(value, following)


def _is_key(value: bytes, following: bytes) -> bool:
    """Say whether the argument of a call that takes a key is one: drawn, or chosen with signs in it."""
    return (is_drawn(value, following) or is_chosen(value, following)) and _NAMED_ALGORITHM.search(value) is None


def _is_login_password(value: bytes, following: bytes) -> bool:
    """Say whether an argument behind a user or a network is a password and no address."""
    return _HOST.match(value) is None and is_password(value, following)


def _is_network_password(value: bytes, following: bytes) -> bool:
    """Say whether an argument behind a network's name is its password, which may be digits alone."""
    return is_network_digits(value) or _is_login_password(value, following)


CALLS = (
    context(
        "PASSWORD",
        r"(?i:with_?pass(?:word|phrase))\([^\n\x00;]{0,60}[\"']([^\s\x00\"'\\]{6,})[\"']",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:(?i:set_?password|password_?hash|hash_?password|create_?user|hash::make|bcrypt[.:]{1,2}[a-z_]{4,12}"
        r"|argon2[a-z.:_]{0,16}|passw(?:or)?d_?(?:field|input|box)\.[a-z_]{3,12})\s?\((?:[^\n\x00;)]{0,80},\s?)?"
        r"|(?:sn?printf|memcpy|str[nl]?cpy)\([^\n\x00;\"]{0,40}(?i:pass|psk|pwd|secret|token|key)[^\n\x00;]{0,24}?,\s?)"
        r"[bu]?[\"']([^\s\x00\"'\\]{8,})[\"']\s?[,)]",
        accept=_is_login_password,
    ),
    context(
        "SECRET",
        _KEYED + _CALLED + _ALGORITHM + _SOME_ARGUMENTS + r"[\"'`]([^\s\x00\"'`\\]{12,})[\"'`]",
        accept=_is_key,
    ),
    context(
        "SECRET",
        r"(?i:key|secret|seed|salt|mac|sign)[A-Za-z0-9_\]\"']{0,24}[^\n\x00;\"'`]{0,40}"
        + _DECODERS
        + r"\s?\(\s?&?[bu]?"
        r"[\"'`]([^\s\x00\"'`\\]{16,})[\"'`]",
        accept=is_drawn,
        trigger=_DECODERS + r"\s?\(\s?&?[bu]?[\"'`][^\s\x00\"'`\\]{16}",
    ),
    context(
        "SECRET",
        _CLIENTS + r"(?:\.(?i:new|run|log_?in|init|initialize|start|connect))?\([bu]?"
        r"[\"'`]([A-Za-z0-9_.~+/=-]{24,})[\"'`]",
        accept=is_drawn,
    ),
    context(
        "PASSWORD",
        r"(?i:wi_?fi|wlan|softap|addap|sta_if)[A-Za-z0-9_]{0,16}(?:(?:\.|->|::)[A-Za-z_.]{2,24})?\s?\(\s*"
        + _ARGUMENTS
        + r"(?:[a-z_]+ ?[:=] ?)?[bru]?[\"']([^\s\x00\"'\\]{8,})[\"']",
        accept=_is_network_password,
    ),
    context(
        "PASSWORD",
        r"(?i:(?:sym_|aes_)(?:en|de)crypt\s?\([^\n\x00;]{0,80}?,\s*N?|\b(?:crypt|digest)\()'([^\s\x00']{6,})'",
        accept=is_typed,
    ),
    context(
        "SECRET",
        r"(?i:\bjwt|jsonwebtoken|jws)\.(?i:sign|verify|encode|decode)\(\s*" + _ARGUMENTS + _QUOTED,
        accept=is_opaque,
    ),
    context(
        "PASSWORD",
        # Four arguments are a realm, a host, a user and the password.
        r"(?:(?i:credentials?)\s?\(\s*(?:[\"'][^\n\x00\"']*[\"']\s*,\s*){2}"
        r"|(?i:(?:basic|digest|http|set)?_?(?:basic|digest|http)?_?auth[a-z]*|[a-z_]*log_?in|sign_?in"
        r"|authenticate|[a-z]*credentials?|change_?user_?password|createuser|create_user|create_?superuser|adduser)\s*(?:=\s*)?\(\s*)"
        + _ARGUMENTS
        + _ADDRESS
        + _QUOTED,
        accept=_is_login_password,
    ),
    context(
        "PASSWORD",
        r"(?i:\bconnect(?:_?db)?|getconnection|mysqli(?:_connect)?|pdo|pg_connect|dbconnect|createconnection)\s*\(\s*"
        + _ARGUMENTS
        + r"{1,3}?"
        + _DIGIT_QUOTED,
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:convertto-securestring)(?: -String)? +[\"']([^\s\x00\"']{6,})[\"']",
        accept=is_password,
    ),
    context(
        "PASSWORD",
        r"(?:^|[{(,;&?\s\"'])(?i:pass)(?:\[[A-Za-z0-9_]{0,16}\])?"
        + CLOSE
        + r"\s*(?:=>|[:=])\s*"
        + QUOTE
        + r"([^\s\x00\"'\\]{6,}|"
        + _GROUPS
        + ")",
        accept=_is_passed,
        trigger=r"(?i:pass)(?:\[[A-Za-z0-9_]{0,16}\])?" + CLOSE + r"\s*(?:=>|[:=])\s*" + QUOTE,
    ),
    context(
        "PASSWORD",
        r"(?i:auth|login|user)[^\n\x00{}]*\{[^\n\x00{}]*(?i:pass|pwd|pw)\s*:\s*[\"']([^\s\x00\"'\\]{6,})[\"']",
        accept=is_password,
    ),
    context("PASSWORD", r"(?i:password)\s*(?:=\s*)?\(?\s*[\"']([^\s\x00\x1b\"'\\]{6,})[\"']", accept=is_password),
)
