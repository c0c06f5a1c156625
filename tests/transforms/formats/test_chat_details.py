import json

import pytest

from transforms.formats.chat_messages import chat_messages

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def read(**fields):
    (message,) = chat_messages([{"role": "assistant", "content": "x", **fields}])
    return message, json.loads(message.extra_json or "{}")


def test_refusal_is_what_the_model_says_where_it_says_nothing_else():
    message, extra = read(content=None, refusal="I cannot")
    assert (message.content, message.content_state, extra) == ("I cannot", "text", {"refusal": "I cannot"})
    message, extra = read(refusal="I cannot")
    assert (message.content, extra) == ("x", {"refusal": "I cannot"})


@pytest.mark.parametrize(
    ("fields", "reasoning", "extra"),
    [
        ({"reasoning_content": None, "reasoning": "hm"}, "hm", {}),
        ({"reasoning_content": "hm", "reasoning": "hm"}, "hm", {}),
        ({"reasoning_content": "hm", "reasoning": "ah"}, "hm", {"reasoning_content": "hm", "reasoning": "ah"}),
        ({"reasoning": ["a", "b"]}, "a\nb", {}),
        ({"reasoning": [{"text": "a", "k": 1}, 5]}, "a", {"reasoning": [{"text": "a", "k": 1}, 5]}),
        ({"reasoning": {"effort": 3}}, None, {"reasoning": {"effort": 3}}),
    ],
)
def test_reasoning_is_found_and_what_is_no_text_of_it_is_kept(fields, reasoning, extra):
    message, found = read(**fields)
    assert (message.reasoning, found) == (reasoning, extra)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"tool_calls": [], "function_call": {"name": "f", "arguments": "{}"}}, ["f"]),
        ({"tool_calls": [CALL], "function_call": {"name": "g", "arguments": "{}"}}, ["f", "g"]),
        ({"tool_calls": [CALL], "function_call": {"name": "f", "arguments": "{}"}}, ["f"]),
    ],
)
def test_legacy_call_stands_beside_others_unless_it_is_one_of_them(fields, names):
    assert [call.name for call in read(**fields)[0].calls] == names


def test_what_a_call_says_beside_its_arguments_is_kept():
    odd = {**CALL, "id": ["a"], "type": "custom", "result": "inline", "function": {"name": "f", "strict": True}}
    assert read(tool_calls=[{**CALL, "index": 0}, odd])[1] == {
        "tool_call_details": {
            "1": {"id": ["a"], "type": "custom", "result": "inline", "function": {"strict": True}},
        }
    }


def test_values_that_no_column_can_hold_are_kept_as_written():
    odd = {
        "cost": "cheap",
        "timestamp": "yesterday",
        "usage": {"prompt_tokens": "many"},
        "step_reward": "splendid",
        "reward": [0.5],
        "agent": {"a": 1},
        "name": 5,
        "tool_call_id": "zz",
        "function_call": "f",
        "error": "late",
        "is_demo": 1,
        "index": "x",
    }
    assert read(**odd)[1] == odd


def test_a_second_reward_of_a_message_is_kept():
    message, extra = read(step_reward=0.5, reward=0.25)
    assert (message.step_reward, extra) == (0.5, {"reward": 0.25})
    assert read(step_reward=0.5, reward=0)[1] == {"reward": 0}
    assert read(step_reward=None, reward=0.25)[0].step_reward == 0.25


@pytest.mark.parametrize(
    ("fields", "is_error", "extra"),
    [
        ({"error": "timeout"}, True, {"error": "timeout"}),
        ({"error": {"type": "timeout"}}, True, {"error": {"type": "timeout"}}),
        ({"is_error": False, "error": "warned"}, False, {"error": "warned"}),
        ({"is_error": "yes"}, None, {"is_error": "yes"}),
        ({"error": None}, None, {}),
        ({"exit_code": None, "returncode": 2}, True, {}),
        ({"exit_code": "boom"}, None, {"exit_code": "boom"}),
        ({"tool_call_ids": ["a", "b"]}, None, {"tool_call_ids": ["a", "b"]}),
        ({"tool_call_ids": ["a"]}, None, {}),
        ({"tool_call_id": {"a": 1}}, None, {"tool_call_id": {"a": 1}}),
    ],
)
def test_outcome_and_ids_of_a_result(fields, is_error, extra):
    (message,) = chat_messages([{"role": "tool", "content": "x", **fields}])
    assert (message.is_error, json.loads(message.extra_json or "{}")) == (is_error, extra)
