import base64
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.redaction.values import (
    has_case_or_digit,
    is_chosen,
    is_given,
    is_hash_or_path,
    is_identifier,
    is_literal,
    is_login,
    is_network_digits,
    is_numbered_words,
    is_password,
    is_phrase,
    is_public_address,
    is_random,
    is_told,
    is_truly_random,
)


@pytest.mark.parametrize(
    "value", [b"${TOKEN}", b"$1", b"%(pw)s", b"{token}", b"<token>", b"****", b"xxxxxxxx", b"changeme"]
)
def test_references_masks_and_documentation_words_are_no_literals(value):
    assert not is_literal(value, b"")


@pytest.mark.parametrize(
    ("value", "following", "expected"),
    [
        (b"a1b2c3d4", b"", True),
        (b"Abcdefg1", b"", True),
        (b"abcdefg1", b"", False),
        (b"abcdefgh", b"", False),
        (b"aBcDEfgHiJKlmNop", b"", True),
        (b"ApplicationConfigurationManager", b"", False),
        (b"12345678", b"", False),
        (b"self.tokens12.next", b"", False),
        (b"make_token12", b"(", False),
        (b"/etc/keys/12", b"", False),
        (b"src/a12/b34.py", b"", False),
        (b"your-key-1234", b"", False),
        (b"abc." + b"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", b"", True),
        (b"token1:" * 9 + b"tok", b"", False),
        (b"token1:" * 2, b"", True),
        (b"a1::b2::c3", b"", False),
        (b"/" + b"a1B+" * 10 + b"==", b"", True),
    ],
)
def test_a_random_value_mixes_letters_and_digits_and_is_no_name(value, following, expected):
    assert is_random(value, following) is expected


def test_a_password_holds_a_digit_or_a_sign():
    assert is_password(b"correct!horse", b"")
    assert is_password(b"hunter22", b"")
    assert not is_password(b"testpass", b"")
    assert not is_password(b"~/passwords/1", b"")


def test_a_credential_is_more_than_a_lower_case_word():
    assert has_case_or_digit(b"dXNlcjpwYXNz", b"")
    assert not has_case_or_digit(b"authentication", b"")


def test_loopback_unset_and_netmask_addresses_point_at_nobody():
    addresses = [b"127.0.0.1", b"0.0.0.0", b"255.255.255.0", b"8.8.8.8"]
    assert [is_public_address(address, b"") for address in addresses] == [False, False, False, True]


def test_a_login_is_a_name_a_colon_and_a_password_in_base64():
    assert is_login(base64.b64encode(b"deploy:winter12"), b"")
    assert not is_login(base64.b64encode(b"no colon is here"), b"")
    assert not is_login(b"abcdefghijklm", b"")


@pytest.mark.parametrize(
    ("alphabet", "length"),
    [
        (string.ascii_letters + string.digits, 20),
        (string.ascii_letters + string.digits + "-_", 43),
        ("0123456789abcdef", 32),
        (string.ascii_lowercase + string.digits, 32),
        (string.ascii_letters + string.digits + "+/", 40),
    ],
)
def test_nearly_every_drawn_value_is_truly_random(alphabet, length):
    rng = random.Random(1)
    values = ["".join(rng.choices(alphabet, k=length)).encode() for _ in range(1000)]
    assert sum(map(is_truly_random, values)) >= 970


@given(
    st.lists(st.sampled_from(["token", "Secret", "get", "For", "User", "cache", "HTTP", "2", "_", "."]), max_size=12)
)
def test_words_joined_in_any_way_are_not_truly_random(words):
    text = "".join(words).replace("2", "").encode()
    assert not is_truly_random(text)


@pytest.mark.parametrize(
    "value",
    [b"2024-03-07T10:11:12.123Z", b"1234567890123456", b"src/models/v2/bert_base.py", b"x86_64-unknown-linux-gnu"],
)
def test_dates_numbers_and_paths_are_not_truly_random(value):
    assert not is_truly_random(value)


def test_a_name_in_code_is_told_from_random_letters():
    assert is_identifier(b"PydanticDeprecatedSince20")
    assert is_identifier(b"self.token_view2")
    assert not is_identifier(b"a1B2c3D4e5")


def test_a_random_value_with_an_ending_is_no_dotted_name():
    rng = random.Random(11)
    values = ["a" + "".join(rng.choices(string.ascii_letters + string.digits, k=17)) + ".json" for _ in range(300)]
    assert sum(is_random(value.encode(), b"") for value in values) >= 0.9 * len(values)
    assert not is_random(b"settings.databaseUrl2.value", b"")


def test_digests_and_ids_of_tests_are_no_passwords():
    assert is_hash_or_path(b"5f4d" * 8)
    assert is_hash_or_path(b"tests/a.py::test_b1")
    assert not is_hash_or_path(b"Harbor-77!")


def test_a_chosen_password_has_letters_digits_and_a_sign():
    assert is_chosen(b"Harbor" + b"-Lantern77", b"")
    assert not is_chosen(b"harbor77", b"")


def test_phrases_are_four_groups_of_four_or_twelve_words():
    assert is_phrase(b"abcd efgh ijkl mnop")
    assert is_phrase(b" ".join([b"whale"] * 12))
    assert not is_phrase(b"enter your password here")


@pytest.mark.parametrize(
    "value", [b"copper.lantern_4821", b"Walrus-5907mc", b"garden-lantern_2270", b"Silver_915ru", b"river.kitten.990"]
)
def test_words_with_a_number_are_given_and_told(value: bytes):
    assert is_numbered_words(value)
    assert is_given(value, b"")
    assert is_told(value)


@pytest.mark.parametrize(
    "value", [b"user_1234", b"config.test_100", b"copper", b"version-1", b"a-1234", b"get_item_100"]
)
def test_names_in_code_with_a_number_are_no_words_with_a_number(value: bytes):
    assert not is_numbered_words(value)


@pytest.mark.parametrize("value", [b"biscuit falcon castle river 27", b"copper meadow orange raven walrus"])
def test_phrases_of_words_are_passwords(value: bytes):
    assert is_phrase(value)


@pytest.mark.parametrize(
    "value",
    [b"must have more than 12", b"copper meadow river", b"enter your current password here", b"use all four keys"],
)
def test_sentences_are_no_phrases(value: bytes):
    assert not is_phrase(value)


def test_the_key_of_a_network_may_be_digits_alone():
    assert is_network_digits(b"2887375923291945")
    assert not is_network_digits(b"1234567")
    assert not is_network_digits(b"12345678a")
