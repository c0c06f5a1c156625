"""What a value must be to count as a secret where only its context speaks for it."""

import binascii
import re
from typing import Final

from transforms.redaction.letters import (
    NO_RANDOM_PIECE,
    NOT_RANDOM,
    RANDOM,
    RANDOM_TOKEN,
    is_case_noise,
    is_gibberish,
    is_joined_words,
    mixture,
    names_example,
    reads_as_words,
    switches_classes,
    true_randomness,
)

_MAX_JUDGED: Final = 512
"""Bytes of a value that are looked at: a longer one is judged by its beginning."""
_NO_LITERAL = re.compile(
    rb"\$|%[({]|%[A-Z_]+%|\{|<|@(?:/|[A-Za-z_.]+\Z)|\*{3,}|\.{3}|[xX*.-]+\Z|(?:env|var|secrets|process|os|local)\."
    rb"|(?i:[+-]?(?:none|null|true|false|undefined|redacted|changeme|example|placeholder|password|required|optional)\Z"
    rb"|(?:your|my|the|insert|replace)[-_])"
)
_DOTTED_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z0-9_]*)+\Z")
_NAME_JOINT = re.compile(rb"\.|::|->")
_PATH_OR_URL = re.compile(
    rb"(?:\.{0,2}/|~/|[A-Za-z]:[/\\]|[a-z][a-z0-9+]*://)|[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+\.[a-z]{1,5}\Z"
)
_BASE64_KEY = re.compile(rb"[A-Za-z0-9+/]{22,}={0,2}\Z")
_LOGIN = re.compile(rb"[\x21-\x39\x3b-\x7e]*:[\x20-\x7e]{3,}\Z")
_LONGEST_WORD: Final = 20
"""Characters of a name in code that may hold digits; a longer stretch of letters and digits is a part of a token."""
_CODE = re.compile(rb"(?:[a-z0-9]{4}-){1,8}[a-z0-9]{4}\Z|(?:[a-z0-9]{5}-){1,8}[a-z0-9]{5}\Z")
_NOISE_SIGN = re.compile(rb"[!@#%^*+?]")
_BASES = re.compile(rb"[ACGTN]+\Z")
_PORT = re.compile(rb"[0-9]{1,5}[/?#&]")
_TYPED_SIGN = re.compile(rb"[!@#%^*?+~]")
_TYPED_OTHER = re.compile(
    rb"://|/.*[/?]|:[0-9]{2,5}/|\A@[a-z_.-]+\Z|\A[0-9.]*:[0-9]|!r\Z|\A[0-9T:.-]+\Z|\.[a-z]{2,4}\Z|\("
    rb"|\A[a-z_.-]{3,}=|\A-"
)
"""What stands behind a flag and is a path, a port, a date, a file or a setting."""
_SIGN = re.compile(rb"[0-9!@#$%^&*?+~]")
_DIGITS = b"0123456789"
_FEWEST_IN_COOKIE: Final = 16
_CODE_FOLLOWS = (b"(", b"[")
_GROUPS = re.compile(rb"[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){2,9}\Z")
_WORD_PHRASE = re.compile(rb"[A-Za-z]{3,12}([-_.+!])(?:[A-Za-z]{3,12}\1){1,6}[A-Za-z]{2,12}(?:\1?[0-9]{1,4})?!?\Z")
_MANY_WORDS = re.compile(rb"[a-z]{3,12}(?:[-_][a-z]{3,12}){3,6}[-_]?[0-9]{1,4}\Z")
_NUMBERED_WORDS = re.compile(rb"[A-Za-z][a-z]{2,11}[-_.](?:[a-z]{3,12}[-_.])?[0-9]{3,6}[a-z]{0,3}[!?]?\Z")
_DOTTED_PASSWORD = re.compile(rb"[a-z]{4,12}\.[A-Z][a-z]{3,12}[0-9]{2,4}!?\Z")
_WORD_OF_CODE = re.compile(
    rb"(?i)(?:\A|[-_.+!])(?:pass[a-z]*|secrets?|tokens?|keys?|self|this|config[a-z]*|settings?|env|auth[a-z]*"
    rb"|cred[a-z]*|users?|name"
    rb"|values?|strings?|example|get|set|db|data|test|from|with|not|field|model|base|type)(?:[-_.+!]|\Z)"
)
_SPOKEN = re.compile(rb"[!@#]?[A-Za-z][A-Za-z0-9]{2,}[!@#*?_.-]?[A-Za-z]*[0-9]{2,6}[!@#*?x]?\Z")
_HASH_SIZES: Final = (32, 40, 56, 64, 96, 128)
_HASH_SHAPE = re.compile(b"(?:" + b"|".join(b"[0-9a-f]{%d}" % size for size in _HASH_SIZES) + rb")\Z")
_APP_PASSWORD = re.compile(rb"[a-z]{4}(?: [a-z]{4}){3}\Z")
_SPACED_PHRASE = re.compile(rb"[a-z]{3,12}(?: [a-z]{3,12}){3,9}(?: [a-z]{3,12}| [0-9]{1,4})\Z")
_WORD_OF_SENTENCE = re.compile(
    rb"\b(?:must|should|have|has|more|than|least|with|characters?|chars|digits?|length|minimum|maximum|the|and|for|not"
    rb"|contains?|between|after|before|expires?|days?|hours?|minutes?|seconds|attempts?|error|code|line|page|step"
    rb"|version|are|was|were|you|your|from|this|that|into|enter|current|passwords?|passphrase|please|will|can|cannot"
    rb"|when|users?|accounts?|login|used|using|set|reset|changed?|again|incorrect|invalid|wrong|too|does|match|failed"
    rb"|required|field|value|new|old|confirm|choose|type|default|string|secret|token|key|file|all|any|but|out|its)\b"
)
_SEED_PHRASE = re.compile(rb"[a-z]{3,8}(?: [a-z]{3,8}){11,23}\Z")
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_MARK = re.compile(rb"[!@#$%^&*?+~=._-]")


