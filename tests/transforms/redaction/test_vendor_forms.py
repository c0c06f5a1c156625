import random

import pytest

from tests.rule_examples import draw_example, draw_examples
from tests.vendor_examples import VENDOR_EXAMPLES
from transforms.redaction.engine import Redactor
from transforms.redaction.vendor_forms import VENDOR_FORMS

_UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"


@pytest.mark.parametrize("example", VENDOR_EXAMPLES)
def test_a_vendors_token_is_found_behind_a_terminals_colour(example):
    text, secret = draw_example(example, random.Random(example))
    assert secret[: max(6, len(secret) // 2)] not in Redactor().redact_text(f"\x1b[1m\x1b[33m{text}\x1b[0m copied")


@pytest.mark.parametrize(
    "text",
    [
        "access-control-allow-origin",
        "sdk-python-3.11-linux-x86_64",
        f"request {_UUID}",
        "image sha256:{h64}",
        "pod api-{h10}-{l5}",
        "task_{h32}",
        "disk_{h48}",
        "fc-list : family style",
        "col-md-offset-4 col-lg-12 hidden-md-down",
        "bundle.{h16}.js",
        "parser.parseSomethingVeryLongName(value)",
        "access_token$production",
        "pat-na1-portal",
        "live_reload_server_for_development_only",
        "api-gateway-production-deployment-blue",
        "2/16 tests, 3/1234567890123456 bytes",
        "AKIDENTIFIER = AKIDENTIFIER_OF_SOMETHING",
        "sl.set_state(value)",
    ],
)
def test_what_looks_like_a_vendors_token_stands(text):
    for line, _ in draw_examples(text, 5):
        assert Redactor().redact_text(line) == line


@pytest.mark.parametrize("rule", VENDOR_FORMS, ids=lambda rule: f"{rule.kind}-{rule.pattern[:20]}")
def test_what_the_one_pass_looks_for_begins_with_no_boundary(rule):
    assert not rule.sought.startswith(r"(?:^")
