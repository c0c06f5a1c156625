"""What a value must be to count as a secret where only its context speaks for it."""

import re2

_REFERENCE = re2.compile(
    rb"^(?:\$|%[({A-Z]|\{|<|@|\*{3,}|\.{3})|^(?:[xX*.-])+$|^(?:env|var|secrets|process|os|local)\."
)
_WORDS = re2.compile(
    rb"(?i)^(?:none|null|true|false|undefined|redacted|changeme|example|placeholder|password|required|optional)$"
    rb"|(?i)^(?:your|my|the|insert|replace)[-_]|example|placeholder|redacted"
)
_DOTTED_NAME = re2.compile(rb"^[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z0-9_]*)+$")
_PATH_OR_URL = re2.compile(
    rb"^(?:\.{0,2}/|~/|[A-Za-z]:[/\\]|[a-z][a-z0-9+]*://)|^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+\.[a-z]{1,5}$"
)
_SIGN = re2.compile(rb"[0-9!@#$%^&*?+~]")
_DIGITS = b"0123456789"
_CODE_FOLLOWS = (b"(", b"[")


def is_literal(value: bytes, following: bytes) -> bool:
    """Say whether the value is written out, not a variable, a mask or a word of documentation."""
    return not _REFERENCE.search(value) and not _WORDS.search(value)


def has_case_or_digit(value: bytes, following: bytes) -> bool:
    """Say whether a literal is more than a lower-case word."""
    return is_literal(value, following) and (
        value != value.lower() or len(value.translate(None, _DIGITS)) < len(value)
    )


def is_random(value: bytes, following: bytes) -> bool:
    """Say whether a literal mixes letters and digits as a key does and as names, paths and calls in code do not."""
    num_digits = len(value) - len(value.translate(None, _DIGITS))
    if value.upper() == value.lower() or following in _CODE_FOLLOWS:
        return False
    has_both_cases = value != value.upper() and value != value.lower()
    is_mixed = num_digits >= 2 or (num_digits == 1 and has_both_cases) or _is_case_noise(value)
    is_name = _DOTTED_NAME.search(value) or _PATH_OR_URL.search(value)
    return is_mixed and not is_name and is_literal(value, following)


def _is_case_noise(value: bytes) -> bool:
    """Say whether letters alone switch case as random text does; camel case has under three capitals in ten."""
    num_capitals = sum(65 <= byte <= 90 for byte in value)
    return len(value) >= 16 and value.isalpha() and 0.3 <= num_capitals / len(value) <= 0.7


def is_password(value: bytes, following: bytes) -> bool:
    """Say whether a quoted value assigned to a password's name is a password and not a word."""
    return bool(_SIGN.search(value)) and not _PATH_OR_URL.search(value) and is_literal(value, following)


def is_public_address(value: bytes, following: bytes) -> bool:
    """Say whether an IPv4 address could point at somebody: neither loopback, nor unset, nor a netmask."""
    return not value.startswith((b"127.", b"0.", b"255."))
