import re

import pytest

from transforms.redaction.names import NAME_PATTERN, is_loose_name, is_password_name, names_other_thing


@pytest.mark.parametrize(
    "text",
    [
        "api_key=",
        "apiKey:",
        "API-KEY ",
        "Api key:",
        "auth.token",
        "myPassword",
        "DB_PASS=",
        "client-secret",
        "psk=",
        "tokens ",
    ],
)
def test_names_are_known_in_any_case_and_joining(text):
    assert re.search(NAME_PATTERN, text)


@pytest.mark.parametrize("text", ["tokenizer", "secretly", "monkey=", "passed ", "key=", "compass ", "turnkeys"])
def test_words_that_hold_a_name_are_none(text):
    assert not re.search(NAME_PATTERN, text)


def test_people_choose_passwords():
    assert is_password_name(b"Password")
    assert is_password_name(b"B_PASS")
    assert not is_password_name(b"api_key")


def test_loose_names_also_name_other_things():
    assert is_loose_name(b"t_key")
    assert not is_loose_name(b"api_key")


def test_what_follows_a_name_may_make_it_another():
    assert names_other_thing(b"_count")
    assert names_other_thing(b".py")
    assert not names_other_thing(b"_prod")
