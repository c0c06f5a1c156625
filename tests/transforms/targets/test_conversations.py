from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Message, MessageCall
from transforms.targets.contract import Conversation, Refusal
from transforms.targets.conversations import make_conversation

LOOK = MessageCall(name="look", arguments_json="{}", call_id="c")


def message(role: str, content: str | None = "x", **other: Any) -> Message:
    return Message(role=role, content=content, content_state="null" if content is None else "text", **other)


def make(*messages: Message, **other: Any) -> Conversation | Refusal:
    return make_conversation(messages, tools_json=None, **other)


def roles(*messages: Message, **other: Any) -> tuple[list[object], list[object]]:
    made = make(*messages, **other)
    assert isinstance(made, Conversation), made
    return [each["role"] for each in made.prompt], [each["role"] for each in made.completion]


SYSTEM, USER, ASSISTANT = message("system"), message("user"), message("assistant")
CALLING = message("assistant", None, calls=(LOOK,))
RESULT = message("tool", "seen", tool_call_id="c", tool_name="look")


def test_the_prompt_is_what_leads_to_the_first_turn_and_the_rest_is_the_completion() -> None:
    assert make(SYSTEM, USER, CALLING, RESULT, ASSISTANT) == Conversation(
        prompt=[
            {"role": "system", "content": "x", "tool_calls": None, "tool_call_id": None, "name": None},
            {"role": "user", "content": "x", "tool_calls": None, "tool_call_id": None, "name": None},
        ],
        completion=[
            {
                "role": "assistant",
                "content": "",
                "tool_calls": ['{"id":"c","type":"function","function":{"name":"look","arguments":{}}}'],
                "tool_call_id": None,
                "name": None,
            },
            {"role": "tool", "content": "seen", "tool_calls": None, "tool_call_id": "c", "name": "look"},
            {"role": "assistant", "content": "x", "tool_calls": None, "tool_call_id": None, "name": None},
        ],
        tools=None,
    )


def test_what_follows_the_last_turn_with_content_is_cut() -> None:
    empty = message("assistant", None)
    assert roles(USER, CALLING, RESULT, ASSISTANT, USER, empty) == (["user"], ["assistant", "tool", "assistant"])
    assert roles(USER, CALLING, RESULT) == (["user"], ["assistant"])


def test_a_greeting_belongs_to_the_prompt() -> None:
    assert roles(SYSTEM, ASSISTANT, USER, ASSISTANT) == (["system", "assistant", "user"], ["assistant"])


def test_demonstrations_lead_the_prompt_or_are_left_out() -> None:
    demo = [message("user", is_demo=True), message("assistant", is_demo=True), message("user", is_copied_context=True)]
    assert roles(*demo, USER, ASSISTANT) == (["user", "assistant", "user", "user"], ["assistant"])
    assert roles(*demo, USER, ASSISTANT, without_context=True) == (["user"], ["assistant"])


def test_an_environment_of_plain_text_takes_the_users_turn() -> None:
    assert roles(USER, ASSISTANT, message("tool"), ASSISTANT) == (["user"], ["assistant", "user", "assistant"])


@pytest.mark.parametrize(
    ("messages", "reason", "text"),
    [
        ([], "unusable_conversation", "there is no user message"),
        ([SYSTEM, ASSISTANT], "unusable_conversation", "there is no user message"),
        ([SYSTEM, USER], "no_assistant_turn", "the agent says and does nothing"),
        ([USER, message("assistant", None)], "no_assistant_turn", "the agent says and does nothing"),
        ([message("user", None), ASSISTANT], "unusable_conversation", "message 0: the user says nothing (null)"),
        ([message("user", " "), ASSISTANT], "unusable_conversation", "message 0: the user says nothing (text)"),
        (
            [USER, message("assistant", is_demo=True), ASSISTANT],
            "unusable_conversation",
            "the prompt ends with an assistant turn",
        ),
        (
            [message("user", parts_json='[{"type":"image_url"}]'), ASSISTANT],
            "unusable_conversation",
            "message 0 has a part of type 'image_url', only text can be exported",
        ),
        (
            [message("user", parts_json='[{"type":["x"],"text":"a"}]'), ASSISTANT],
            "unusable_conversation",
            "message 0 has a part of type ['x'], only text can be exported",
        ),
        (
            [USER, ASSISTANT, message("tool", tool_call_id="z"), ASSISTANT],
            "unusable_conversation",
            "message 2: a tool result answers no call before it",
        ),
        (
            [USER, CALLING, message("tool"), ASSISTANT],
            "unusable_conversation",
            "message 2: a tool result answers no call before it",
        ),
        (
            [USER, message("assistant", calls=(MessageCall("f", None, "unparsed"),))],
            "unusable_conversation",
            "the arguments of a call of 'f' are no JSON object",
        ),
    ],
)
def test_an_unusable_conversation_is_refused_with_its_reason(messages: list[Message], reason: str, text: str) -> None:
    assert make(*messages) == Refusal(reason, text)  # type: ignore[arg-type]


def test_text_parts_and_thinking_are_no_reason_to_refuse() -> None:
    parts = '[{"type":"thinking","thinking":"m"},{"type":"text","text":"x"}]'
    assert roles(USER, message("assistant", parts_json=parts)) == (["user"], ["assistant"])


@given(
    st.lists(
        st.builds(
            message,
            st.sampled_from(["system", "user", "assistant", "tool"]),
            st.sampled_from([None, "", "x"]),
            is_demo=st.booleans(),
        ),
        max_size=10,
    ),
    st.booleans(),
)
def test_whatever_is_accepted_starts_and_ends_as_trainers_need(messages: list[Message], without: bool) -> None:
    made = make(*messages, without_context=without)
    if isinstance(made, Conversation):
        assert made.prompt[-1]["role"] != "assistant"
        assert made.completion[0]["role"] == made.completion[-1]["role"] == "assistant"
        assert made.completion[-1]["content"] or made.completion[-1]["tool_calls"]
        assert all(each["content"] is not None for each in [*made.prompt, *made.completion])
