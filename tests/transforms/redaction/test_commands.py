import pytest

from tests.rule_examples import draw_examples
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
        ("+machine host.internal\n+login app\n+password harbor{a8}77\n", 8),
        ("ansible-vault view x.yml --vault-password-file <(echo 'harbor{a8}77')", 8),
        ("gcloud secrets create db-password --data-file=<(printf 'harbor{a8}77')", 8),
        ("regctl registry set host.internal --user app --pass harbor{a8}77", 8),
        ("ctr images pull -u app:harbor{a8}77 host.internal/app", 8),
        ("codecov -t harbor-lantern%{a8}77 -f coverage.xml", 8),
        ("openssl dgst -sha256 -mac HMAC -macopt hexkey:{h64} body.json", 64),
        ("EXEC sp_addlogin 'app', 'harbor{a8}77', 'master';", 8),
        ("SET PASSWORD FOR 'app'@'%' = 'harbor{a8}77';", 8),
        ("ALTER USER app WITH PASSWORD $$harbor{a8}77$$;", 8),
        ("ALTER LOGIN sa WITH PASSWORD = N'harbor{a8}77';", 8),
        ("conn sys/harbor{a8}77 as sysdba", 8),
        ('sql.Open("mysql", "app:harbor{a8}77@tcp(db:3306)/app")', 8),
        ("AUTH default harbor{a8}77", 8),
        ("login: app / harbor{a8}77", 8),
        ("Use app / harbor{a8}77 to sign in to https://host.internal/", 8),
        ("sign in as app with harbor{a8}77", 8),
        ("child.expect('password:')\nchild.sendline('harbor{a8}77')", 8),
        ("[db]\nuser=app\npass=harbor{a8}77", 8),
    ],
)
def test_what_a_command_is_given_is_found(text, num_given):
    for line, last in draw_examples(text, 20):
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
        "codecov -t v1.0.0-rc12.post34 -f x",
        "password changed!\npassword required.\n",
        "cat <(echo hello77) <(echo world88)",
        "go test --pass 3 --fail 0",
        "sign in with a browser / application of yours",
        "and / or12 tests of the page / signup42",
        "log in as app with the password of the host",
        "conn = engine/connect",
        "send(12)\npassword = prompt()",
        "https://host.internal/login?next=/&password=$PASSWORD",
        "const status = { pass: 'all four were here' }",
        "const result = { pass: 'ok', fail: 'no' }",
        "expect password prompt\nsend a message to the user",
    ],
)
def test_what_only_looks_like_a_secret_of_a_command_stands(text):
    assert Redactor().redact_text(text) == text
