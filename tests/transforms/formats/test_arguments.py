import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import MessageCall
from transforms.formats.arguments import command_of, message_call
from transforms.formats.rewards import MISSING


@pytest.mark.parametrize(
    ("arguments", "text", "state", "raw"),
    [
        ({"b": None, "a": 1}, '{"a":1,"b":null}', "ok", None),
        ({}, "{}", "ok", None),
        ('{"a":1}', '{"a":1}', "ok", None),
        ('{"b": 2, "a": 1}', '{"a":1,"b":2}', "ok", '{"b": 2, "a": 1}'),
        ('"{\\"a\\": 1}"', '{"a":1}', "double_encoded", '"{\\"a\\": 1}"'),
        ("not json {", None, "unparsed", "not json {"),
        ("", None, "unparsed", ""),
        ([1], None, "unparsed", "[1]"),
        (None, None, "null", None),
        (MISSING, None, "missing", None),
    ],
)
def test_arguments_end_in_one_form(arguments, text, state, raw):
    assert message_call("f", arguments, call_id="c") == MessageCall("f", text, state, raw, "c")


@given(
    arguments=st.dictionaries(
        st.text(max_size=5), st.none() | st.integers(-(2**53), 2**53) | st.text(max_size=5) | st.booleans()
    )
)
def test_objects_and_their_texts_give_the_same(arguments):
    written = message_call("f", json.dumps(arguments))
    assert written.arguments_json == message_call("f", arguments).arguments_json
    assert json.loads(written.arguments_json) == arguments


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('{"b":2,"a":null}', '{"a":null,"b":2}'),
        ('{"a":1,"a":true}', '{"a":true}'),
        ('{"a":-0}', '{"a":0}'),
        ('{"a":123456789012345678901}', '{"a":"123456789012345678901"}'),
        ('{"a":NaN,"b":1}', '{"a":null,"b":1}'),
        ('{"a":{"b":1},"a":123456789012345678901}', None),
    ],
)
def test_numbers_in_arguments_are_read_as_strictly_as_those_of_records(written, text):
    assert message_call("f", written).arguments_json == text


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ('{"command":" ls  \\n pwd "}', "ls\n pwd"),
        ('{"cmd":["git","log"]}', "git log"),
        ('{"code":"1+1"}', "1+1"),
        ('{"path":"a"}', None),
        ('{"command":3}', None),
        (None, None),
    ],
)
def test_command(arguments, command):
    assert command_of(arguments) == command
