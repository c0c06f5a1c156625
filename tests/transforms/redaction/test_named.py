import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unseen_prints import KINDS
from transforms.redaction.named import named_values

ALNUM = string.ascii_letters + string.digits


def _random(length: int = 32, *, seed: int = 1) -> str:
    return "".join(random.Random(seed).choices(ALNUM, k=length)) + "a1B2"


def _found(text: str) -> list[str]:
    raw = text.encode()
    return [raw[start:end].decode() for start, end, _ in named_values(raw)]


@pytest.mark.parametrize(
    "text",
    [
        "api_key={}",
        '"clientSecret": "{}"',
        "X-Api-Key: {}",
        "--access-token {}",
        "Error: invalid api key provided: {}",
        "the secret key that was sent by the host is {} today",
        "print(cfg.api_key)\n'{}'",
        "the token you wanted:\n\n    {}\n",
        "'{}'  # api key",
        '{{"value": "{}", "name": "API_KEY"}}',
        "echo {} | docker secret create api_key -",
        "id|api_token|host\n--+--+--\n7|{}|b\n",
        "INSERT INTO t (id, api_key) VALUES (7, '{}')",
        "<td>API key</td><td>{}</td>",
    ],
)
def test_a_random_value_is_found_however_it_is_printed_with_its_name(text):
    assert _found(text.format(_random())) == [_random()]


@pytest.mark.parametrize(
    "text", ["password={}", "password: '{}'", "PASSWORD => {}", "| Password | {} |", "-p password\t{}"]
)
def test_a_password_is_found_across_a_separator(text):
    assert _found(text.format("harbor" + "-Lantern7")) == ["harbor" + "-Lantern7"]


@pytest.mark.parametrize(
    "text",
    [
        "token = self.tokenizer2.next_token()",
        "password: str",
        "sort(key=lambda secret: secret.a1b2c3d4)",
        "def login(password: Password) -> Session2Token:",
        "The password harbor7 is not set here",
        "token_count: 1234567890123456",
        "secret_path=/run/secrets/api12/key34",
        "token digest sha256 " + "0123456789abcdef" * 4,
        "tokenizer=A1b2C3d4E5f6G7h8I9j0",
        "check_password('password') == '" + "5f4d" * 8 + "'",
        "api_key: $API_KEY_12345678",
    ],
)
def test_code_documentation_and_hashes_stand(text):
    assert _found(text) == []


def test_the_name_says_the_kind():
    value = "".join(random.Random(3).choices(ALNUM, k=40))
    text = f"aws_secret_access_key = {value}\npassword = {value}\ntoken = {value}\n".encode()
    assert [kind for *_, kind in named_values(text)] == ["AWS_SECRET", "PASSWORD", "SECRET"]


def test_what_is_found_is_not_looked_for_again():
    assert list(named_values(b"api_key=" + b"\x00" * 20 + b" " + _random().encode())) == []


def test_names_far_from_the_given_places_are_passed_over():
    text = f"{'x ' * 1000}token={_random()}{' x' * 1000}".encode()
    assert list(named_values(text, [(0, 5, "SECRET")])) == []
    assert list(named_values(text, [(2100, 2110, "SECRET")])) == list(named_values(text)) != []


def test_a_value_longer_than_what_is_judged_is_found_whole():
    value = _random(3000)
    assert _found(f"token={value} x") == [value]


@given(
    st.lists(st.sampled_from(["token", "password=", "api key", ": ", "'", "\n", "A1b2C3d4E5f6G7h8", "x ", "|", "\0"]))
)
def test_places_lie_in_the_text_and_hold_no_nul(pieces):
    text = "".join(pieces).encode()
    for start, end, _ in named_values(text):
        assert 0 <= start < end <= len(text)
        assert b"\0" not in text[start:end]


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 1000))
def test_what_stands_around_does_not_hide_a_value(kind, seed):
    value = _random(seed=seed)
    assert value in _found(f"{kind} of the day\napi_key={value}\n{kind} ends")
