import hashlib

from schemas.records import Call, Message, MessageCall, Step
from transforms.formats.step_values import answered_step, call_of, step_of


def test_step_takes_over_what_its_message_states():
    message = Message("user", "go", actor="me", prompt_tokens=3, is_demo=True, extra_json='{"a":1}')
    expected = Step(2, "user", "go", "text", actor="me", prompt_tokens=3, is_demo=True, extra_json='{"a":1}')
    assert step_of(2, message) == expected


def test_call_without_a_result_and_without_an_object_hashes_its_state_and_its_text():
    call = call_of(
        MessageCall("bash", None, "unparsed", "ls", "a"),
        None,
        index=1,
        call_id="call_1_1",
        paired_by=None,
        is_generated=True,
    )
    digest = hashlib.sha256(b"unparsed:ls").hexdigest()[:32]
    assert call == Call(1, "call_1_1", "bash", "shell", None, "unparsed", digest, "a", True, "ls")


def test_answered_step_holds_its_answer_twice_and_what_no_column_takes_beside_it():
    calling = Message("assistant", "look", calls=(MessageCall("bash", '{"command":"ls"}', call_id="a"),))
    answer = Message("tool", "x", tool_call_id="a", tool_name="sh", is_error=True, exit_code=1)
    step = answered_step(1, calling, answer=answer)
    assert (step.command, step.obs_text, step.is_error, step.exit_code) == ("ls", "x", True, 1)
    assert step.extra_json == '{"trajsift:messages":{"0":{"tool_name":"sh"}}}'
    (call,) = step.calls
    assert (call.call_id, call.result_text, call.result_state, call.paired_by) == ("a", "x", "ok", "id")
