"""OpenHands V0 events as messages: an action is a call, an observation its result, linked by `cause`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from schemas.records import Message, MessageCall
from transforms.formats.arguments import message_call
from transforms.formats.chat_messages import message_content
from transforms.formats.fields import as_count, as_datetime, as_integer, as_list, as_object, as_text
from transforms.formats.losses import untaken
from transforms.formats.openhands_contexts import SUMMARY, Event, Seen, event_call_id
from transforms.formats.rewards import MISSING

BOOKKEEPING: Final = frozenset(
    {
        "null", "change_agent_state", "agent_state_changed", "recall", "pause", "resume", "loop_recovery",
        "condensation_request", "condensation", "user_message_recall",
    }
)  # fmt: skip
"""Actions and observations of the harness itself: no part of the conversation."""
_THOUGHTS: Final = frozenset({"thought", "blocking", "is_input", "hidden", "confirmation_state", "security_risk"})
"""Arguments of an action that were never arguments of the call."""
_THINK: Final = "think"


def flat_events(history: Sequence[Any]) -> list[Any]:
    """Return a history's events; old files hold them as pairs of action and observation."""
    events: list[Any] = []
    for item in history:
        events.extend(item) if isinstance(item, list) else events.append(item)
    return events


def kind_v0(event: Event) -> tuple[str, str]:
    """Return which of the two an event is, `action` or `observation`, and its word."""
    for name in ("observation", "action"):
        if isinstance(event.get(name), str):
            return name, event[name]
    return "event", "unknown"


def speaks_v0(event: Event) -> bool:
    """Say whether an event gives a message."""
    side, word = kind_v0(event)
    return event.get("kind") == SUMMARY or (side != "event" and word not in BOOKKEEPING)


def v0_losses(events: Iterable[Event]) -> set[str]:
    """Return the names of what no message carries: the harness's own events and the details of results."""
    losses: set[str] = set()
    for event in events:
        side, word = kind_v0(event)
        if not speaks_v0(event):
            losses.add(f"history[{side}={word}]")
            continue
        args = as_object(event.get("args"))
        if side == "observation" and _untaken_extras(event):
            losses.add("history[].extras")
        if event.get("message") and event["message"] not in (
            event.get("content"),
            args.get("content"),
            args.get("command"),
        ):
            losses.add("history[].message")
    return losses


def _untaken_extras(event: Event) -> bool:
    """Say whether the details of a result hold more than its exit code."""
    extras = as_object(event.get("extras"))
    return bool(
        untaken(extras, {"exit_code", "metadata"}) or untaken(as_object(extras.get("metadata")), {"exit_code"})
    )


def v0_tools(events: Iterable[Event]) -> Any:
    """Return the tools the first system prompt names."""
    return next((as_object(e.get("args")).get("tools") for e in events if e.get("action") == "system"), None)


def v0_messages(seen: Iterable[Seen]) -> tuple[Message, ...]:
    """Return the messages of a context; actions of one response are the calls of one message.

    Raises:
        RecordError: An event that speaks is unusable.
    """
    reading = _Reading()
    for item in seen:
        if speaks_v0(item.event):
            reading.add(item)
    return tuple(reading.messages)


