import pytest

from schemas.records import Message, MessageCall
from transforms.formats.anthropic_parts import unfolded
from transforms.formats.chat_messages import chat_messages
from transforms.reading.failures import RecordError


def test_blocks_are_calls_and_results():
    call = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}, "cache_control": {"a": 1}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "files", "is_error": False}
    raw = [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "S"}, call]},
        {"role": "user", "content": [result, {"type": "text", "text": "and?"}], "tag": 1},
        {"role": "user", "content": [result], "tag": 2},
        {"role": "user", "content": "plain"},
    ]
    assert chat_messages(unfolded(raw)) == (
        Message(
            "assistant",
            "",
            "parts",
            parts_json='[{"signature":"S","thinking":"hm","type":"thinking"}]',
            reasoning="hm",
            calls=(MessageCall("bash", '{"command":"ls"}', call_id="t1"),),
            extra_json='{"tool_call_details":{"0":{"cache_control":{"a":1}}}}',
        ),
        Message("tool", "files", tool_call_id="t1", is_error=False),
        Message("user", "and?", "parts", parts_json='[{"text":"and?","type":"text"}]', extra_json='{"tag":1}'),
        Message("tool", "files", tool_call_id="t1", is_error=False, extra_json='{"tag":2}'),
        Message("user", "plain"),
    )


def test_a_call_that_tool_calls_states_too_is_not_told_twice():
    call = {"type": "tool_use", "id": "t1", "name": "bash", "input": {}}
    raw = [{"role": "assistant", "content": [call], "tool_calls": [{"id": "t1", "function": {"name": "bash"}}]}]
    (message,) = chat_messages(unfolded(raw))
    assert [one.call_id for one in message.calls] == ["t1"]


def test_a_call_without_arguments_or_id_stays_one():
    (message,) = chat_messages(unfolded([{"role": "assistant", "content": [{"type": "tool_use", "name": "ls"}]}]))
    assert message == Message("assistant", None, "null", calls=(MessageCall("ls", None, "missing"),))


def test_calls_written_as_text_stand_beside_those_of_blocks():
    blocks = [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in ("t1", "t2")]
    written = '[{"id": "t0", "function": {"name": "t0", "arguments": "{}"}}, {"id": "t1", "name": "t1"}]'
    (message,) = chat_messages(unfolded([{"role": "assistant", "content": blocks, "tool_calls": written}]))
    assert [call.call_id for call in message.calls] == ["t0", "t1", "t2"]


@pytest.mark.parametrize("stated", ["[{", "{}", {"id": "t0"}, 5])
def test_calls_that_are_no_list_are_not_passed_over_for_those_of_blocks(stated):
    raw = [{"role": "assistant", "content": [{"type": "tool_use", "name": "ls"}], "tool_calls": stated}]
    with pytest.raises(RecordError):
        chat_messages(unfolded(raw))