def is_literal(value: bytes, following: bytes) -> bool:
    """Say whether the value is written out, not a variable, a mask or a word of documentation."""
    value = value[:_MAX_JUDGED]
    return not _NO_LITERAL.match(value) and not names_example(value)


def has_case_or_digit(value: bytes, following: bytes) -> bool:
    """Say whether a literal is more than a lower-case word."""
    return is_literal(value, following) and (
        value != value.lower() or len(value.translate(None, _DIGITS)) < len(value)
    )


def is_random(value: bytes, following: bytes) -> bool:
    """Say whether a literal mixes letters and digits as a key does and as names, paths and calls in code do not."""
    if following in _CODE_FOLLOWS:
        return False
    value = value[:_MAX_JUDGED]
    how = mixture(value)
    if how == NOT_RANDOM:
        return False
    # Letters and digits alone are no name with dots, no path and no variable.
    return how == RANDOM_TOKEN or not (_is_dotted_name(value) or _is_path_or_url(value) or _NO_LITERAL.match(value))


def _is_dotted_name(value: bytes) -> bool:
    """Say whether a value is a name in code with its owners, none of which is a token's part of random letters."""
    return _DOTTED_NAME.match(value) is not None and not any(
        is_truly_random(part) or (len(part) > _LONGEST_WORD and is_random(part, b""))
        for part in _NAME_JOINT.split(value)
    )


def _is_path_or_url(value: bytes) -> bool:
    """Say whether a value is a path or a URL, not a key in base64 that happens to begin with a slash."""
    return _PATH_OR_URL.match(value) is not None and not (
        _BASE64_KEY.match(value) and (value.endswith(b"=") or b"+" in value)
    )


def is_login(value: bytes, following: bytes) -> bool:
    """Say whether a value in base64 holds a name, a colon and a password."""
    whole = value.rstrip(b"=")[:_MAX_JUDGED]
    whole = whole[: len(whole) // 4 * 4] if len(value) > _MAX_JUDGED or len(whole) % 4 == 1 else whole
    return _LOGIN.match(binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))) is not None


def is_noise(value: bytes, following: bytes) -> bool:
    """Say whether a token ends in letters of both cases and digits, as no hash, word or number does."""
    tail = value.rpartition(b"_")[2]
    return tail != tail.lower() and tail != tail.upper() and is_random(tail, following)


