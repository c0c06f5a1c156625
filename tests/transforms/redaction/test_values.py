import base64

import pytest

from transforms.redaction.values import (
    has_case_or_digit,
    is_literal,
    is_login,
    is_password,
    is_public_address,
    is_random,
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
        (b"abc." + b"a1B2" * 8, b"", True),
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
