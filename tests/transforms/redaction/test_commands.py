import random

import pytest

from tests.rule_examples import draw_example
from transforms.redaction.engine import Redactor


@pytest.mark.parametrize(
    ("text", "num_given"),
    [
        ("I wrote `host.internal:5432:orders:app:{a14}7b` to ~/.pgpass", 14),
        (".pgpass:1:10.2.3.4:5432:orders:app:{a14}7b", 14),
        ("+10.2.3.4:5432:orders:app:{a14}7b", 14),
        ("sudo rabbitmqctl add_user app {a14}7b", 14),
        ("rabbitmqctl -n node change_password app {a14}7b", 14),
        ("ejabberdctl register bob host.internal {a14}7b", 14),
        ('{"cmd":["mysql","-u","root","-p{a14}7b","-e","select 1"]}', 14),
        ("jdbc:oracle:thin:ci-bot/{a10}.7b2@host.internal:1521/ORCL", 10),
        ("requirepass {a8}.{a8}.{a12}77", 12),
        ("codecov -t {h8}-{h4}-4{h3}-a{h3}-{h12} -f coverage.xml", 12),
        ("page.fill('input[name=\"password\"]', '{h40}')", 36),
        ("machine host.internal login app password {a12}=.7b", 12),
    ],
)
def test_what_a_command_is_given_is_found(text, num_given):
    for seed in range(20):
        line, last = draw_example(text, random.Random(seed))
        assert last[:num_given] not in Redactor().redact_text(line)


def test_a_mail_password_in_four_groups_is_found_behind_its_short_name():
    groups = " ".join(["ogam", "frps", "htvs", "pulj"])
    assert groups not in Redactor().redact_text(f"auth: {{ user: 'ci@host.internal', pass: '{groups}' }}")


@pytest.mark.parametrize(
    "text",
    [
        "app/main.py:1234:handler:run: started",
        "10.2.3.4:5432:orders:app:connected",
        "rabbitmqctl list_users --timeout 100",
        "rabbitmqctl add_user app $RABBIT_PASSWORD",
        "docker run -t ubuntu:22.04 bash",
        "vercel deploy -t production",
        "https://host.internal/login?next=/&password=$PASSWORD",
        "const status = { pass: 'all four were here' }",
        "const result = { pass: 'ok', fail: 'no' }",
        "expect password prompt\nsend a message to the user",
    ],
)
def test_what_only_looks_like_a_secret_of_a_command_stands(text):
    assert Redactor().redact_text(text) == text
