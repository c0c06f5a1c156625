import pytest

from schemas.reasons import QuarantineReason
from transforms.formats.swe_history import history_messages
from transforms.reading.failures import RecordError


def said(native):
    messages, warnings = history_messages(native)
    return [(message.role, message.content, [call.name for call in message.calls]) for message in messages], warnings


def act(thought, action):
    return {"role": "assistant", "content": f"{thought}```{action}```", "thought": thought, "action": action}


def test_history_alone_is_a_conversation():
    history = [{"role": "user", "content": "Issue"}, act("t", "open a.py\n"), {"role": "user", "content": "text"}]
    assert said({"history": history}) == (
        [("user", "Issue", []), ("assistant", "t", ["open"]), ("tool", "text", [])],
        (),
    )


def test_steps_behind_the_history_are_added():
    steps = [
        {"action": "ls", "observation": "a", "thought": "t"},
        {"action": "submit", "observation": "diff", "thought": "u"},
    ]
    assert said({"history": [act("t", "ls\n")], "trajectory": steps}) == (
        [("assistant", "t", ["bash"]), ("tool", "a", []), ("assistant", "u", ["submit"]), ("tool", "diff", [])],
        (),
    )


def test_message_without_an_action_gets_no_result():
    history = [{"role": "assistant", "content": "hm", "action": ""}, {"role": "user", "content": "Use a command"}]
    assert said({"history": history})[0] == [("assistant", "hm", []), ("user", "Use a command", [])]


def test_unrelated_steps_are_left_out_and_told():
    native = {"history": [act("t", "ls")], "trajectory": [{"action": "pwd", "observation": "/"}]}
    assert said(native) == ([("assistant", "t", ["bash"])], ("trajectory_history_differ",))


def test_thinking_is_reasoning():
    item = {**act("t", "ls"), "thinking_blocks": [{"thinking": "a"}, {"thinking": "b"}, 3]}
    assert history_messages({"history": [item]})[0][0].reasoning == "a\nb"


@pytest.mark.parametrize(
    ("native", "reason"),
    [({"info": {}}, QuarantineReason.MISSING_MESSAGES), ({"history": ["x"]}, QuarantineReason.INVALID_MESSAGE)],
)
def test_unusable_history_is_refused(native, reason):
    with pytest.raises(RecordError) as caught:
        history_messages(native)
    assert caught.value.reason is reason


def test_history_that_is_no_list_is_told():
    native = {"history": "text", "trajectory": [{"action": "ls", "observation": ["a"], "thought": "t"}]}
    assert said(native) == ([("assistant", "t", ["bash"]), ("tool", '["a"]', [])], ("history_unreadable",))


@pytest.mark.parametrize(
    ("fields", "extra"),
    [
        ({"content": "t\n```bash\nls\n```\n"}, None),
        ({"content": "t\n<command>\nls\n</command>"}, None),
        ({"content": "the long answer ```ls```"}, '{"written":"the long answer ```ls```"}'),
        ({"thought": ["t"]}, '{"thought":["t"]}'),
    ],
)
def test_words_beside_thought_and_action_are_kept(fields, extra):
    (message,), _ = history_messages({"history": [{**act("t", "ls\n"), **fields}]})
    assert message.extra_json == extra
