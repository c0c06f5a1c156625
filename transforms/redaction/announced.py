"""Secrets that what stands before them announces: codes for recovery, seeds, salts, keys of wallets, new passwords.

Each is too short, too plain or too full of signs to be told by its own form or by a name and one link alone.
"""

import re
from typing import Final

from transforms.redaction.letters import is_gibberish, reads_as_words
from transforms.redaction.rule import CLOSE, LEFT, QUOTE, context, fixed
from transforms.redaction.values import (
    is_drawn,
    is_literal,
    is_opaque,
    is_random,
    is_typed,
)

_BREAK: Final = r"(?:\r?\n|\\+n)"
_CODES_NAME: Final = (
    r"(?i:(?:recovery|backup|scratch|rescue|emergency|bypass|2fa|mfa|one[ -]time)[ _-]{0,2}"
    r"(?:pass|access[ _-]|verification[ _-]|login[ _-])?(?:codes|keys)|wiederherstellungscodes|sicherungscodes)"
)
_CODE: Final = r"[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){1,4}"
_DIGITS: Final = r"[0-9]{4,5}[ -]?[0-9]{3,5}"
_BETWEEN: Final = r"(?:\\+[nrt\"']|[\s\"'`,;|\[\]*>#+-]|[0-9]{1,2}[.):] ?){1,12}"
_BETWEEN_WORDS: Final = r"[\"'`]?[ \t]{0,4}(?:,|\\+n|\r?\n)(?:\\+[nrt\"']|[\s\"'`|*>#+-]|[0-9]{1,2}[.):] ?){0,12}"
_WORD: Final = r"[a-z0-9]{8,16}"
_CODES: Final = re.compile(rb"[A-Za-z0-9]{3,}(?:-[A-Za-z0-9]{3,})*")
_DIGIT: Final = re.compile(rb"[0-9]")
_LEAST_SHARE_WITH_DIGITS: Final = 0.6
"""Of codes of eight letters and digits 95 in 100 hold a digit, of hyphened names in a list few."""
_MOST_LENGTHS: Final = 3
"""Codes of one list are written alike, those of several accounts in one note seldom in more than three ways."""
_PAIR: Final = 2
_MIXED_GROUP: Final = re.compile(rb"[A-Za-z][0-9]|[0-9][A-Za-z]")
_SALT_SIGN: Final = re.compile(rb"[^A-Za-z0-9 ]")
_FEWEST_SALT_SIGNS: Final = 8
"""Of 64 characters drawn from the 92 of a salt 21 are signs on average; a sentence has few."""
_FEWEST_KINDS_OF_SIGN: Final = 6
_LONG_WORD: Final = re.compile(rb"[A-Za-z0-9+/_=]{40,}")
_WALLET_KEY: Final = re.compile(rb"0x[0-9a-fA-F]{64}\Z")
_ADDRESS: Final = re.compile(rb"0x[0-9a-fA-F]{40}\Z")


def _is_list_of_codes(value: bytes, _following: bytes) -> bool:
    """Say whether words are codes: of like length and most with a digit; of two each must look drawn."""
    codes = [code for code in _CODES.findall(value) if len(code) > 3]
    if len(codes) == _PAIR:
        return all(code.isdigit() or _MIXED_GROUP.search(code) for code in codes)
    num_with_digit = sum(_DIGIT.search(code) is not None for code in codes)
    return len(set(map(len, codes))) <= _MOST_LENGTHS and num_with_digit >= _LEAST_SHARE_WITH_DIGITS * len(codes)


def _is_code(value: bytes, following: bytes) -> bool:
    """Say whether one code by itself is drawn: its groups mix letters and digits, as no words or dates in them do."""
    return not following.isalnum() and len(_MIXED_GROUP.findall(value)) >= 1 and len(_DIGIT.findall(value)) >= 2


def _is_seed(value: bytes, following: bytes) -> bool:
    """Say whether capitals and digits of base 32, alone or in groups of four small ones, are drawn and no words."""
    squeezed = value.replace(b" ", b"").rstrip(b"=")
    is_whole = not following.isalnum() and following != b"_"
    return (
        is_whole
        and (len(_DIGIT.findall(squeezed)) >= 2 or is_gibberish(squeezed) or not reads_as_words(squeezed))
        and is_literal(value, b"")
    )


def _is_mail_password(value: bytes, following: bytes) -> bool:
    """Say whether four groups of four letters are drawn: no words, and where more words follow, none at all."""
    letters = value.replace(b" ", b"")
    return not following.isalnum() and (is_gibberish(letters) or (following != b" " and not reads_as_words(letters)))


