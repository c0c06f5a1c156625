import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import Message
from transforms.formats.arguments import message_call
from transforms.formats.text_actions import (
    UNPARSED,
    Action,
    begins_function_block,
    begins_terminus,
    fenced_command,
    function_block,
    observed,
    read_fenced_command,
    read_function_blocks,
    read_terminus,
    with_text_actions,
)

VIEW = "<function=edit>\n<parameter=command>view</parameter>\n<parameter=path>/a</parameter>\n</function>"


def said(action):
    return action.text, [(call.name, json.loads(call.arguments_json)) for call in action.calls], action.after


def test_block_is_a_call_and_the_text_around_it_stays():
    action = read_function_blocks(f"Look\n\n{VIEW}\nthen")
    assert said(action) == ("Look", [("edit", {"command": "view", "path": "/a"})], "then")
    assert action.calls[0].arguments_raw is None


def test_block_written_unusually_keeps_its_text():
    written = "<function=edit>\n<parameter=text>\na\nb\n</parameter>\n</function>"
    (call,) = read_function_blocks(written).calls
    assert (call.arguments_json, call.arguments_raw) == ('{"text":"a\\nb"}', written)


def test_several_blocks_are_parallel_calls():
    action = read_function_blocks(f"{VIEW}\nand\n<function=submit>\n</function>")
    assert said(action) == ("", [("edit", {"command": "view", "path": "/a"}), ("submit", {})], "and")


@pytest.mark.parametrize("text", ["<function=bash>", "<function=bash\n</function>", "<function=>\n</function>"])
def test_block_that_is_not_closed_stays_text_and_is_told(text):
    message = Message("assistant", text)
    assert read_function_blocks(text) is None
    assert with_text_actions([message], read_function_blocks, begins=begins_function_block) == (
        (message,),
        (UNPARSED,),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DISCUSSION\nLook\n```\nls -a\n```", ("DISCUSSION\nLook", [("bash", {"command": "ls -a"})], "")),
        ("```bash\nopen a.py 3\n```\n", ("", [("open", {"command": "open a.py 3"})], "")),
        ("See ```x``` first\n```\nsubmit\n```", ("See ```x``` first", [("submit", {"command": "submit"})], "")),
    ],
)
def test_last_fence_is_the_command(text, expected):
    assert said(read_fenced_command(text)) == expected


@pytest.mark.parametrize("text", ["```", "no fence", "```\n\n```"])
def test_text_without_a_command_has_no_action(text):
    assert read_fenced_command(text) is None


ANSWER = {"analysis": "A", "plan": "P", "commands": [{"keystrokes": "ls\n", "duration": 0.1}], "task_complete": True}
CALLS = [("bash_command", {"keystrokes": "ls\n", "duration": 0.1}), ("mark_task_complete", {})]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (json.dumps(ANSWER), ("Analysis: A\nPlan: P", CALLS, "")),
        (f"```json\n{json.dumps(ANSWER, indent=1)}\n```", ("Analysis: A\nPlan: P", CALLS, "")),
        (f"Sure {{ok}}: {json.dumps(ANSWER)} done", ("Sure {ok}:\nAnalysis: A\nPlan: P", CALLS, "done")),
        (
            '{"state_analysis": "S", "explanation": "E", "commands": [], "is_task_complete": false}',
            ("Analysis: S\nPlan: E", [], ""),
        ),
    ],
)
def test_terminus_commands_are_calls(written, expected):
    assert said(read_terminus(written)) == expected


def test_thoughts_and_other_fields_of_a_terminus_answer_are_kept():
    action = read_terminus(f"<think>hm</think>\n{json.dumps({**ANSWER, 'plan': ['x'], 'load_skill': 's'})}")
    assert (action.text, action.reasoning, action.extra) == ("Analysis: A", "hm", {"plan": ["x"], "load_skill": "s"})


@pytest.mark.parametrize(
    "written",
    ['{"analysis": "A", "commands": [{"keystrokes": "ls', '{"plan": "P", "commands": [{"keys": "keystrokes"}]}'],
)
def test_cut_or_odd_terminus_answer_stays_text(written):
    assert read_terminus(written) is None


def test_only_texts_of_agents_without_calls_are_read():
    own = Message("assistant", VIEW, calls=(message_call("f", {}),))
    user = Message("user", VIEW)
    assert with_text_actions([own, user], read_function_blocks, begins=begins_function_block) == ((own, user), ())


def test_text_behind_an_action_is_kept_beside_it():
    (message,), _ = with_text_actions(
        [Message("assistant", f"{VIEW} z", extra_json='{"a":1}')], read_function_blocks, begins=begins_function_block
    )
    assert message.extra_json == '{"a":1,"text_after":"z"}'


def test_user_message_behind_a_call_is_its_result():
    call = Message("assistant", "x", calls=(message_call("f", {}),))
    answered = observed([Message("user", "q"), call, Message("user", "a"), Message("user", "b")])
    assert [(one.role, one.role_raw) for one in answered] == [
        ("user", None),
        ("assistant", None),
        ("tool", "user"),
        ("user", None),
    ]


plain = st.text("ab \n=", max_size=9).filter(lambda text: not (text.startswith("\n") and text.endswith("\n")))


@settings(max_examples=80)
@given(
    text=plain.map(str.strip),
    name=st.sampled_from(["bash", "edit"]),
    values=st.dictionaries(st.sampled_from("ab"), plain),
)
def test_written_blocks_are_read_back(text, name, values):
    block = function_block(name, dict(sorted(values.items())))
    call = message_call(name, values)
    assert read_function_blocks(f"{text}\n{block}") == Action(text, (call,))


@settings(max_examples=80)
@given(text=st.text(max_size=9).map(str.strip), command=st.text("ls -\n", min_size=1).map(str.strip).filter(bool))
def test_written_fences_are_read_back(text, command):
    action = read_fenced_command(f"{text}\n{fenced_command(command)}")
    assert (action.text, action.calls[0].arguments_raw) == (text, None)
    assert json.loads(action.calls[0].arguments_json) == {"command": command}


@settings(max_examples=200)
@given(text=st.text('<function=a>/parmet{}`":\n comandskeystrokes', max_size=60))
def test_any_text_is_an_action_or_none(text):
    for read in (read_function_blocks, read_fenced_command, read_terminus):
        action = read(text)
        assert action is None or action.calls or begins_terminus(text)
