"""From the messages of a trajectory to what a trainer is given: prompt and completion, or the reason against it."""

from collections.abc import Iterable, Sequence, Set
from typing import Final

import orjson

from schemas.reasons import UseReason
from schemas.records import Message
from transforms.targets.contract import Conversation, EncodedMessage, Refusal
from transforms.targets.encoding import encode_message, encode_tools

_HARMLESS_PARTS: Final = frozenset(
    {"text", "input_text", "output_text", "thinking", "redacted_thinking", "reasoning", "tool_use", "tool_result"}
)
"""Parts whose content stands elsewhere in the message: as its text, its reasoning, its calls."""


class _UnusableError(Exception):
    """The conversation cannot be given to a trainer; the message says why."""


def make_conversation(
    messages: Iterable[Message], *, tools_json: str | None, without_context: bool = False
) -> Conversation | Refusal:
    """Return the conversation of a trajectory, or why it gives none.

    The prompt is all before the agent's first own turn, own meaning: after a user message, neither a demonstration nor
    copied from another run. Hence a greeting belongs to the prompt. What follows the last assistant turn that says or
    does anything is cut, as nothing of it would be learned.

    Args:
        messages: The trajectory's messages in order, as `turns.turns_of` gives them.
        tools_json: The tool schemas, a JSON list.
        without_context: Leave demonstrations and copied context out, for trainers that learn every assistant turn.
    """
    seen = [message for message in messages if not (without_context and _is_context(message))]
    if not any(message.role == "user" for message in seen):
        return Refusal(UseReason.UNUSABLE_CONVERSATION, "there is no user message")
    own = _own_turns(seen)
    if not own:
        return Refusal(UseReason.NO_ASSISTANT_TURN, "the agent says and does nothing")
    first, last = own[0], own[-1]
    if seen[first - 1].role == "assistant":
        return Refusal(UseReason.UNUSABLE_CONVERSATION, "the prompt ends with an assistant turn")
    try:
        encoded = _encode(seen[: last + 1])
        return Conversation(encoded[:first], encoded[first:], encode_tools(tools_json))
    except (_UnusableError, ValueError) as error:
        return Refusal(UseReason.UNUSABLE_CONVERSATION, str(error))


def _is_context(message: Message) -> bool:
    return message.is_demo or message.is_copied_context


def _own_turns(messages: Sequence[Message]) -> list[int]:
    """Return the places of the agent's own turns after the first user message: the first, then those with content.

    An empty turn may open a completion, but it may not end one.
    """
    asked = next(index for index, message in enumerate(messages) if message.role == "user")
    own = [
        index
        for index, message in enumerate(messages)
        if index > asked and message.role == "assistant" and not (message.is_demo or message.is_copied_context)
    ]
    filled = [index for index in own if messages[index].content or messages[index].calls]
    return [own[0], *filled] if filled else []


def _encode(messages: Sequence[Message]) -> list[EncodedMessage]:
    encoded = []
    call_ids: set[str] = set()
    for index, message in enumerate(messages):
        _refuse_parts(message, index)
        if message.role == "user" and not (message.content or "").strip():
            raise _UnusableError(f"message {index}: the user says nothing ({message.content_state})")
        if message.role == "tool":
            encoded.append(_encode_result(message, call_ids, index))
        else:
            calls = message.calls if message.role == "assistant" else ()
            encoded.append(encode_message(message.role, message.content, calls=calls))
            call_ids.update(call.call_id for call in calls if call.call_id is not None)
    return encoded


def _encode_result(message: Message, call_ids: Set[str], index: int) -> EncodedMessage:
    """Encode what the environment says: the result of a call, or the user's turn where the protocol is plain text."""
    if message.tool_call_id in call_ids:
        return encode_message("tool", message.content, tool_call_id=message.tool_call_id, name=message.tool_name)
    if message.tool_call_id is None and not call_ids:
        return encode_message("user", message.content)
    raise _UnusableError(f"message {index}: a tool result answers no call before it")


def _refuse_parts(message: Message, index: int) -> None:
    """Refuse parts that are not text: a text model is trained on what is left of the message without a word."""
    if message.parts_json is None:
        return
    parts = orjson.loads(message.parts_json)
    for part in parts if isinstance(parts, list) else [parts]:
        kind = part.get("type", "text" if "text" in part else None) if isinstance(part, dict) else "text"
        if not isinstance(kind, str | None) or kind not in _HARMLESS_PARTS:
            raise _UnusableError(f"message {index} has a part of type {kind!r}, only text can be exported")
