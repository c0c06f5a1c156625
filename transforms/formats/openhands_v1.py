"""OpenHands V1 events (each has a `kind`) as messages."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import chat_message
from transforms.formats.fields import as_datetime, as_integer, as_list, as_object, as_text
from transforms.formats.losses import untaken
from transforms.formats.openhands_contexts import SUMMARY, Event, Seen, event_call_id
from transforms.formats.rewards import MISSING
from transforms.formats.text_parts import text_or_parts
from transforms.reading.failures import RecordError

_RESULTS: Final = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})
_SPEAKING: Final = _RESULTS | {"SystemPromptEvent", "MessageEvent", "ActionEvent", SUMMARY}
_COMMON: Final = frozenset({"kind", "id", "timestamp", "source", "parent_id", "llm_response_id"})
_ACTION: Final = _COMMON | {
    "thought", "reasoning_content", "thinking_blocks", "action", "tool_name", "tool_call_id", "tool_call",
}  # fmt: skip
_MESSAGE: Final = _COMMON | {"llm_message"}
_LLM_MESSAGE: Final = frozenset(
    {
        "role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content", "thinking_blocks",
        "cache_enabled", "vision_enabled", "function_calling_enabled", "force_string_serializer",
        "send_reasoning_content",
    }
)  # fmt: skip
_RESULT: Final = _COMMON | {"observation", "action_id", "tool_call_id", "tool_name", "error", "rejection_reason"}
_OBSERVATION: Final = frozenset({"kind", "content", "output", "is_error", "exit_code"})


def speaks_v1(event: Event) -> bool:
    """Say whether an event gives a message."""
    return isinstance(event.get("kind"), str) and event["kind"] in _SPEAKING


def v1_losses(events: Iterable[Event]) -> set[str]:
    """Return the names of the events, and of fields of results, that no message carries."""
    losses: set[str] = set()
    for event in events:
        if not speaks_v1(event):
            losses.add(f"events[{event.get('kind')}]")
        elif event["kind"] == "ObservationEvent":
            losses |= {f"observation.{name}" for name in _untaken_of(_observation(event))}
    return losses


def _observation(event: Event) -> dict[str, Any]:
    """Return what a tool gave back; a mere text or list is its content."""
    stated = event.get("observation")
    return stated if isinstance(stated, dict) else {} if stated is None else {"content": stated}


def _untaken_of(observation: dict[str, Any]) -> set[str]:
    names = untaken(observation, _OBSERVATION)
    if "content" in observation and observation.get("output", observation["content"]) != observation["content"]:
        names |= untaken({"output": observation["output"]}, ())
    if not isinstance(observation.get("is_error"), bool | None):
        names.add("is_error")
    if observation.get("exit_code") is not None and as_integer(observation["exit_code"], bits=32) is None:
        names.add("exit_code")
    return names


def v1_tools(events: Iterable[Event]) -> Any:
    """Return the tools the first system prompt names."""
    return next((event.get("tools") for event in events if event.get("kind") == "SystemPromptEvent"), None)


def v1_messages(seen: Iterable[Seen]) -> tuple[Message, ...]:
    """Return the messages of a context.

    Actions of one response are the calls of one message. A result is linked by its call's id, else by its action's.

    Raises:
        RecordError: An event that speaks is unusable.
    """
    reading = _Reading()
    for item in seen:
        if speaks_v1(item.event):
            try:
                reading.add(item)
            except RecordError as error:
                raise RecordError(error.reason, f"event {item.event.get('id')}: {error}") from error
    return tuple(reading.messages)


class _Response(NamedTuple):
    """Where the message of a response stands, and whether it was copied."""

    place: int
    is_copied: bool


class _Reading:
    """The messages of one context, and the responses and actions they came from."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._responses: dict[str, _Response] = {}
        self._call_ids: dict[str, str | None] = {}

    def add(self, item: Seen) -> None:
        event, kind = item.event, item.event["kind"]
        if kind == "ActionEvent":
            self._add_action(item)
            return
        if kind in _RESULTS:
            message = self._result(event)
        elif kind == SUMMARY:
            message = Message("user", event["summary"], role_raw="condensation")
        else:
            message = _system(event) if kind == "SystemPromptEvent" else _said(event)
        if message.role == "assistant":
            message = replace(message, sampled=not item.is_copied)
        self.messages.append(
            replace(message, timestamp=as_datetime(event.get("timestamp")), is_copied_context=item.is_copied)
        )

    def _add_action(self, item: Seen) -> None:
        event = item.event
        call = _call(event)
        self._call_ids[str(event.get("id"))] = call.call_id
        response = as_text(event.get("llm_response_id"))
        content = text_or_parts(event.get("thought", MISSING))
        before = self._responses.get(response) if response is not None else None
        if before is not None and before.is_copied == item.is_copied and not content.text:
            first = self.messages[before.place]
            extra = _joined_extra(first.extra_json, event, number=len(first.calls))
            self.messages[before.place] = replace(first, calls=(*first.calls, call), extra_json=extra)
            return
        if response is not None:
            self._responses[response] = _Response(len(self.messages), item.is_copied)
        self.messages.append(
            Message(
                "assistant",
                content.text,
                content.state,
                parts_json=content.parts_json,
                reasoning=_reasoning(event),
                calls=(call,),
                timestamp=as_datetime(event.get("timestamp")),
                is_copied_context=item.is_copied,
                sampled=not item.is_copied,
                extra_json=_joined_extra(None, event, number=0),
            )
        )

    def _result(self, event: Event) -> Message:
        observation = _observation(event)
        kind = event["kind"]
        is_error = observation.get("is_error") if isinstance(observation.get("is_error"), bool) else None
        if kind == "ObservationEvent":
            content = text_or_parts(observation.get("content", observation.get("output", MISSING)))
        else:
            words = event.get("error" if kind == "AgentErrorEvent" else "rejection_reason", MISSING)
            content, is_error = text_or_parts(words), True if kind == "AgentErrorEvent" else None
        extra = {name: event[name] for name in untaken(event, _RESULT)}
        if kind == "UserRejectObservation":
            extra["rejected_by"] = "user"
        linked = self._call_ids.get(str(event.get("action_id")))
        return Message(
            "tool",
            content.text,
            content.state,
            parts_json=content.parts_json,
            tool_call_id=as_text(event.get("tool_call_id")) or linked or event_call_id(event.get("action_id")),
            tool_name=as_text(event.get("tool_name")),
            is_error=is_error,
            exit_code=as_integer(observation.get("exit_code"), bits=32),
            extra_json=canonical_text(extra) if extra else None,
        )