def has_random_pair(value: bytes, following: bytes) -> bool:
    """Say whether one of the values of a cookie is random and long enough to be a session's."""
    if len(value) < _FEWEST_IN_COOKIE:
        return False
    parts = [part for part in value.split(b";", 100)[:100] if len(part) >= _FEWEST_IN_COOKIE]
    values = (part.partition(b"=")[2].strip() or part.strip() for part in parts)
    return any(len(part) >= _FEWEST_IN_COOKIE and b" " not in part and is_random(part, b"") for part in values)


def is_password(value: bytes, following: bytes) -> bool:
    """Say whether a quoted value assigned to a password's name is a password and not a word."""
    return (
        bool(
            _SIGN.search(value)
            or is_case_noise(value)
            or is_gibberish(value)
            or is_word_phrase(value)
            or _is_code_of_letters(value)
        )
        and not _PATH_OR_URL.match(value)
        and is_literal(value, following)
    )


def is_opaque(value: bytes, following: bytes) -> bool:
    """Say whether a value in a form that holds keys is random, of any alphabet, and no call, path or word."""
    return following not in _CODE_FOLLOWS and is_truly_random(value)


def is_mixed(value: bytes, following: bytes) -> bool:
    """Say whether a short value has letters of both cases and digits and reads as no name in code."""
    return (
        len(value) >= 8
        and value.isalnum()
        and value != value.lower()
        and value != value.upper()
        and is_random(value, following)
        and not reads_as_words(value)
        and not is_identifier(value)
    )


def is_typed(value: bytes, following: bytes) -> bool:
    """Say whether what stands where a command takes a password is one: no word, number, path, port or address."""
    num_digits = len(value) - len(value.translate(None, _DIGITS))
    has_letter = value.lower() != value.upper()
    has_sign = _TYPED_SIGN.search(value) is not None
    return (
        has_letter
        and len(value) >= 6
        and (
            num_digits >= 2
            or (num_digits and len(value) >= 10 and value != value.lower())
            or has_sign
            or is_gibberish(value)
            or is_case_noise(value)
        )
        and not _TYPED_OTHER.search(value)
        and is_literal(value, following)
    )


def is_url_password(value: bytes, following: bytes) -> bool:
    """Say whether what stands between a colon and an at sign in a URL is a password and no port with a query."""
    return is_literal(value, following) and _PORT.match(value) is None


def is_no_sequence(value: bytes, following: bytes) -> bool:
    """Say whether capitals are no sequence of bases of DNA."""
    return _BASES.match(value) is None


def is_public_address(value: bytes, following: bytes) -> bool:
    """Say whether an IPv4 address could point at somebody: neither loopback, nor unset, nor a netmask."""
    return not value.startswith((b"127.", b"0.", b"255."))


def is_truly_random(value: bytes) -> bool:
    """Say whether a value is random whatever stands between it and its name: no name, path, date or version is.

    Letters and digits must switch class as random ones do, in a stretch of 12 or in groups of equal writing, and the
    letters must not read as words.
    """
    value = value[:_MAX_JUDGED]
    how = true_randomness(value)
    if how in (NOT_RANDOM, RANDOM):
        return how == RANDOM
    if how == NO_RANDOM_PIECE:
        return _GROUPS.match(value) is not None and switches_classes(value.replace(b"-", b""))
    return not (_is_path_or_url(value) or _NO_LITERAL.match(value))


def is_identifier(value: bytes) -> bool:
    """Say whether a value reads as a name in code: words of letters and numbers, in any joining."""
    return is_joined_words(value)


def is_hash_or_path(value: bytes) -> bool:
    """Say whether a value has the form of a digest, of a test's id or of a path of several folders."""
    return (
        _HASH_SHAPE.match(value) is not None
        or b"::" in value
        or (value.count(b"/") >= 2 and not is_truly_random(value))
    )


def is_hash(value: bytes) -> bool:
    """Say whether a value has the form of a digest in small letters: so have keys, which a name must speak for."""
    return len(value) in _HASH_SIZES and _HASH_SHAPE.match(value) is not None and not value.isdigit()


def is_drawn(value: bytes, following: bytes) -> bool:
    """Say whether a value where keys stand is one that was drawn: random, or in digits as a digest's."""
    return is_hash(value) or is_opaque(value, following)