class _Reading:
    """The messages of one context, and the responses and actions they came from."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._responses: dict[str, tuple[int, bool]] = {}
        self._call_ids: dict[str, str | None] = {}

    def add(self, item: Seen) -> None:
        event = item.event
        side, word = kind_v0(event)
        if event.get("kind") == SUMMARY:
            message: Message | None = Message("user", event["summary"], role_raw="condensation")
        elif side == "observation":
            message = self._observation(event)
        elif word in {"message", "system"} and not _calls_written(event):
            message = _spoken(event, word)
        else:
            message = self._action(item, word)
        if message is None:
            return
        if message.role == "assistant":
            message = replace(message, sampled=not item.is_copied)
        self.messages.append(
            replace(message, timestamp=as_datetime(event.get("timestamp")), is_copied_context=item.is_copied)
        )

    def _action(self, item: Seen, word: str) -> Message | None:
        """Return the message of an action; None when it joins the message of the same response."""
        event = item.event
        args, response = as_object(event.get("args")), _response(event)
        call = _call(event, word, args)
        self._call_ids[str(event.get("id"))] = call.call_id
        response_id = as_text(response.get("id"))
        key = None if response_id is None else self._responses.get(response_id)
        if key is not None and key[1] == item.is_copied:
            first = self.messages[key[0]]
            self.messages[key[0]] = replace(first, calls=(*first.calls, call))
            return None
        if response_id is not None:
            self._responses[response_id] = (len(self.messages), item.is_copied)
        said = _model_message(event)
        thought = MISSING if word == _THINK else args.get("thought", MISSING)
        content = message_content(said.get("content", thought))
        usage = as_object(response.get("usage"))
        reasoning = said.get("reasoning_content")
        return Message(
            "assistant",
            content.text,
            content.state,
            parts_json=content.parts_json,
            reasoning=reasoning if isinstance(reasoning, str) and reasoning else None,
            calls=(call,),
            prompt_tokens=as_count(usage.get("prompt_tokens")),
            completion_tokens=as_count(usage.get("completion_tokens")),
        )

    def _observation(self, event: Event) -> Message:
        extras = as_object(event.get("extras"))
        content = message_content(event.get("content", MISSING))
        code = as_integer(as_object(extras.get("metadata")).get("exit_code", extras.get("exit_code")), bits=32)
        # -1 says that the command has not ended.
        code = None if code == -1 else code
        is_error = event.get("observation") == "error" or (None if code is None else code != 0)
        named = as_object(event.get("tool_call_metadata"))
        cause = event.get("cause")
        linked = self._call_ids.get(str(cause)) if cause is not None else None
        return Message(
            "tool",
            content.text,
            content.state,
            parts_json=content.parts_json,
            role_raw=None if linked is not None else as_text(event.get("observation")),
            tool_call_id=linked or as_text(named.get("tool_call_id")) or event_call_id(cause),
            tool_name=as_text(named.get("function_name")),
            is_error=is_error,
            exit_code=code,
        )


def _spoken(event: Event, word: str) -> Message:
    content = message_content(as_object(event.get("args")).get("content", MISSING))
    role = "system" if word == "system" else "assistant" if event.get("source") == "agent" else "user"
    return Message(role, content.text, content.state, parts_json=content.parts_json)


def _response(event: Event) -> dict[str, Any]:
    return as_object(as_object(event.get("tool_call_metadata")).get("model_response"))


def _model_message(event: Event) -> dict[str, Any]:
    choices = as_list(_response(event).get("choices"))
    return as_object(as_object(choices[0]).get("message")) if choices else {}


def _calls_written(event: Event) -> bool:
    return bool(as_object(event.get("tool_call_metadata")).get("tool_call_id"))


def _call(event: Event, word: str, args: dict[str, Any]) -> MessageCall:
    """Return the call of an action: as the model wrote it where the response is kept, else the action's arguments.

    An action without a native call is named after its own id, which its observation names as the cause.
    """
    named = as_object(event.get("tool_call_metadata"))
    call_id = as_text(named.get("tool_call_id"))
    for written in as_list(_model_message(event).get("tool_calls")):
        function = as_object(as_object(written).get("function"))
        if call_id is not None and as_text(as_object(written).get("id")) == call_id and as_text(function.get("name")):
            return message_call(str(function["name"]), function.get("arguments", MISSING), call_id=call_id)
    arguments = {name: value for name, value in args.items() if name not in _THOUGHTS or word == _THINK}
    own_id = call_id or event_call_id(event.get("id"))
    return message_call(as_text(named.get("function_name")) or word, arguments, call_id=own_id)