def _joined_extra(before: str | None, event: Event, *, number: int) -> str | None:
    """Return a message's extra JSON with what its call number `number` says beside name and arguments."""
    said = {name: event[name] for name in untaken(event, _ACTION)}
    if event.get("action") is None:
        said["action"] = None
    extra = orjson.loads(before) if before else {}
    if said:
        extra[f"call_{number}"] = said
    return canonical_text(extra) if extra else None


def _call(event: Event) -> MessageCall:
    """Return the call of an action as the model wrote it; an action of null is a call that could not be read."""
    written = as_object(event.get("tool_call"))
    function = as_object(written.get("function")) or written
    name = as_text(event.get("tool_name")) or as_text(function.get("name"))
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "an action names no tool")
    arguments = function.get("arguments", MISSING)
    action = event.get("action")
    if arguments is MISSING and isinstance(action, dict):
        arguments = {key: value for key, value in action.items() if key != "kind"}
    call_id = as_text(event.get("tool_call_id")) or as_text(written.get("id")) or event_call_id(event.get("id"))
    return message_call(name, arguments, call_id=call_id)


def _reasoning(event: Event) -> str | None:
    words = event.get("reasoning_content")
    if isinstance(words, str) and words:
        return words
    blocks = [as_object(block).get("thinking") for block in as_list(event.get("thinking_blocks"))]
    return "\n".join(block for block in blocks if isinstance(block, str)) or None


def _system(event: Event) -> Message:
    prompt, context = event.get("system_prompt"), event.get("dynamic_context")
    content = text_or_parts(prompt if context is None else [prompt, context])
    return Message("system", content.text, content.state, parts_json=content.parts_json)


def _said(event: Event) -> Message:
    native = event.get("llm_message")
    if not isinstance(native, dict):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "a message event holds no message")
    message = chat_message({name: native[name] for name in ("role", "tool_calls", "tool_call_id") if name in native})
    content = text_or_parts(native.get("content", MISSING))
    extra = {name: native[name] for name in untaken(native, _LLM_MESSAGE)}
    extra |= {name: event[name] for name in untaken(event, _MESSAGE)}
    extra |= orjson.loads(message.extra_json or "{}")
    return replace(
        message,
        content=content.text,
        content_state=content.state,
        parts_json=content.parts_json,
        reasoning=_reasoning(native),
        actor=as_text(event.get("sender")),
        extra_json=canonical_text(extra) if extra else None,
    )