def is_printed(value: bytes, following: bytes) -> bool:
    """Say whether what stands where a secret is printed or set is one: typed, or drawn."""
    return is_typed(value, following) or is_drawn(value, following)


def is_shown(value: bytes, following: bytes) -> bool:
    """Say whether what is shown as a key is one; some are written as ids are."""
    return is_drawn(value, following) or _UUID.match(value) is not None


def is_network_digits(value: bytes) -> bool:
    """Say whether a value is digits alone, as many as the key of a wireless network may have."""
    return value.isdigit() and 8 <= len(value) <= 63


def is_chosen(value: bytes, following: bytes) -> bool:
    """Say whether a value is a password by itself, as people choose them: letters, digits and a sign, 8 or more."""
    return (
        len(value) >= 8
        and _MARK.search(value) is not None
        and value != value.lower()
        and value != value.upper()
        and is_random(value, following)
    )


def _is_code_of_letters(value: bytes) -> bool:
    """Say whether a value is two groups and more of random letters of one length, as codes for recovery are."""
    return _CODE.match(value) is not None and is_gibberish(value.replace(b"-", b""))


def is_noisy(value: bytes) -> bool:
    """Say whether a value is full of digits and of signs that code seldom has beside each other."""
    return (
        len(_NOISE_SIGN.findall(value)) >= 3
        and len(value) - len(value.translate(None, _DIGITS)) >= 3
        and b"://" not in value
        and is_literal(value, b"")
    )


def is_word_phrase(value: bytes) -> bool:
    """Say whether a value is three words and more joined by one sign, as pass phrases are and few names in code."""
    return (
        len(value) >= 16
        and _WORD_PHRASE.match(value) is not None
        and not _WORD_OF_CODE.search(value)
        and (value != value.lower() or b"+" in value or b"!" in value or _MANY_WORDS.match(value) is not None)
    )


def is_given(value: bytes, following: bytes) -> bool:
    """Say whether a value without quotes that is given to a password's name is one."""
    if following in _CODE_FOLLOWS:
        return False
    if is_word_phrase(value) or _is_code_of_letters(value) or _is_dotted_password(value) or is_numbered_words(value):
        return True
    if _TYPED_OTHER.search(value) and not is_truly_random(value):
        return False
    return is_random(value, following) or (
        len(value) >= 8
        and _TYPED_SIGN.search(
            value[:-1] if value.endswith((b"?", b"!")) and _DOTTED_NAME.match(value[:-1]) else value
        )
        is not None
        and value.lower() != value.upper()
        and not value.startswith((b"^", b"*", b"~"))
        and is_literal(value, following)
    )


def _is_dotted_password(value: bytes) -> bool:
    """Say whether a value is two words, a dot and a number, as people choose passwords and hardly a name in code."""
    return _DOTTED_PASSWORD.match(value) is not None and not _WORD_OF_CODE.search(value)


def is_numbered_words(value: bytes) -> bool:
    """Say whether a value is a word or two, a sign and a number, and no name in code: `copper.lantern_4821`."""
    return _NUMBERED_WORDS.match(value) is not None and not _WORD_OF_CODE.search(value)


def is_told(value: bytes) -> bool:
    """Say whether a word behind a password's name, nothing between, is the password and no word of the sentence."""
    if is_word_phrase(value) or is_numbered_words(value):
        return True
    if is_identifier(value) and _SPOKEN.match(value) is None:
        return False
    num_digits = len(value) - len(value.translate(None, _DIGITS))
    has_case = value != value.lower() and value != value.upper()
    has_sign = _TYPED_SIGN.search(value) is not None
    return ((num_digits >= 2 and (has_case or has_sign or num_digits >= 3)) or (has_case and has_sign)) and is_given(
        value, b""
    )


def is_phrase(value: bytes) -> bool:
    """Say whether words in quotes are no sentence: a mail program's password, a wallet's seed, a phrase of words."""
    if _APP_PASSWORD.match(value) or _SEED_PHRASE.match(value):
        return True
    return _SPACED_PHRASE.match(value) is not None and not _WORD_OF_SENTENCE.search(value)
