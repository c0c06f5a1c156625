"""Names that a secret goes by, in any case and joining, and what the name alone says of its value."""

import re
from typing import Final

_JOINT: Final = r"[_. -]?"
_OWNERS: Final = (
    r"(?:api|access|private|secret|auth|signing|encryption|account|master|service|deploy|license|consumer|client|app"
    r"|application|session|root|admin|storage|shared|subscription|hmac|webhook|jwt|ssh|cipher|bot|server|ingest"
    r"|integration|vault|functions|activation)"
)
_WORDS: Final = (
    r"pwd|Pwd|PWD|(?:^|[^A-Za-z0-9+/])(?:psk|PSK)|(?i:passw(?:or)?d|passphrase|passcode|secret|token|credential|_auth|mnemonic"
    r"|(?:seed|recovery)" + _JOINT + r"phrase|(?:recovery|backup)" + _JOINT + "code|" + _OWNERS + _JOINT + r"key)"
)
_GENERIC: Final = r"[A-Za-z0-9][_.-]pass|[a-z0-9]Pass|[a-z0-9][_.-]key|[a-z0-9]Key"
_GENERIC_CAPITALS: Final = r"[A-Z0-9]_(?:PASS|KEY|PAT|AUTH|CREDS?|OTP|SIGNING|WEBHOOK|DSN)(?:_[0-9]{1,2})?"
_SUFFIX: Final = r"(?i:s|[_-]?(?:base|value|prod|dev|test|staging|live))?"

NAME_PATTERN: Final = f"(?:(?:{_WORDS}|{_GENERIC}){_SUFFIX}(?:[^a-z]|$)|{_GENERIC_CAPITALS}(?:[^A-Za-z]|$))"
"""A name and the character after it: no small letter, so that `tokenizer` and `secretly` are none."""

_PASSWORD: Final = re.compile(rb"(?i).?psk|pass|pwd|.[_.-]?pass|mnemonic|seed|recovery|backup")
_LOOSE: Final = re.compile(rb"[A-Za-z0-9][_.-]?(?:[kK]ey|KEY|PAT|AUTH|CREDS?|OTP|SIGNING|WEBHOOK|DSN)")
_OTHER_THING: Final = re.compile(
    rb"(?i)[_.-]?(?:count|counts|len|length|type|types|hash|digest|url|uri|path|file|name|names|size|limit|usage|index"
    rb"|py|pyi|js|ts|tsx|go|rs|java|rb|c|h|cc|cpp|md|rst|txt|json|ya?ml|toml|html|css|sh|pos|ttl|arn|ids|class|cls|field|header|format|prefix|policy|version|expir[a-z]*|created[a-z_]*|checksum)\Z"
)


def is_password_name(name: bytes) -> bool:
    """Say whether people choose the values of a name, so that they need not be random."""
    return _PASSWORD.match(name) is not None


def is_loose_name(name: bytes) -> bool:
    """Say whether a name also names what is no secret: `sort_key`, `cacheKey`, `HAS_AUTH`."""
    return _LOOSE.match(name) is not None


def names_other_thing(rest: bytes) -> bool:
    """Say whether what follows in a name makes it the name of something about a secret: `token_count`."""
    return _OTHER_THING.match(rest) is not None
