"""Values behind names of secrets that are made to be shown stand; beside them a secret goes all the same."""

import random
import string
import uuid

import pytest

from transforms.redaction.engine import Redactor
from transforms.redaction.harmless import is_harmless, tells_of_cache

_DRAW = random.Random(23)
_LETTERS = string.ascii_letters + string.digits


def _drawn(count: int, letters: str = _LETTERS) -> str:
    return "".join(_DRAW.choices(letters, k=count))


HEX = _drawn(40, "0123456789abcdef")
PRINT = _drawn(43, _LETTERS + "+/")
KEY_ID = str(uuid.UUID(int=_DRAW.getrandbits(128)))


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@localhost/db",
        'DATABASE_URL="postgres://user:password@localhost/db"',
        "reset_token_expires_at = 2024-05-01T12:00:00Z",
        'user.reset_token_expires_at = "2024-05-01T12:00:00.123456+00:00"',
        "token_expires_at=20240501T120000Z",
        f"Cache restored from key: v2-deps-{HEX}",
        f"Cache saved with key: Linux-go-{HEX}",
        "cacheKey: 'user:1234:profile:wqdS9vUhnotC'",
        f"ED25519 key fingerprint is SHA256:{PRINT}.",
        f"public key SHA256:{PRINT}",
        f'"KmsKeyId": "arn:aws:kms:us-east-1:123456789012:key/{KEY_ID}"',
        f"kms_key_id = {KEY_ID}",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/schema-AbC8xY",
        f"https://github.com/acme/token/commit/{HEX}",
        f"https://github.com/acme/token/{HEX}",
        f"https://raw.githubusercontent.com/acme/token/{HEX}/x.py",
        f"https://gitlab.com/acme/jwt-token/-/commit/{HEX}",
        f"github.com/x/token v1.0.0 h1:{PRINT}=\ngithub.com/x/token v1.0.0/go.mod h1:{PRINT}=",
        "tests/test_auth.py::test_token[access-720] PASSED",
        "FAILED tests/a.py::test_password[bcrypt-12] - AssertionError",
        "test_api_key[sha256-1024] PASSED [ 10%]",
    ],
)
def test_what_is_made_to_be_shown_stands(text):
    assert Redactor().redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:{}@localhost/db",
        "reset_token = {}",
        "cached the api key: {}",
        "cache_password: {}",
        "key fingerprint token: {}",
        "kms_secret = {}",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/app secret: {}",
        "https://host.internal/acme/token/{}",
        "https://github.com/acme/reset?token={}",
        "token v1.0.0 {}",
        "test_token[access-720] token={}",
        "test_token[{}]",
    ],
)
def test_secrets_in_places_like_these_go(text):
    secret = "7aB" + _drawn(29)
    assert secret not in Redactor().redact_text(text.format(secret))


def test_the_text_before_decides_only_within_its_text():
    assert is_harmless(b"cache_key: abcdef", 11, 17)
    assert not is_harmless(b"cache_key: \x00abcdef", 12, 18)
    assert not is_harmless(b"abcdef", 0, 6)


def test_a_key_of_a_cache_is_harmless_where_the_text_may_hold_one():
    assert tells_of_cache(b"cache_key: abcdef")
    assert not tells_of_cache(b"api_key: abcdef")
    assert not is_harmless(b"api_key: abcdef", 9, 15, is_of_cache=False)
