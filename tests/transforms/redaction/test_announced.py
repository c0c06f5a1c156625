import random

import pytest

from tests.rule_examples import draw_example, draw_examples
from transforms.redaction.catalogue import compiled_catalogue
from transforms.redaction.engine import Redactor

_CODES = ["{l5}-{l5}", "{h4}-{h4}", "{l4}-{l4}-{l4}", "{d4}1 {d4}"]


def _drawn(text: str, seed: int) -> str:
    return draw_example(text, random.Random(seed))[0]


@pytest.mark.parametrize("code", _CODES)
@pytest.mark.parametrize(
    ("before", "between", "after"),
    [
        ("Recovery codes:\n", "\n", "\nKeep these somewhere safe."),
        ('{"backup_codes": ["', '", "', '"]}'),
        ("your 2FA backup codes, one use each:\n\n 1. ", "\n 1. ", "\n"),
    ],
)
def test_a_list_of_recovery_codes_is_found_whole(code, before, between, after):
    for seed in range(20):
        codes = [_drawn(code, 100 * seed + index) for index in range(8)]
        redacted = Redactor().redact_text(before + between.join(codes) + after)
        assert not any(one in redacted for one in codes)


@pytest.mark.parametrize(
    ("text", "num_given"),
    [
        ('pyotp.TOTP("{t32}").now()', 32),
        ("define( 'LOGGED_IN_SALT',  '{p64}' );", 20),
        ("$ php artisan key:generate --show\nbase64:{s43}=", 40),
        ('{"session":"eyJ{w40}.{w6}.{w27}"}', 20),
        ('const wallet = new ethers.Wallet("0x{h64}", provider);', 60),
        ("snyk auth {h8}-{h4}-4{h3}-a{h3}-{h12}", 10),
        ("I used the recovery code {l4}1-{d4}a to get back in.", 6),
        ("rclone obscure {a10}9kQ7", 10),
        ("poetry config http-basic.acme svc_etl '{a10}9kQ7'", 10),
        ("user: jonas / pass: {a10}9kQ7", 10),
        ('jwt.sign(payload, "{h64}", { algorithm: "HS256" })', 40),
        ("const client = twilio('AC{h32}', '{h32}');", 20),
        ("vault operator unseal {s43}Q", 30),
        ("java -jar cli.jar -auth ci-bot:11{h32} list-jobs", 30),
        ("poetry config http-basic.corp ci {a18}7", 16),
        ('BUNDLE_GEMS__CORP__IO: "ci:{a18}7"', 16),
        ('{"username":"app","password":"{h40}"}', 36),
        ("I will use the password you gave me (`9T4{a11}7`) to connect.", 10),
        ("The generated password for the elastic built-in superuser is : {a16}7+", 14),
    ],
)
def test_what_is_announced_is_found(text, num_given):
    for line, last in draw_examples(text, 20):
        assert last[:num_given] not in Redactor().redact_text(line)


@pytest.mark.parametrize(
    "text",
    [
        "Recovery codes: see the docs, which tell how they work.",
        "backup keys:\n- node-exporter\n- kube-state\n- alert-manager",
        "The backup codes page lists well-known places-of-storage, long-term plans and so-called vaults.",
        "the password must have more than four words",
        "TOTP is set up by SOMEAPPLICATIONNAME in the MAINCONFIGURATION",
        "define('SITE_KEY', 'the name under which this site is known to all of its users');",
        "git log in {h40}",
        'Wallet("0x{h40}")',
        "session.login(user)",
        "password is generated: see below",
        "docker run --user 1000:1000 image",
        "the backup code paths were moved, the recovery code 2024-01-05 too",
        "skipped: 3, pass: 12345678, fail: 0 / pass: tests_unit",
        "jwt.decode(encoded, 'the_key_of_this_house', algorithms=['HS256'])",
        "AC{h32} {h40}",
    ],
)
def test_what_only_sounds_like_an_announcement_stands(text):
    line = _drawn(text, 1)
    assert Redactor().redact_text(line) == line


def test_a_prompt_that_forbids_to_print_secrets_flags_names_alone():
    catalogue = compiled_catalogue(personal_data=False)
    flagged = catalogue.one_pass(b"Do not print passwords, keys or tokens, and do not copy them into your answer.")
    assert flagged == [len(catalogue.own)]
