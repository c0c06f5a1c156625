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


@pytest.mark.parametrize("name", ["password", "WIFI_PSK", "wlanPsk", "wpa-passphrase", "wifi key", "PreSharedKey"])
@pytest.mark.parametrize("text", ['{}: "{}"', "{} := '{}'", "| {} | {} |", "{}<string>{}</string>", "the {} is {}"])
def test_digits_as_of_a_hash_are_the_value_of_a_name_that_spells_out_a_password(name, text):
    value = "".join(random.Random(4).choices("0123456789abcdef", k=64))
    assert _found(text.format(name, value)) == [value]


@pytest.mark.parametrize("name", ["wifi_key", "WPA_KEY", "hotspotKey", "wi-fi key", "pre-shared-key"])
def test_the_key_of_a_network_is_chosen_as_a_password_is(name):
    assert _found(f"{name}={'Harbor' + 'Lantern'}77") == ["Harbor" + "Lantern77"]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("\x1b[36m{}\x1b[0m=\x1b[33m", "\x1b[0m"),
        ('\x1b[34;1m"{}"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"', '"\x1b[0m'),
        ("\\u001b[36m{}\\u001b[0m=\\u001b[33m", "\\u001b[0m"),
        ("\\033[1m{}\\033[0m: \\033[32m", "\\033[0m"),
    ],
)
def test_the_colours_of_a_terminal_between_a_name_and_its_value_are_passed_over(before, behind):
    value = "harbor7-" + "lantern-22"
    assert _found(before.format("DB_PASSWORD") + value + behind) == [value]


@pytest.mark.parametrize(
    "text",
    [
        'DB_PASSWORD="$(echo {})"',
        '<password encrypted="false">{}</password>',
        '<setting name="DbPassword" serializeAs="String"><value>{}</value></setting>',
        'auto password = std::string("{}");',
        "##vso[task.setvariable variable=DB_PASSWORD;issecret=true]{}",
        "    DbPassword    REG_SZ    {}",
        'reg add HKCU\\x /v DbPassword /t REG_SZ /d "{}"',
        "db password on staging = {}",
        'char password[64] = "{}";',
        "DB_PASSWORD (masked: false): {}",
        "Password for user app: {}",
        "Password for 'https://app@host.internal': {}",
        '"{}", // password',
        "f({!r})  # password",
    ],
)
def test_what_stands_between_a_password_and_its_name_is_passed_over(text):
    assert _found(text.format("harbor" + "7-Lantern")) == ["harbor" + "7-Lantern"]


def test_a_database_server_marks_its_strings():
    assert _found("WITH PASSWORD = N'harbor" + "7!Lantern';") == ["harbor" + "7!Lantern"]


def test_a_name_on_the_next_line_is_no_value():
    value = _random()
    assert _found(f"secrets:\n  secretKeyB64: {value}\n") == [value]
    assert _found("token:\n  A1b2C3d4E5f6G7h8: on\n") == []


def test_what_tells_more_of_a_name_in_brackets_is_no_signature():
    assert _found(f"# deploy token (prod): {_random(12)}") == [_random(12)]


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
