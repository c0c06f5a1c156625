"""Items of the OpenAI Responses API as messages: what a model says in one turn becomes one message with its calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import Content, message_content
from transforms.formats.fields import as_text
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError, unknown_value

UNKNOWN_ITEM: Final = "unknown_item"
"""Warning, with the item's type behind a colon: an item of this type is left out."""
_ROLES: Final = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_TEXT_PARTS: Final = ("input_text", "output_text", "text")
_BULKY: Final = (
    "id", "encrypted_content", "prompt_token_ids", "generation_token_ids", "generation_log_probs", "routed_experts",
)  # fmt: skip
"""Fields of items that no column takes: item ids, ciphertext, tokens."""
_TAKEN: Final = frozenset({"type", "role", "content", "summary", "call_id", "name", "arguments", "input", *_BULKY})
_RESULTS: Final = ("output", "outputs", "results", "result", "error")
"""Where a call that the provider itself ran carries what came of it."""


class Conversation(NamedTuple):
    """Messages, the names of what was left out, and warnings."""

    messages: tuple[Message, ...]
    lost: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Usage(NamedTuple):
    """The token columns of a message."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass
class _Turn:
    """What the model said since its last result or message from outside."""

    reasoning: list[str] = field(default_factory=list)
    content: Content | None = None
    calls: list[MessageCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    details: list[dict[str, Any]] = field(default_factory=list)
    timestamp: datetime | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def is_empty(self) -> bool:
        return not (self.reasoning or self.content or self.calls or self.details)

    @property
    def has_spoken(self) -> bool:
        return self.content is not None or bool(self.calls)


def item_messages(items: Iterable[Any], *, sampled: bool) -> Conversation:
    """Return the messages of a list of items.

    Reasoning, one text and the calls behind it are one assistant message; a further text, or reasoning behind a text
    or a call, begins the next. Items of unknown types are left out and named in the warnings.

    Args:
        items: The items as parsed.
        sampled: Whether the model produced its part in this rollout; else it is context that was given to it.

    Raises:
        RecordError: An item is no object, has an unknown role or a content of an unknown kind.
    """
    reader = ItemReader(sampled)
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            kind = type(item).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"item {index} is no object but {kind}")
        try:
            reader.read(item)
        except RecordError as error:
            raise RecordError(error.reason, f"item {index}: {error}") from error
    reader.end_turn()
    return Conversation(tuple(reader.messages), tuple(sorted(reader.lost)), tuple(reader.warnings))


class ItemReader:
    """Turns items into messages, one after the other; `end_turn` gives the last one.

    `sampled` says whether the model produced its part in this rollout, as for `item_messages`.
    """

    def __init__(self, sampled: bool) -> None:
        self._sampled = sampled
        self._turn = _Turn()
        self._timestamp: datetime | None = None
        self.messages: list[Message] = []
        self.lost: set[str] = set()
        self.warnings: list[str] = []

    def read(self, item: dict[str, Any], *, timestamp: datetime | None = None) -> None:
        """Read the next item, and when it came.

        Raises:
            RecordError: It has an unknown role or a content of an unknown kind.
        """
        self._timestamp = timestamp
        kind = item.get("type", "message" if "role" in item else None)
        self.lost.update(f"items[].{name}" for name in _BULKY if item.get(name) not in (None, []))
        if kind == "message":
            self._message(item)
        elif kind == "reasoning":
            self._reasoning(item)
        elif isinstance(kind, str) and kind.endswith("_call"):
            self._call(item, kind)
        elif isinstance(kind, str) and kind.endswith("_call_output"):
            self._output(item, kind)
        else:
            self.warnings.append(f"{UNKNOWN_ITEM}:{kind}")

    def _message(self, item: dict[str, Any]) -> None:
        role_raw = item.get("role")
        role = _ROLES.get(role_raw) if isinstance(role_raw, str) else None
        if role is None:
            raise unknown_value("role", role_raw)
        content = _content(item.get("content", MISSING))
        rest = _details(item)
        if role == "assistant":
            if self._turn.has_spoken:
                self.end_turn()
            self._turn.content = content
            self._begin("message", rest)
            return
        self.end_turn()
        self.messages.append(
            Message(
                role,
                content.text,
                content.state,
                role_raw=role_raw if role_raw != role else None,
                parts_json=content.parts_json,
                timestamp=self._timestamp,
                extra_json=canonical_text(rest) if rest else None,
            )
        )

    def _reasoning(self, item: dict[str, Any]) -> None:
        if self._turn.has_spoken:
            self.end_turn()
        parts = [*_parts(item.get("summary")), *_parts(item.get("content"))]
        self._turn.reasoning.extend(text for part in parts if isinstance(text := part.get("text"), str))
        self._begin("reasoning", _details(item))

    def _call(self, item: dict[str, Any], kind: str) -> None:
        """Add a call; one that the provider ran itself carries its arguments and its result as fields of its own."""
        rest = _details(item)
        call_id = as_text(item.get("call_id", item.get("id")))
        name = as_text(item.get("name"))
        if kind == "function_call" and name is None:
            raise RecordError(QuarantineReason.INVALID_MESSAGE, "a function call has no name")
        name = name or kind.removesuffix("_call")
        result = next((rest.pop(key) for key in _RESULTS if kind != "function_call" and key in rest), MISSING)
        if kind == "function_call" or "arguments" in item:
            arguments = item.get("arguments", MISSING)
        elif "input" in item:
            arguments = {"input": item["input"]}
        else:
            arguments, rest = rest, {}
        self._turn.calls.append(message_call(name, arguments, call_id=call_id))
        self._begin(kind, rest if kind == "function_call" else {**rest, "index": len(self._turn.calls) - 1})
        if result is not MISSING and result is not None:
            text = result if isinstance(result, str) else canonical_text(result)
            self._turn.results.append(Message("tool", text, tool_call_id=call_id, tool_name=name, role_raw=kind))

    def _output(self, item: dict[str, Any], kind: str) -> None:
        self.end_turn()
        rest = _details(item)
        content = message_content(rest.pop("output", MISSING))
        if kind != "function_call_output":
            rest["type"] = kind
        self.messages.append(
            Message(
                "tool",
                content.text,
                content.state,
                parts_json=content.parts_json,
                tool_call_id=as_text(item.get("call_id")),
                timestamp=self._timestamp,
                is_copied_context=not self._sampled,
                extra_json=canonical_text(rest) if rest else None,
            )
        )

    def _begin(self, kind: str, rest: dict[str, Any]) -> None:
        """Note the details of an item of the model's turn, and when its first one came."""
        self._turn.timestamp = self._turn.timestamp or self._timestamp
        if rest:
            self._turn.details.append({**rest, "type": kind})

    def spend(self, usage: Usage) -> bool:
        """Note what the last response cost, the turn that is open or else the last one that ended; say if any."""
        if not self._turn.is_empty:
            self._turn.usage = _added(self._turn.usage, usage)
            return True
        for place in range(len(self.messages) - 1, -1, -1):
            message = self.messages[place]
            if message.role == "assistant":
                before = Usage(message.prompt_tokens, message.completion_tokens, message.cached_tokens)
                self.messages[place] = replace(message, **_added(before, usage)._asdict())
                return True
        return False

    def end_turn(self) -> None:
        """Close the model's turn."""
        turn, self._turn = self._turn, _Turn()
        if turn.is_empty:
            return
        content = turn.content or Content(None, "missing")
        self.messages.append(
            Message(
                "assistant",
                content.text,
                content.state,
                parts_json=content.parts_json,
                reasoning="\n".join(turn.reasoning) if turn.reasoning else None,
                calls=tuple(turn.calls),
                timestamp=turn.timestamp,
                prompt_tokens=turn.usage.prompt_tokens,
                completion_tokens=turn.usage.completion_tokens,
                cached_tokens=turn.usage.cached_tokens,
                is_copied_context=not self._sampled,
                sampled=self._sampled,
                extra_json=canonical_text({"items": turn.details}) if turn.details else None,
            )
        )
        self.messages.extend(turn.results)


def _added(before: Usage, usage: Usage) -> Usage:
    sums = (old if new is None else (old or 0) + new for old, new in zip(before, usage, strict=True))
    return Usage(*sums)


def _details(item: dict[str, Any]) -> dict[str, Any]:
    """Return what an item says beside its main fields; a status says something only when it is not `completed`."""
    return {
        name: value
        for name, value in item.items()
        if name not in _TAKEN and value is not None and not (name == "status" and value == "completed")
    }


def _content(raw: Any) -> Content:
    """Return a content; a single text part without annotations says no more than its text."""
    if isinstance(raw, list) and len(raw) == 1 and isinstance(raw[0], dict):
        said = {name: value for name, value in raw[0].items() if value}
        if said.keys() <= {"type", "text"} and said.get("type") in _TEXT_PARTS and isinstance(raw[0].get("text"), str):
            return Content(raw[0]["text"], "text")
    return message_content(raw)


def _parts(raw: Any) -> list[dict[str, Any]]:
    return [part for part in raw if isinstance(part, dict)] if isinstance(raw, list) else []
