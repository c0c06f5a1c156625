"""Messages of an Inspect sample: reasoning lies in content parts, long texts lie in attachments."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import Message
from transforms.formats.chat_messages import chat_messages
from transforms.formats.fields import as_list, as_object, as_text
from transforms.reading.failures import RecordError

MISSING_ATTACHMENT: Final = "attachment_missing"
_REFERENCE: Final = re.compile(r"attachment://(.{1,256})")
_HASH: Final = re.compile(r"[0-9A-Za-z]{8,128}")
"""How Inspect names an attachment; any other name is one only where there is such an attachment."""
_GIVEN: Final = "input"
_SAMPLED: Final = {"generate": True, _GIVEN: False}


class Attachments:
    """The texts that stand in for references; `warnings` names what could not be resolved.

    Args:
        texts: Text by hash.
        max_chars: Characters that all references together may stand for: a few bytes may name a long text often.
    """

    def __init__(self, texts: dict[str, Any], *, max_chars: int) -> None:
        self._texts = texts
        self._chars_left = max_chars
        self.warnings: tuple[str, ...] = ()

    def resolve(self, value: Any) -> Any:
        """Return a JSON value with its references replaced.

        Raises:
            RecordError: The references stand for more than is allowed.
        """
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {name: self.resolve(item) for name, item in value.items()}
        return value

    def _text(self, value: str) -> str:
        reference = _REFERENCE.fullmatch(value)
        if reference is None:
            return value
        text = self._texts.get(reference[1])
        if not isinstance(text, str):
            if _HASH.fullmatch(reference[1]) or reference[1] in self._texts:
                self.warnings = (MISSING_ATTACHMENT,)
            return value
        self._chars_left -= len(text)
        if self._chars_left < 0:
            raise RecordError(QuarantineReason.TOO_LARGE, "the attachments unfold too far")
        return text


def inspect_messages(raw: Sequence[Any], attachments: Attachments) -> tuple[Message, ...]:
    """Return the canonical messages of a sample, attachments resolved.

    What an agent says in the sample's input was not produced by the run; a tool message without an error is none.

    Raises:
        RecordError: A message is no object, has no known role, or a content of an unknown kind, or the attachments
            unfold too far.
    """
    items = [attachments.resolve(item) for item in raw]
    messages = chat_messages([_chat_form(item) for item in items])
    return tuple(
        _with_mask(_with_parse_errors(message, item), as_text(item.get("source")))
        for message, item in zip(messages, items, strict=True)
    )


def _chat_form(item: Any) -> Any:
    """Return a message as OpenAI chat has it; anything but an object is left for the reader to refuse."""
    if not isinstance(item, dict):
        return item
    chat = {name: value for name, value in item.items() if name not in {"error", "function"}}
    if item.get("role") == "tool":
        chat["name"] = item.get("function")
        chat["is_error"] = item.get("error") is not None
        chat["tool_error"] = item.get("error")
    if thoughts := _thoughts(item.get("content")):
        chat["reasoning"] = thoughts
    return chat


def _thoughts(content: Any) -> str:
    parts = [part for part in as_list(content) if as_object(part).get("type") == "reasoning"]
    texts = [part.get("reasoning") or part.get("summary") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _with_parse_errors(message: Message, item: dict[str, Any]) -> Message:
    """Return the message, its calls marked whose arguments Inspect could not read: it wrote an object instead."""
    raw = as_list(item.get("tool_calls"))
    if not any(as_object(call).get("parse_error") for call in raw):
        return message
    return replace(
        message,
        calls=tuple(
            replace(call, arguments_state="unparsed") if as_object(native).get("parse_error") else call
            for call, native in zip(message.calls, raw, strict=True)
        ),
    )


def _with_mask(message: Message, source: str | None) -> Message:
    if message.role == "tool":
        return message
    if message.role != "assistant":
        return replace(message, sampled=False)
    return replace(message, sampled=_SAMPLED.get(source or ""), is_copied_context=source == _GIVEN)
