"""Secrets made while the tests run: nothing secret-shaped stands in the repository."""

import random
import string
from collections.abc import Callable

import pytest

MakeSecret = Callable[[str, random.Random], tuple[str, str]]
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE64 = ALNUM + "+/"
URL_SAFE = ALNUM + "-_"


def _text(rng: random.Random, alphabet: str, length: int) -> str:
    """Return random characters that hold at least a small letter and two digits, as real keys do."""
    body = [rng.choice(alphabet) for _ in range(length)]
    body[length // 2] = next(letter for letter in alphabet if letter.isalpha())
    body[-1], body[-2] = "7", "3"
    return "".join(body)


def _prefixed(prefix: str, alphabet: str, length: int) -> Callable[[random.Random], tuple[str, str]]:
    def make(rng: random.Random) -> tuple[str, str]:
        secret = prefix + _text(rng, alphabet, length)
        return secret, secret

    return make


def _framed(frame: str, alphabet: str, length: int) -> Callable[[random.Random], tuple[str, str]]:
    def make(rng: random.Random) -> tuple[str, str]:
        secret = _text(rng, alphabet, length)
        return secret, frame.format(secret)

    return make


def _jwt(rng: random.Random) -> tuple[str, str]:
    secret = ".".join(
        ["ey" + "J" + _text(rng, URL_SAFE, 30), "ey" + "J" + _text(rng, URL_SAFE, 40), _text(rng, ALNUM, 43)]
    )
    return secret, secret


def _private_key(rng: random.Random) -> tuple[str, str]:
    lines = [_text(rng, BASE64, 64) for _ in range(4)]
    kind = rng.choice(["RSA ", "EC ", "OPENSSH ", ""]) + "PRIVATE" + " KEY"
    newline = rng.choice(["\n", "\\n"])
    block = newline.join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
    return lines[2], block


MAKERS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "aws_key": _prefixed("AK" + "IA", UPPER, 16),
    "aws_session_key": _prefixed("AS" + "IA", UPPER, 16),
    "aws_secret": _framed("aws_secret_access_key = {}", BASE64, 40),
    "github": _prefixed("gh" + "p_", ALNUM, 36),
    "github_server": _prefixed("gh" + "s_", ALNUM, 36),
    "github_fine": _prefixed("github" + "_pat_", ALNUM, 82),
    "gitlab": _prefixed("gl" + "pat-", URL_SAFE, 20),
    "slack_bot": _prefixed("xo" + "xb-", ALNUM + "-", 40),
    "slack_hook": _framed("https://hooks.slack" + ".com/services/{}", UPPER + "/", 44),
    "stripe": _prefixed("sk_" + "live_", ALNUM, 24),
    "openai_project": _prefixed("sk-" + "proj-", URL_SAFE, 74),
    "openai_old": _framed("key is sk-{}", ALNUM, 48),
    "anthropic": _prefixed("sk-" + "ant-api03-", URL_SAFE, 93),
    "huggingface": _prefixed("h" + "f_", ALNUM, 34),
    "google": _prefixed("AI" + "za", URL_SAFE, 35),
    "google_oauth": _prefixed("ya" + "29.", URL_SAFE, 60),
    "npm": _prefixed("np" + "m_", ALNUM, 36),
    "pypi": _prefixed("pypi-" + "AgEIcHlwaS5vcmc", URL_SAFE, 90),
    "sendgrid": lambda rng: (secret := "SG" + f".{_text(rng, URL_SAFE, 22)}.{_text(rng, URL_SAFE, 43)}", secret),
    "twilio": _framed("TWILIO SK{}", HEX, 32),
    "digitalocean": _prefixed("dop" + "_v1_", HEX, 64),
    "databricks": _prefixed("da" + "pi", HEX, 32),
    "docker": _prefixed("dckr" + "_pat_", URL_SAFE, 27),
    "vault": _prefixed("hv" + "s.", URL_SAFE, 95),
    "telegram": _framed("bot123456789:AA{}", URL_SAFE, 33),
    "azure": lambda rng: (
        secret := _text(rng, BASE64, 86),
        "DefaultEndpointsProtocol=https;Account" + f"Key={secret}==",
    ),
    "jwt": _jwt,
    "private_key": _private_key,
    "url_password": _framed("postgresql://admin:{}@db.internal:5432/app", ALNUM, 16),
    "bearer_header": _framed("Authorization: Bearer {}", ALNUM, 32),
    "basic_header": _framed('-H "authorization: Basic {}"', ALNUM, 24),
    "env_token": _framed("export DEPLOY_TOKEN={}", ALNUM, 24),
    "env_quoted": _framed("MY_API_KEY='{}'", ALNUM, 32),
    "env_key": _framed("WANDB_KEY={}", HEX, 40),
    "json_key": _framed('{{"api_key": "{}"}}', ALNUM, 32),
    "json_escaped": _framed('{{\\"client_secret\\": \\"{}\\"}}', ALNUM, 32),
    "yaml_password": _framed("  password: {}", ALNUM, 12),
    "code_password": _framed('connect(user="admin", password="{}")', ALNUM + "!$", 12),
    "curl_user": _framed("curl -s -u admin:{} https://api.internal/v1", ALNUM, 12),
    "flag_token": _framed("deploy --token {} --force", ALNUM, 24),
}


@pytest.fixture(scope="session")
def make_secret() -> MakeSecret:
    """Make a secret of a kind: the text that must vanish, and that text in its surroundings."""
    return lambda kind, rng: MAKERS[kind](rng)


@pytest.fixture(scope="session")
def secret_kinds() -> list[str]:
    return sorted(MAKERS)
