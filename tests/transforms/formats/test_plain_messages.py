import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Message, MessageCall
from transforms.formats.chat_messages import any_message, chat_messages
from transforms.formats.plain_messages import plain_message

CALL = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"role": "system", "content": "Rules"}, Message("system", "Rules")),
        ({"content": "Do it", "role": "user"}, Message("user", "Do it")),
        (
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            Message("assistant", None, "null", calls=(MessageCall("bash", '{"command":"ls"}', call_id="c"),)),
        ),
        (
            {"role": "tool", "content": "a b", "tool_call_id": "c ", "name": "bash"},
            Message("tool", "a b", tool_call_id="c", tool_name="bash"),
        ),
        ({"role": "tool", "tool_call_id": "c", "content": "a b"}, Message("tool", "a b", tool_call_id="c")),
    ],
)
def test_common_shapes_are_read_at_once(raw, message):
    assert plain_message(raw, is_after_agent=False) == message


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "user", "text": "x"},
        {"role": "assistant", "content": "x", "reasoning": "y"},
        {"role": "assistant", "content": "x", "tool_calls": [{**CALL, "index": 0}]},
        {"role": "assistant", "content": "x", "tool_calls": [{**CALL, "type": "custom"}]},
        {"role": "tool", "content": "x", "tool_call_id": 3, "name": "bash"},
        {"role": ["tool"], "content": "x"},
    ],
)
def test_any_other_shape_is_left_to_the_general_reading(raw):
    assert plain_message(raw, is_after_agent=False) is None


words = st.sampled_from(["", " ", "c", " bash ", "OBSERVATION: a", "{}"])
odd = st.none() | st.integers(0, 1) | words | st.lists(words, max_size=1)
arguments = st.sampled_from(
    [
        "{}",
        '{"b":1,"a":"x"}',
        '{"a":1,"a":1}',
        '{"a": 1}',
        '{"a":-0}',
        '{"a":1.0}',
        '{"a":"\\u0041","b":1}',
        '{"a":[]}',
        "[",
    ]
)


def mostly(usual, *, else_odd=odd):
    return st.one_of(usual, usual, usual, else_odd)


functions = st.fixed_dictionaries(
    {"name": mostly(words), "arguments": mostly(arguments)}, optional={"parameters": odd, "strict": odd}
)
calls = st.fixed_dictionaries(
    {"id": mostly(words), "type": mostly(st.just("function")), "function": mostly(functions)}, optional={"index": odd}
)
messages = st.fixed_dictionaries(
    {
        "role": mostly(st.sampled_from(["system", "user", "assistant", "tool", "Tool", "function"])),
        "content": mostly(words | st.none()),
    },
    optional={
        "tool_calls": mostly(st.lists(mostly(calls), max_size=2)),
        "tool_call_id": mostly(words),
        "name": mostly(words),
        "refusal": odd,
    },
)


@given(raw=messages, is_after_agent=st.booleans())
def test_what_is_read_at_once_is_what_the_general_reading_gives(raw, is_after_agent):
    message = plain_message(raw, is_after_agent=is_after_agent)
    assert message is None or message == any_message(raw, is_after_agent=is_after_agent)


def test_marked_output_behind_the_agent_is_a_result_though_it_is_plain():
    raw = [{"role": "assistant", "content": "ls"}, {"role": "user", "content": "OBSERVATION: a.py"}]
    assert [message.role for message in chat_messages(raw)] == ["assistant", "tool"]
