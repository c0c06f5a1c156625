import random
import re
import string

import pytest

from tests.benign_lines import benign_lines
from tests.rule_examples import EXAMPLES, draw_example
from transforms.redaction.engine import Redactor
from transforms.redaction.matching import compile_rules
from transforms.redaction.one_pass import Re2Pass, compile_one_pass
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


def test_ten_thousand_benign_lines_stand():
    redactor = Redactor()
    changed = [line for line in benign_lines(random.Random(11), 10_000) if redactor.redact_text(line) != line]
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


@pytest.mark.parametrize(
    ("rule", "example"), list(zip(SECRET_RULES, EXAMPLES, strict=True)), ids=lambda value: getattr(value, "kind", "")
)
def test_a_rule_finds_its_example(rule, example):
    rng = random.Random(example)
    one_pass, compiled = compile_one_pass([rule.sought]), compile_rules([rule])[0]
    for before, after in [("", ""), ("say\n", "\nok"), (" ", ", x")]:
        text, secret = draw_example(example, rng)
        line = f"{before}{text}{after}".encode()
        assert one_pass(line) == Re2Pass([rule.sought])(line) == [0]
        assert any(
            secret.encode() in line[start:end]
            for start, end in compiled.places(line)
            if compiled.accepts(line, start, end)
        )


@pytest.mark.parametrize("rule", [*SECRET_RULES, *PERSONAL_RULES], ids=lambda rule: f"{rule.kind}-{rule.pattern[:20]}")
def test_a_rule_has_at_most_one_group_and_no_value_holds_a_nul(rule):
    assert re.compile(rule.pattern.encode()).groups <= 1
    left = rule.pattern
    for negated in (
        r"\s\x00",
        r"\n\x00",
        r"\n\r\x00",
        r"-\x00",
        r"\n\\\x00",
        r"\x00",
        r":\x00",
        "A-Za-z0-9",
        "0-9A-Za-z",
    ):
        left = left.replace(f"[^{negated}", "")
    assert "[^" not in left


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


@pytest.mark.parametrize(
    "margin",
    [
        *("", "// ", "# ", "\u2502 ", " * ", "  12\t", "> ", "+", "; ", "-", "-- ", "   12\u2192", "=> ", "12 12 + "),
        *("keys/app.pem:12:", "keys/app.pem-12-", "2026-01-02T03:04:05.123Z app[12]: ", "web-1  | ", "[12:00:07] "),
        *("\x1b[32m+", "\x1b[2m12\x1b[0m ", "3f2a1bc9 (Ann Lee 2026-01-02 12) ", "echo ", '{"log":"', "<td>", "L12: "),
    ],
)
def test_a_private_key_is_found_behind_any_margin(margin):
    rng = random.Random(margin)
    lines = ["".join(rng.choices(string.ascii_letters + string.digits + "+/", k=64)) for _ in range(4)]
    dashes = "-" * 5
    block = [f"{dashes}BEGIN EC PRIVATE KEY{dashes}", *lines, f"{dashes}END EC PRIVATE KEY{dashes}"]
    redacted = Redactor().redact_text("\n".join(margin + line for line in block))
    assert not any(line in redacted for line in lines)
    cut = Redactor().redact_text("\n".join(margin + line for line in block[:-1]))
    assert not any(line in cut for line in lines)
    rest = Redactor().redact_text("\n".join(margin + line for line in block[2:]))
    assert not any(line in rest for line in lines[1:])


def test_a_private_key_with_a_short_last_line_ends_where_it_says():
    rng = random.Random(5)
    lines = ["".join(rng.choices(string.ascii_letters + string.digits + "+/", k=size)) for size in (64, 64, 20)]
    dashes = "-" * 5
    block = [
        f"-{dashes}BEGIN PRIVATE KEY{dashes}",
        *(f"-{line}" for line in lines),
        f"-{dashes}END PRIVATE KEY{dashes}",
    ]
    redacted = Redactor().redact_text("\n".join(["--- a/app.pem", *block, "and what follows stands"]))
    assert redacted.startswith("--- a/app.pem\n")
    assert redacted.endswith("\nand what follows stands")
    assert not any(line in redacted for line in lines)


def test_a_certificate_before_a_private_key_and_words_about_one_stand():
    rng = random.Random(6)
    line = "".join(rng.choices(string.ascii_letters + string.digits + "+/", k=64))
    certificate = f"-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----\n"
    begins, ends = "-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----"
    other = "".join(rng.choices(string.ascii_letters, k=64))
    assert Redactor().redact_text(f"{certificate}{begins}\n{other}\n{ends}\n").startswith(certificate)
    for words in (
        f"A file that begins with {begins} holds one, up to {ends} at its end.",
        f"if (!text.startsWith('{begins}')) throw new InvalidPrivateKeyFormatException(name);",
        f'pem = "{begins}\\n" + Base64.getEncoder().encodeToString(pair.getPrivate()) + "\\n{ends}"',
    ):
        assert Redactor().redact_text(words) == words


def test_of_keys_in_a_row_that_are_cut_each_is_found():
    rng = random.Random(7)
    begins = "-----BEGIN PRIVATE" + " KEY-----"
    lines = ["".join(rng.choices(string.ascii_letters + string.digits, k=64)) for _ in range(3)]
    redacted = Redactor().redact_text("".join(f"{begins}\n{line}\n" for line in lines))
    assert redacted == "<PRIVATE_KEY_1>\n<PRIVATE_KEY_2>\n<PRIVATE_KEY_3>\n"


def test_a_percent_encoded_secret_behind_its_access_key_is_found():
    rng = random.Random(1)
    key = "AKIA" + "".join(rng.choices(string.ascii_uppercase + string.digits, k=16))
    secret = "".join(rng.choices(string.ascii_letters + string.digits, k=30)) + "%2F" + "Ab3dE6gH9"
    assert secret not in Redactor().redact_text(f"s3a://{key}:{secret}@bucket/raw")


@pytest.mark.parametrize("line", ["pass: 12 tests", "  pass: test_parses_name", "pass: tests/unit/test_a.py::test_b"])
def test_what_passes_is_no_password(line):
    assert Redactor().redact_text(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "fw_update_failed_counter and fw_config_value_for_something_long_name",
        "FwoGZXIvYXdz begins a session token, as IQoJ does",
        "wandb_v1_release_notes_of_the_new_client_library",
        "rdme_ docs, CLOJARS_USERNAME, CLOJARS_PASSWORD",
        "EAAC begins a token of 2012",
        "EAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "net use Z: \\\\srv\\share /persistent:yes",
        "net use \\\\srv\\share /user:bob * /persistent:no",
        "net use \\\\srv\\share /user:bob > log.txt",
        'docker run -u "root:root" image',
        'docker run -u "1000:1000" image; curl http://host.internal',
        'curl -u "$USER:$PASSWORD" http://host.internal',
    ],
)
def test_what_only_looks_like_a_newer_token_or_command_stands(text):
    assert Redactor().redact_text(text) == text


@pytest.mark.parametrize(("num_bytes", "is_found"), [(0, True), (180, True), (300, False)])
def test_a_hook_speaks_for_the_random_part_of_its_own_link_alone(num_bytes, is_found):
    piece = "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=32))
    text = f"see hooks.example.com{'.a' * (num_bytes // 2)}/{piece} there"
    assert (piece not in Redactor().redact_text(text)) == is_found
