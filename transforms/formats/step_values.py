"""Steps and calls as the tuples that they are, made from messages whose pairing is known.

Every step and call of a lake is made here, so values are read one by one, by name, and a tuple is made of all at once:
a loop over the names, or a call that names its arguments, costs as much as all the rest.
"""

import hashlib
from typing import Any, Final

from schemas.records import Call, Message, MessageCall, Step
from transforms.formats.arguments import command_of
from transforms.formats.leftovers import merge_extra, result_leftover, self_leftover
from transforms.formats.tools import tool_kind

SOURCES: Final = {"system": "system", "user": "user", "assistant": "agent", "tool": "environment"}
"""Roles of messages and the sources of their steps."""
Outcome = tuple[str | None, bool | None, int | None]
"""What came back to a step: its text, whether it is an error, and the exit code."""
_RESULT_STATES: Final = {"text": "ok", "parts": "ok", "null": "null", "missing": "null"}
_new_tuple: Final = tuple.__new__


def step_of(
    number: int,
    message: Message,
    *,
    calls: tuple[Call, ...] = (),
    outcome: Outcome = (None, None, None),
    leftovers: dict[str, Any] | None = None,
) -> Step:
    """Return the step of a message.

    Args:
        number: Its place among the steps, from 1.
        message: What it was said by.
        calls: The message's calls.
        outcome: What came back.
        leftovers: What of the results neither the calls nor the outcome hold.
    """
    if rest := self_leftover(message):
        leftovers = {**(leftovers or {}), "self": rest}
    text, is_error, exit_code = outcome
    return _new_tuple(
        Step,
        (
            number,
            SOURCES[message.role],
            message.content,
            message.content_state,
            calls,
            message.role_raw,
            message.actor,
            message.timestamp,
            message.parts_json,
            message.reasoning,
            command_of(calls[0].arguments_json) if calls else None,
            text,
            is_error,
            None,
            exit_code,
            message.prompt_tokens,
            message.completion_tokens,
            message.cached_tokens,
            message.cost_usd,
            message.latency_s,
            message.step_reward,
            message.is_copied_context,
            message.is_demo,
            message.sampled,
            message.llm_call_count,
            merge_extra(message.extra_json, leftovers) if leftovers else message.extra_json,
        ),
    )


def call_of(
    call: MessageCall,
    result: Message | None,
    *,
    index: int,
    call_id: str,
    paired_by: str | None,
    is_generated: bool,
) -> Call:
    """Return a call paired with its result.

    Args:
        call: The call as its message carries it.
        result: What answers it.
        index: Its place among the calls of its message.
        call_id: An id that no other call of the conversation has.
        paired_by: The rule by which the result was found.
        is_generated: Whether the id was made because the native one is missing or not the only one of its kind.
    """
    arguments_json, state = call.arguments_json, call.arguments_state
    arguments = arguments_json if arguments_json is not None else f"{state}:{call.arguments_raw}"
    if result is None:
        text = is_error = exit_code = None
        result_state = "missing"
    else:
        text, is_error, exit_code = result.content, result.is_error, result.exit_code
        result_state = "null" if text is None else _RESULT_STATES.get(result.content_state, "ok")
    return _new_tuple(
        Call,
        (
            index,
            call_id,
            call.name,
            tool_kind(call.name, arguments_json),
            arguments_json,
            state,
            hashlib.sha256(arguments.encode("utf-8", "surrogatepass")).hexdigest()[:32],
            call.call_id,
            is_generated,
            call.arguments_raw,
            text,
            result_state,
            is_error,
            exit_code,
            paired_by,
            call.requestor,
        ),
    )


def answered_step(number: int, message: Message, *, answer: Message) -> Step:
    """Return the step of a message whose only call, by an id of its own, the next message answers."""
    call = message.calls[0]
    made = call_of(call, answer, index=0, call_id=call.call_id or "", paired_by="id", is_generated=False)
    return step_with_answer(number, message, call=made, answer=answer)


def step_with_answer(number: int, message: Message, *, call: Call, answer: Message) -> Step:
    """Return the step of a message whose only call has its answer, which is all that came back."""
    rest = result_leftover(answer, call.tool_name, call.requestor, is_paired_by_id=call.paired_by == "id")
    outcome = (answer.content, answer.is_error, answer.exit_code)
    return step_of(number, message, calls=(call,), outcome=outcome, leftovers={"0": rest} if rest else None)