def _is_salt(value: bytes, _following: bytes) -> bool:
    """Say whether a text in quotes is full of many kinds of signs and holds digits, as no sentence or pattern does."""
    signs = _SALT_SIGN.findall(value)
    return (
        len(signs) >= _FEWEST_SALT_SIGNS
        and len(set(signs)) >= _FEWEST_KINDS_OF_SIGN
        and len(_DIGIT.findall(value)) >= 2
        and value.count(b" ") <= 4
    )


def _is_key(value: bytes, following: bytes) -> bool:
    """Say whether the argument of a call that takes a key is one and no public address."""
    return _WALLET_KEY.match(value) is not None or (is_opaque(value, following) and _ADDRESS.match(value) is None)


def _is_list_of_keys(value: bytes, _following: bytes) -> bool:
    """Say whether the first of the long words of a list is a key."""
    first = _LONG_WORD.search(value)
    return first is not None and _is_key(first[0], b"")


_CODES_AND_SEEDS = (
    context(
        "RECOVERY_CODES",
        _CODES_NAME + r"[^\n\x00]{0,120}?(?:" + _BREAK + r"[^\n\x00]{0,80}?){0,3}?(?:\\+[nrt]|[^A-Za-z0-9\x00])"
        r"(" + _CODE + r"(?:" + _BETWEEN + _CODE + r"){1,}|" + _DIGITS + r"(?:" + _BETWEEN + _DIGITS + r"){1,}"
        r"|" + _WORD + r"(?:" + _BETWEEN_WORDS + _WORD + r"){1,})",
        accept=_is_list_of_codes,
        trigger=_CODES_NAME,
    ),
    context(
        "RECOVERY_CODES",
        r"(?i:(?:recovery|backup|scratch|rescue|bypass|2fa|mfa)[ _-]{0,2}codes?)[\"'`]{0,2}(?:\s?[:=]|,| is| was)?"
        r"[\s\"'`(]{1,4}(" + _CODE + r"(?:(?:, ?| and | or )" + _CODE + r")?)",
        accept=_is_code,
    ),
    context(
        "OTP_SEED",
        r"(?i:t?otp|oathtool|authenticator|base ?32|[2m]fa|two[ _-]?factor|(?:set-?up|secret) key|\bseed|oath\b|b32"
        r"|can't scan)[^\n\x00]{0,40}?[^A-Za-z0-9\x00_]"
        r"([A-Z2-7]{16,64}={0,6})",
        accept=_is_seed,
    ),
    context("OTP_SEED", r"\bTOTP[ :=]{1,3}([0-9a-f]{32,64})", accept=is_drawn),
    context("OTP_SEED", r"base32\)?;?[ \t]{0,8}(?:\r?\n|\\+n)[^A-Za-z0-9\x00]{1,8}([A-Z2-7]{16,64})", accept=_is_seed),
    context(
        "OTP_SEED",
        r"(?i:t?otp|authenticator|[2m]fa|two[ _-]?factor|set-?up key|manual)[^\n\x00]{0,60}?(?:(?:\r?\n|\\+n){1,2}"
        r"[ \t>*`]{1,8}|[^A-Za-z0-9\x00])([a-z2-7]{4}(?: [a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15})",
        accept=_is_seed,
    ),
    context(
        "PASSWORD",
        # Prompts say "no passwords, keys or tokens", and any four words of four letters may follow.
        r"(?i:passw(?:or)?d|passcode|gmail|smtp|app pw)[^\n\x00,]{0,40}?[^A-Za-z0-9\x00]([a-z]{4}(?: [a-z]{4}){3})",
        accept=_is_mail_password,
    ),
)

