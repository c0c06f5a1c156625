import base64
import random
import re
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.redaction.engine import Redactor
from transforms.redaction.matching import compile_rules
from transforms.redaction.one_pass import compile_one_pass
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES

LINES = [
    "{}",
    "$ echo {}",
    "2024-05-01 12:00:01 INFO got {} from vault",
    "prefix\\n{}\\nsuffix",
    "x={};",
    "| {} |",
    "é {} ü",
]


def test_every_kind_is_found_in_every_line(make_secret, secret_kinds):
    rng = random.Random(7)
    missed = []
    for kind in secret_kinds:
        for line in LINES:
            secret, text = make_secret(kind, rng)
            if secret in Redactor().redact_text(line.format(text)):
                missed.append((kind, line))
    assert missed == []


def _benign_lines(rng: random.Random, count: int) -> list[str]:
    def hexes(length: int) -> str:
        return f"{rng.getrandbits(length * 4):0{length}x}"

    def digest() -> str:
        return base64.b64encode(rng.randbytes(32)).decode()

    makers = [
        lambda: f"commit {hexes(40)}",
        lambda: f"{hexes(7)} Fix off-by-one in tokenizer (#{rng.randrange(9999)})",
        lambda: f"sha256:{hexes(64)}  dist/pkg-{rng.randrange(9)}.{rng.randrange(99)}.tar.gz",
        lambda: f"index {hexes(11)}..{hexes(11)} 100644",
        lambda: f'"id": "{uuid.UUID(int=rng.getrandbits(128))}",',
        lambda: f"request_id={uuid.UUID(int=rng.getrandbits(128))} status=200",
        lambda: f"/tmp/pytest-of-root/pytest-{rng.randrange(99)}/{hexes(32)}/test_token_{rng.randrange(99)}.py",
        lambda: f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}",',
        lambda: f"{digest()}",
        lambda: f"data:image/png;base64,{base64.b64encode(rng.randbytes(300)).decode()}",
        lambda: f'  File "/usr/lib/python3.11/site-packages/mod_{rng.randrange(99)}.py", line {rng.randrange(900)}',
        lambda: f"tests/test_auth.py::test_password_{rng.randrange(99)} PASSED [ {rng.randrange(99)}%]",
        lambda: f"max_tokens={rng.randrange(9999)}, token_count: {rng.randrange(10**9)}",
        lambda: f"self.token = self.tokens{rng.randrange(99)}[index + 1]",
        lambda: f"token = tokenizer{rng.randrange(99)}.next_token()",
        lambda: "password = os.environ['DB_PASSWORD']",
        lambda: 'api_key: str | None = None  # read from "${API_KEY_V2}"',
        lambda: f"https://example.org:{rng.randrange(9999)}/a@b/{hexes(12)}",
        lambda: f"git clone git@github.com:org/disk-{hexes(32)}.git",
        lambda: f"risk-{hexes(40)} task-{hexes(40)} cache-key-{hexes(32)}",
        lambda: f"0x{hexes(16)} in libc.so.6 (+0x{hexes(5)})",
        lambda: (
            f"user_id: mia_li_{rng.randrange(9999)}, reservation {hexes(6).upper()}, "
            f"payment credit_card_{rng.randrange(10**7)}"
        ),
    ]
    return [rng.choice(makers)() for _ in range(count)]


def test_ten_thousand_benign_lines_stand():
    redactor = Redactor()
    changed = [line for line in _benign_lines(random.Random(11), 10_000) if redactor.redact_text(line) != line]
    assert changed == []


def test_the_one_pass_still_answers_after_much_hostile_text(make_secret):
    rng = random.Random(3)
    pieces = [
        "eyJ",
        "sk-",
        "token=",
        "://",
        "SK",
        "password: '",
        "0123456789abcdef" * 3,
        "-----BEGIN ",
        "\x00",
        "é",
        "@",
    ]
    hostile = "".join(rng.choice(pieces) + chr(rng.randrange(32, 127)) for _ in range(60_000))
    secret, text = make_secret("github", rng)
    assert secret not in Redactor(personal_data=True).redact_text(f"{hostile} {text} {hostile[:1000]}")


@pytest.mark.parametrize("rule", [*SECRET_RULES, *PERSONAL_RULES], ids=lambda rule: f"{rule.kind}-{rule.pattern[:20]}")
@settings(max_examples=8, deadline=None, database=None)
@given(data=st.data())
def test_the_one_pass_and_the_matcher_find_what_a_rule_describes(rule, data):
    text = data.draw(st.from_regex(re.compile(rule.pattern.encode()), fullmatch=True))
    compiled = compile_rules([rule])[0]
    assert compile_one_pass([rule.pattern])(text) == [0]
    assert next(compiled.places(text))[1] > 0


@pytest.mark.parametrize("rule", [*SECRET_RULES, *PERSONAL_RULES], ids=lambda rule: f"{rule.kind}-{rule.pattern[:20]}")
def test_a_rule_has_at_most_one_group_and_no_value_holds_a_nul(rule):
    assert re.compile(rule.pattern.encode()).groups <= 1
    assert "[^" not in rule.pattern.replace(r"[^\s\x00", "").replace(r"[^\n\x00", "").replace(
        r"[^\n\r\x00", ""
    ).replace(r"[^-\x00", "").replace(r"[^\n\\\x00", "").replace("[^A-Za-z0-9", "").replace("[^0-9A-Za-z", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail ann.lee@example.org now", "mail <EMAIL_1> now"),
        ("call +1 415-555-0134 today", "call <PHONE_1> today"),
        ("from 203.0.113.9 and 127.0.0.1", "from <IP_ADDRESS_1> and 127.0.0.1"),
    ],
)
def test_personal_data_is_a_layer_of_its_own(text, expected):
    assert Redactor(personal_data=True).redact_text(text) == expected
    assert Redactor().redact_text(text) == text
