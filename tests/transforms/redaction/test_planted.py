import random

import pytest

from tests.held_out_secrets import FIXED
from tests.planted_secrets import PLACES, is_left, plant_encoded, plant_split
from transforms.redaction.engine import Redactor

OUR_FIXED = [
    *("aws_key", "aws_session_key", "github", "github_server", "github_fine", "gitlab", "slack_bot", "stripe"),
    *("openai_project", "anthropic", "huggingface", "google", "google_oauth", "npm", "pypi", "sendgrid"),
    *("digitalocean", "databricks", "docker", "vault", "jwt"),
]
"""Kinds of the fixture whose own letters give them away."""


def _token(rng: random.Random, make_secret) -> str:
    kinds = [*OUR_FIXED, *(kind for kind in FIXED if kind != "netlify")]
    kind = rng.choice(kinds)
    return FIXED[kind](rng) if kind in FIXED else make_secret(kind, rng)[0]


@pytest.mark.parametrize("place", sorted(PLACES))
def test_nothing_is_left_of_a_token_in_any_field(place, make_secret):
    rng, redactor = random.Random(place), Redactor()
    for text in ["{}", "a {} b", "x{}", "({}),", "n\\n{}\\n"]:
        secret = _token(rng, make_secret)
        redacted, counts = redactor.redact_rollout(PLACES[place](text.format(secret), rng))
        assert not is_left(secret, redacted)
        assert sum(counts.values()) >= 1


@pytest.mark.parametrize("over", ["parts", "messages"])
def test_nothing_is_left_of_a_split_token(over, make_secret):
    rng, redactor = random.Random(over), Redactor()
    for _ in range(60):
        secret = _token(rng, make_secret)
        assert not is_left(secret, redactor.redact_rollout(plant_split(secret, rng, over=over))[0])


def test_nothing_is_left_of_a_wrapped_token(make_secret):
    rng, redactor = random.Random(9), Redactor()
    for kind in [
        "github",
        "github_server",
        "github_fine",
        "gitlab",
        "anthropic",
        "openai_project",
        "slack_bot",
        "npm",
    ]:
        secret = make_secret(kind, rng)[0]
        assert not is_left(secret, redactor.redact_rollout(plant_encoded(secret, rng))[0])


@pytest.mark.slow
def test_nothing_is_left_of_ten_thousand_tokens(make_secret):
    rng, redactor = random.Random(10), Redactor()
    left = 0
    for _ in range(10_000):
        secret = _token(rng, make_secret)
        place = rng.choice(sorted(PLACES))
        redacted, _ = redactor.redact_rollout(PLACES[place](f"{rng.choice(['', 'x', 'a '])}{secret}", rng))
        left += is_left(secret, redacted)
    print(f"{left} left of 10,000 tokens in {len(PLACES)} fields")
    assert left == 0
