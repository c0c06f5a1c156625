"""Secrets wrapped in base64: what known beginnings look like in it, and whether a run of it decodes to a secret."""

import base64
import binascii
import re
from functools import cache, lru_cache
from typing import Final

from transforms.redaction.matching import CompiledRule, compile_rules
from transforms.redaction.named import named_values
from transforms.redaction.names import NAME_PATTERN
from transforms.redaction.one_pass import OnePass, compile_one_pass
from transforms.redaction.rule import Rule
from transforms.redaction.rules import SECRET_RULES

_PLAIN_BEGINNINGS: Final = (
    *(
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "AKIA",
        "ASIA",
        "AIza",
        "sk-ant-",
        "sk-proj-",
        "sk_live_",
    ),
    *("xoxb-", "xoxp-", "npm_", "pypi-AgE", "dop_v1_", "PRIVATE KEY", "https://", "postgres://", "mysql://"),
    *("password", "PASSWORD", "passwd", "secret", "SECRET", "token", "TOKEN", "api_key", "API_KEY", "apiKey", "_KEY="),
)
_FEWEST_LETTERS: Final = 4
"""Letters of base64 that a beginning must fix: fewer stand in any picture."""
_MOST_DECODED: Final = 1 << 20
"""Letters of a run that are decoded."""
_LONGEST_KEPT: Final = 256
"""Letters of a run whose judgement is kept: what one look leaves is looked at again."""
_PRINTED: Final = re.compile(rb"[\t\n\r\x20-\x7e]{20,}")
"""Bytes decoded from what is no base64 hold no such stretch, and names in shorter ones name nothing."""
_URL_LETTERS: Final = bytes.maketrans(b"-_", b"+/")


def _wrapped(beginning: str) -> list[str]:
    """Return the base64 letters that a text fixes, wherever it stands in the bytes: one form for each of 3 places."""
    forms = []
    for num_before, num_unsure in ((0, 0), (1, 2), (2, 3)):
        raw = b"\x00" * num_before + beginning.encode()
        letters = base64.b64encode(raw).decode()[num_unsure : len(raw) * 8 // 6]
        if len(letters) >= _FEWEST_LETTERS:
            forms.append(letters.replace("+", "[+-]").replace("/", "[/_]"))
    return forms


@cache
def encoded_rule() -> Rule:
    """Return the rule of base64 runs that decode to something one of our own rules takes."""
    forms = sorted({form for beginning in _PLAIN_BEGINNINGS for form in _wrapped(beginning)})
    pattern = rf"[A-Za-z0-9+/_-]*(?:{'|'.join(forms)})[A-Za-z0-9+/_-]*={{0,2}}"
    return Rule("ENCODED_SECRET", pattern, _decodes_to_secret)


def _decodes_to_secret(value: bytes, following: bytes) -> bool:
    return holds_decoded(value) if len(value) <= _LONGEST_KEPT else holds_decoded.__wrapped__(value)


@lru_cache(maxsize=8192)
def holds_decoded(value: bytes) -> bool:
    """Say whether a run of base64 decodes to a secret."""
    letters = value[:_MOST_DECODED].rstrip(b"=").translate(_URL_LETTERS)
    # A last letter that is alone in its group of four holds no byte; padding beyond the need is passed over.
    bodies = [letters[start : len(letters) - ((len(letters) - start) % 4 == 1)] for start in range(4)]
    return _holds_secret(b"\x00".join([binascii.a2b_base64(body + b"==") for body in bodies]))


def _holds_secret(text: bytes) -> bool:
    one_pass, rules = _decoded_rules()
    indices = one_pass(text)
    if indices and indices[-1] == len(rules):
        indices.pop()
        printed = _PRINTED.findall(text)
        if printed and any(named_values(b"\x00".join(printed))):
            return True
    return any(rules[index].accepts(text, start, end) for index in indices for start, end in rules[index].places(text))


@cache
def _decoded_rules() -> tuple[OnePass, tuple[CompiledRule, ...]]:
    patterns = [*(rule.sought for rule in SECRET_RULES), NAME_PATTERN]
    return compile_one_pass(patterns, over_short_texts=True), compile_rules(SECRET_RULES)
