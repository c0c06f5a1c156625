"""Messages of a tau2-bench simulation: both sides of the dialogue may call tools, and both are read alike."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from schemas.records import Message
from transforms.formats.chat_messages import chat_messages
from transforms.formats.fields import as_number, as_text

_UNREAD: Final = frozenset({"raw_data", "generation_time_seconds", "requestor", "audio_content"})
_VOICE_DEFAULTS: Final = {"is_audio": False, "is_final_chunk": True, "contains_speech": True}
"""What a text message says in the fields that only a voice message needs."""


def tau2_messages(raw: Sequence[Any]) -> tuple[Message, ...]:
    """Return the canonical messages of a simulation.

    The tool messages of a `MultiToolMessage` come one by one; a tool message's `id` is the id of the call it answers.
    Calls of the simulated user keep `requestor` user. The model produced the agent's messages, but for a greeting
    before the user's first word, which the harness writes.

    Raises:
        RecordError: A message is no object, has no known role, or a content of an unknown kind.
    """
    items = list(_single_messages(raw))
    messages = chat_messages([_chat_form(item) for item in items])
    first_user = next((index for index, message in enumerate(messages) if _is_user(message)), len(messages))
    return tuple(
        _with_facts(message, item, is_greeting=index < first_user and not message.calls)
        for index, (message, item) in enumerate(zip(messages, items, strict=True))
    )


def _single_messages(raw: Sequence[Any]) -> Iterator[Any]:
    for item in raw:
        several = item.get("tool_messages") if isinstance(item, dict) else None
        if isinstance(several, list):
            yield from several
        else:
            yield item


def _chat_form(item: Any) -> Any:
    """Return a message as OpenAI chat has it; anything but an object is left for the reader to refuse."""
    if not isinstance(item, dict):
        return item
    chat = {
        name: value
        for name, value in item.items()
        if name not in _UNREAD and value is not None and _VOICE_DEFAULTS.get(name) is not value
    }
    chat.setdefault("content", item.get("content"))
    if item.get("role") == "tool":
        chat["tool_call_id"] = chat.pop("id", None)
    calls = chat.get("tool_calls")
    if item.get("role") == "user" and isinstance(calls, list):
        chat["tool_calls"] = [{"requestor": "user", **call} if isinstance(call, dict) else call for call in calls]
    return chat


def _is_user(message: Message) -> bool:
    return message.role == "user" or message.role_raw == "user"


def _with_facts(message: Message, item: dict[str, Any], *, is_greeting: bool) -> Message:
    if message.role == "tool" and message.role_raw == "user":
        # In a dialogue a user who says "observation:" is still the user.
        message = replace(message, role="user", role_raw=None)
    message = replace(message, latency_s=as_number(item.get("generation_time_seconds")))
    if message.role == "tool":
        return replace(message, requestor="user" if as_text(item.get("requestor")) == "user" else None)
    return replace(message, sampled=message.role == "assistant" and not is_greeting)
