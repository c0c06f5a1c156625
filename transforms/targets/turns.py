"""From the steps of a trajectory to the messages the model saw.

Unlike `formats.steps.messages_of`, which gives back the source's messages as they were, every result stands right
behind its call and names it by the call's unique id, as templates need it.
"""

from collections.abc import Iterator

from schemas.records import Call, Message, MessageCall, Step, Trajectory
from transforms.formats.leftovers import split_extra

_ROLES = {"system": "system", "user": "user", "agent": "assistant", "environment": "tool"}


def turns_of(trajectory: Trajectory) -> Iterator[Message]:
    """Yield the trajectory's messages in order: each step's own, then the results of its calls.

    What the environment says without being called, or after an agent's turn without a call, is a tool message that
    names no call. Calls that the simulated user makes, and their results, are left out: the agent never saw them,
    nor a turn in which the user does nothing else.
    """
    for step in trajectory.steps:
        if step.source == "user" and step.calls and not step.message:
            continue
        calls = [call for call in step.calls if call.requestor != "user"] if step.source == "agent" else []
        yield Message(
            role=_ROLES[step.source],
            content=step.message,
            content_state=step.message_state,
            parts_json=step.parts_json,
            calls=tuple(_message_call(call) for call in calls),
            is_demo=step.is_demo,
            is_copied_context=step.is_copied_context,
        )
        yield from _results(step, calls)


def _results(step: Step, calls: list[Call]) -> Iterator[Message]:
    _, leftovers = split_extra(step.extra_json)
    if not step.calls and step.obs_text is not None:
        yield _result(step, step.obs_text, parts_json=leftovers.get("observation", {}).get("parts_json"))
    for call in calls:
        text = step.obs_text if len(step.calls) == 1 and call.result_text is None else call.result_text
        if text is not None or call.result_state == "null":
            parts_json = leftovers.get(str(call.call_index), {}).get("parts_json")
            yield _result(step, text, call=call, parts_json=parts_json)


def _result(step: Step, text: str | None, *, call: Call | None = None, parts_json: str | None = None) -> Message:
    return Message(
        role="tool",
        content=text,
        parts_json=parts_json,
        tool_call_id=None if call is None else call.call_id,
        tool_name=None if call is None else call.tool_name,
        is_demo=step.is_demo,
        is_copied_context=step.is_copied_context,
    )


def _message_call(call: Call) -> MessageCall:
    return MessageCall(
        name=call.tool_name,
        arguments_json=call.arguments_json,
        arguments_state=call.arguments_state,
        call_id=call.call_id,
    )
