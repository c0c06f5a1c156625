import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import MessageCall
from transforms.targets.encoding import (
    MESSAGES_TYPE,
    decode_message,
    encode_call,
    encode_message,
    encode_tools,
    message_hash,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_a_message_has_every_field_and_never_null_content_or_empty_calls() -> None:
    assert encode_message("assistant", None) == {
        "role": "assistant",
        "content": "",
        "tool_calls": None,
        "tool_call_id": None,
        "name": None,
    }


def test_arguments_are_an_object_and_an_explicit_null_stays() -> None:
    call = MessageCall(name="find", arguments_json='{"a":null,"b":[1]}', call_id="c1")
    assert orjson.loads(encode_call(call)) == {
        "id": "c1",
        "type": "function",
        "function": {"name": "find", "arguments": {"a": None, "b": [1]}},
    }


@pytest.mark.parametrize("state", ["missing", "null"])
def test_a_call_without_arguments_has_an_empty_object(state: str) -> None:
    call = MessageCall(name="stop", arguments_json=None, arguments_state=state)
    assert orjson.loads(encode_call(call)) == {"type": "function", "function": {"name": "stop", "arguments": {}}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (MessageCall(name="f", arguments_json=None, arguments_state="unparsed", arguments_raw="{"), "no JSON object"),
        (MessageCall(name="f", arguments_json="[1]"), "no JSON object"),
        (MessageCall(name="", arguments_json="{}"), "has no name"),
    ],
)
def test_a_call_that_no_template_renders_is_refused(call: MessageCall, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        encode_call(call)


def test_tools_are_one_schema_each_in_the_openai_form() -> None:
    native = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    short = {"name": "g", "description": "d", "input_schema": {"type": "object"}}
    tools = encode_tools(orjson.dumps([native, short]).decode())
    assert tools is not None
    assert [orjson.loads(tool) for tool in tools] == [
        native,
        {"type": "function", "function": {"name": "g", "description": "d", "parameters": {"type": "object"}}},
    ]


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '"text"'])
def test_no_tools_are_null(text: str | None) -> None:
    assert encode_tools(text) is None


@given(st.lists(st.dictionaries(st.text(max_size=4), json_values, max_size=4), max_size=4), st.text(max_size=20))
def test_what_is_read_back_from_arrow_is_the_native_message(arguments: list[dict[str, object]], content: str) -> None:
    """Calls with different keys stand side by side; none gains a key."""
    calls = [
        MessageCall(name=f"f{number}", arguments_json=orjson.dumps(each).decode(), call_id=str(number))
        for number, each in enumerate(arguments)
    ]
    encoded = encode_message("assistant", content, calls=calls)
    [[read]] = pa.array([[encoded]], MESSAGES_TYPE).to_pylist()
    native: dict[str, object] = {"role": "assistant", "content": content}
    if arguments:
        native["tool_calls"] = [
            {"id": str(number), "type": "function", "function": {"name": f"f{number}", "arguments": each}}
            for number, each in enumerate(arguments)
        ]
    assert decode_message(read) == native


def test_message_hash_tells_messages_apart_and_fits_an_int64() -> None:
    hashes = {message_hash(encode_message(role, text)) for role in ("user", "assistant") for text in ("a", "b")}
    assert len(hashes) == 4
    assert pa.array(sorted(hashes), pa.int64()).null_count == 0
