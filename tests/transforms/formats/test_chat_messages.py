import json

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.chat_messages import Content, chat_messages, message_content
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ("a", Content("a", "text")),
        (None, Content(None, "null")),
        (MISSING, Content(None, "missing")),
        (
            [{"type": "text", "text": "a"}, "b", {"type": "image_url", "image_url": {"url": "data:x"}}],
            Content(
                "a\nb",
                "parts",
                '[{"text":"a","type":"text"},"b",{"image_url":{"url":"data:x"},"type":"image_url"}]',
            ),
        ),
        ([], Content("", "parts", "[]")),
    ],
)
def test_content(raw, content):
    assert message_content(raw) == content


def test_roles_calls_and_results_in_canonical_form():
    raw = [
        {"role": "developer", "content": "Rules"},
        {"role": "assistant", "content": "x", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "y"},
        {
            "role": "assistant",
            "reasoning_content": "hm",
            "tool_calls": [{"id": "1", "name": "g", "arguments": {"a": 1}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "z", "is_error": True, "exit_code": 2},
        {"role": "user", "content": "hi", "name": "bob", "custom": [1]},
    ]
    assert chat_messages(raw) == (
        Message("system", "Rules", role_raw="developer"),
        Message("assistant", "x", calls=(MessageCall("f", "{}"),)),
        Message("tool", "y", role_raw="function", tool_name="f"),
        Message("assistant", None, "missing", reasoning="hm", calls=(MessageCall("g", '{"a":1}', call_id="1"),)),
        Message("tool", "z", tool_call_id="1", is_error=True, exit_code=2),
        Message("user", "hi", extra_json='{"custom":[1],"name":"bob"}'),
    )


def test_marked_observation_behind_an_agent_message_is_a_result():
    raw = [
        {"role": "assistant", "content": "<function=bash>ls</function>"},
        {"role": "user", "content": "OBSERVATION:\na.py"},
        {"role": "user", "content": "OBSERVATION: mine"},
    ]
    assert [(message.role, message.role_raw) for message in chat_messages(raw)] == [
        ("assistant", None),
        ("tool", "user"),
        ("user", None),
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("text", "message 0 is no object but str"),
        ({"content": "x"}, "message 0: unknown role 'None'"),
        ({"role": "user", "content": 3}, "message 0: content is neither text nor parts but int"),
        ({"role": "assistant", "tool_calls": {}}, "message 0: tool_calls is no list but dict"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "message 0: a tool call has no name"),
        (
            {"role": "assistant", "tool_calls": [{"type": "custom", "custom": {}}]},
            "message 0: a tool call has no name",
        ),
    ],
)
def test_unusable_message_is_named(raw, message):
    with pytest.raises(RecordError, match=message) as caught:
        chat_messages([raw])
    assert caught.value.reason is QuarantineReason.INVALID_MESSAGE


@pytest.mark.parametrize(("written", "names"), [('[{"name": "f", "arguments": {}}]', ["f"]), ("[]", []), (" ", [])])
def test_calls_may_be_written_as_text(written, names):
    (message,) = chat_messages([{"role": "assistant", "content": "x", "tool_calls": written}])
    assert [call.name for call in message.calls] == names


def test_calls_that_are_no_json_are_told_as_such():
    with pytest.raises(RecordError) as caught:
        chat_messages([{"role": "assistant", "content": "x", "tool_calls": "[{"}])
    assert caught.value.reason is QuarantineReason.INVALID_JSON


@pytest.mark.parametrize(
    ("custom", "call", "details"),
    [
        ({"input": "*** Begin Patch"}, MessageCall("edit", None, "unparsed", "*** Begin Patch", "c1"), {}),
        ({"input": '{"a":1}'}, MessageCall("edit", '{"a":1}', "ok", None, "c1"), {}),
        ({"namespace": "n"}, MessageCall("edit", None, "missing", None, "c1"), {"custom": {"namespace": "n"}}),
    ],
)
def test_calls_of_tools_that_take_free_text_have_their_input_as_arguments(custom, call, details):
    raw = {"id": "c1", "type": "custom", "custom": {"name": "edit", **custom}}
    (message,) = chat_messages([{"role": "assistant", "content": None, "tool_calls": [raw]}])
    assert message.calls == (call,)
    assert json.loads(message.extra_json or "{}") == {"tool_call_details": {"0": {**details, "type": "custom"}}}