_KEYS = (
    context(
        "SALT",
        r"(?:KEY|SALT|SECRET|_key|_salt|secret)[\"']?(?: |\s*(?:,|=>|[:=])\s*)[\"']([^\n\x00\"'\\]{40,80})[\"']",
        accept=_is_salt,
    ),
    fixed("APP_KEY", LEFT + r"(base64:(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==))", accept=is_random),
    fixed(
        "PRIVATE_KEY",
        r"LS0tLS1CRUdJTi(?:BSU0Eg|BFQyB|BEU0Eg|BPUEVOU1NIIF|BFTkNSWVBURUQg|BQR1Ag|B)(?:UFJJVkFURSBL|BSSVZBVEUgS|QUklWQVRFIEtF)"
        r"[A-Za-z0-9+/]{16,}={0,2}",
    ),
    context(
        "PRIVATE_KEY",
        r"(?:(?i:private keys?)|_PK\b)[^A-Za-z0-9\x00]{0,80}(?:\([0-9]{1,3}\) ?)?"
        r"((?:0x)?[0-9a-fA-F]{64}(?:\s+\([0-9]{1,3}\) (?:0x)?[0-9a-fA-F]{64})*)",
        accept=is_literal,
    ),
    context(
        "PRIVATE_KEY",
        r"(?i:key-?pair|(?:secret|private)[ _-]?key|wallet|solana)[^\n\x00]{0,80}(?:" + _BREAK + r"[^\n\x00]{0,40})?"
        r"(\[ ?(?:[0-9]{1,3}, ?){63}[0-9]{1,3} ?\])",
        accept=is_literal,
    ),
    context(
        "SECRET",
        r"(?i:log_?in|\bauth[a-z]*|(?:set|with|use)_?(?:api_?)?(?:key|token)|wallet|signer|(?:from|private)_?key"
        r"|privatekeytoaccount)\s*\(\s*(?:[A-Za-z_]+ ?[:=] ?)?[bru]?[\"']([A-Za-z0-9+/_.=~-]{20,})[\"']",
        accept=_is_key,
    ),
    context(
        "SECRET",
        r"\\*[\"']keyName\\*[\"']: *\\*[\"'][^\n\x00\"']{0,60}[\"'],\s*(?:\\+n)?\s*"
        r"(?:\\*[\"'][a-zA-Z]{1,24}\\*[\"']: *[^\n\x00,]{0,60},\s*(?:\\+n)?\s*){0,4}\\*[\"']value\\*[\"']: *\\*[\"']"
        r"([^\s\x00\"'\\]{16,})",
        accept=is_random,
        trigger=r"[\"']keyName\\*[\"']:",
    ),
)

_LISTS = (
    context(
        "SECRET",
        r"(?i:(?:unseal|api|secret|access|private|signing|recovery|root)[ _-]?(?:keys|tokens|shares)"
        r"(?:_[a-z0-9]{2,6})?|accounts)" + CLOSE + r"\s{0,2}[:=](?:\\+[nrt\"']|[\s\"'`,\[-]){1,12}"
        r"((?:0x)?[A-Za-z0-9+/_=]{40,}(?:(?:\\+[nrt\"']|[\s\"'`,-]){1,12}(?:0x)?[A-Za-z0-9+/_=]{40,})*)",
        accept=_is_list_of_keys,
    ),
)

_COOKIES = (
    fixed("COOKIE", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{26,}"),
    fixed("COOKIE", r"\.eJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{26,}"),
    fixed("COOKIE", r"eyJ[A-Za-z0-9_-]{8,}:[A-Za-z0-9]{6}:[A-Za-z0-9_-]{26,}"),
    fixed("COOKIE", r"\.eJ[A-Za-z0-9_-]{16,}:[A-Za-z0-9]{6}:[A-Za-z0-9_-]{26,}"),
)

_PASSWORDS = (
    context("PASSWORD", r"New value: ([^\s\x00\"'`\\]{16,64})", accept=is_opaque),
    context(
        "PASSWORD",
        r"(?i:secret|password)[^\n\x00]{0,200}base64 (?:-d|-D|--decode)[^\n\x00]{0,16}\n([^\s\x00\"'`\\]{8,64})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:password|passwd|passphrase|_pass|pwd)" + CLOSE + r"\s{0,2}(?:=>|[:=,])\s{0,2}" + QUOTE + r"?"
        r"([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?:[^A-Za-z0-9\x00_.-]|$)",
        accept=is_random,
    ),
    context(
        "PASSWORD",
        r"(?i:password)[^\n\x00]{0,80}" + _BREAK + r"{1,2}(?i:new value|new password|value|password): {1,8}"
        r"([^\s\x00\"'`\\]{8,64})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:(?:generated|temporary|initial|default|one-time|new|random)[a-z -]{0,20} password"
        r"|password (?:is|was) (?:auto)?generated)[^\n\x00:]{0,64}: {1,4}[\"'`]?([^\s\x00\"'`\\]{8,64})",
        accept=is_typed,
    ),
)

ANNOUNCED: Final = (*_CODES_AND_SEEDS, *_KEYS, *_LISTS, *_COOKIES, *_PASSWORDS)
