"""The messages that a span of a model call carries, in each of the ways instrumentations write them.

In this order: `gen_ai.input.messages` and `gen_ai.output.messages` (attributes, or those of an event); span events
`gen_ai.user.message` and their like; `gen_ai.prompt` and `gen_ai.completion`, whole or numbered; the numbered
`llm.input_messages` of OpenInference. Structured values may be JSON text.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schemas.records import Message
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import chat_messages
from transforms.formats.fields import as_items, as_object, as_text
from transforms.formats.otlp_spans import Span
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

_INPUT, _OUTPUT, _SYSTEM = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_EVENT_ROLES: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE: Final = "gen_ai.choice"
_RESULT_FIELDS: Final = frozenset({"type", "id", "response", "result", "name"})


class Exchange(NamedTuple):
    """What went into a model call and what came out: one answer, or several to choose from."""

    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()


def exchange_of(span: Span) -> Exchange:
    """Return the messages of a span; none where their content was not captured.

    Raises:
        RecordError: A message is of an unknown kind.
    """
    for written in (_current, _events, _prompts, _numbered):
        inputs, outputs = written(span)
        if inputs or outputs:
            return Exchange(_canonical(inputs), _canonical(outputs))
    return Exchange()


def structured(value: Any) -> Any:
    """Return a value that may be JSON text; text that is none stays text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return parse_json(value.encode("utf-8", "replace")).value
    except RecordError:
        return value


def _canonical(raw: list[dict[str, Any]]) -> tuple[Message, ...]:
    return chat_messages(raw)


def _current(span: Span) -> tuple[list[Any], list[Any]]:
    sources = [span.attributes, *(event.attributes for event in span.events if event.name == _DETAILS)]
    for source in sources:
        inputs, outputs = (_messages_in(source, name) for name in (_INPUT, _OUTPUT))
        if inputs or outputs:
            system = structured(source.get(_SYSTEM))
            parts = system if isinstance(system, list) else [{"type": "text", "content": system}] if system else []
            head = [{"role": "system", "parts": parts}] if parts else []
            return _all_from_parts([*head, *inputs]), _all_from_parts(outputs)
    return [], []


def _messages_in(source: dict[str, Any], name: str) -> list[Any]:
    value = structured(source.get(name))
    return [] if isinstance(value, str) else as_items(value)


def has_unreadable_messages(span: Span) -> bool:
    """Say whether an attribute of messages holds text that is no JSON."""
    sources = [span.attributes, *(event.attributes for event in span.events if event.name == _DETAILS)]
    values = (structured(source.get(name)) for source in sources for name in (_INPUT, _OUTPUT))
    return any(isinstance(value, str) and value.strip() for value in values)


def _all_from_parts(messages: list[Any]) -> list[Any]:
    found: list[Any] = []
    for message in messages:
        found.extend(_from_parts(message) if isinstance(message, dict) else [message])
    return found


def _from_parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the chat messages of a message of parts: results of tools are messages of their own, before its text."""
    if "parts" not in message:
        yield _from_chat(message)
        return
    parts = _sorted_parts(as_items(structured(message["parts"])))
    yield from parts.results
    if parts.texts or parts.calls or parts.thoughts or not parts.results:
        rest = {name: value for name, value in message.items() if name not in ("parts", "finish_reason")}
        chat: dict[str, Any] = {**rest, "role": message.get("role"), "content": _content(parts.texts)}
        if parts.calls:
            chat["tool_calls"] = parts.calls
        if parts.thoughts:
            chat["reasoning"] = "\n".join(parts.thoughts)
        yield chat


class _Parts(NamedTuple):
    """The parts of a message by what they are; `texts` holds whatever is content."""

    texts: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    results: list[dict[str, Any]]
    thoughts: list[str]


def _sorted_parts(raw: list[Any]) -> _Parts:
    parts = _Parts([], [], [], [])
    for part in raw:
        kind = as_text(part.get("type")) if isinstance(part, dict) else None
        if kind == "tool_call":
            parts.calls.append({name: value for name, value in part.items() if name != "type"})
        elif kind == "tool_call_response":
            parts.results.append(_result(part))
        elif kind in {"reasoning", "thinking"} and isinstance(part.get("content"), str):
            parts.thoughts.append(part["content"])
        elif kind == "text":
            rest = {name: value for name, value in part.items() if name != "content"}
            parts.texts.append({**rest, "text": part.get("content")})
        else:
            parts.texts.append(part if isinstance(part, dict) else {"type": "text", "text": part})
    return parts


def _content(parts: list[dict[str, Any]]) -> Any:
    if not parts:
        return None
    only = parts[0]
    is_plain = len(parts) == 1 and only.keys() == {"type", "text"} and isinstance(only["text"], str)
    return only["text"] if is_plain else parts


def _result(part: dict[str, Any]) -> dict[str, Any]:
    response = part.get("response", part.get("result"))
    content = response if isinstance(response, str) or response is None else canonical_text(response)
    rest = {name: value for name, value in part.items() if name not in _RESULT_FIELDS}
    return {**rest, "role": "tool", "tool_call_id": part.get("id"), "content": content, "name": part.get("name")}


def _events(span: Span) -> tuple[list[Any], list[Any]]:
    inputs, outputs = [], []
    for event in span.events:
        if event.name in _EVENT_ROLES:
            body = _body(event.attributes)
            inputs.append(_from_chat({"role": _EVENT_ROLES[event.name], **body}))
        elif event.name == _CHOICE:
            body = _body(event.attributes)
            inner = structured(body.get("message", body))
            message = inner if isinstance(inner, dict) else {"content": inner}
            outputs.append(_from_chat({"role": "assistant", **message}))
    return inputs, outputs


def _body(attributes: dict[str, Any]) -> dict[str, Any]:
    whole = structured(attributes.get("gen_ai.event.content", attributes.get("event.body")))
    names = ("role", "content", "tool_calls", "id", "message", "name")
    return as_object(whole) or {name: attributes[name] for name in names if attributes.get(name) is not None}


def _prompts(span: Span) -> tuple[list[Any], list[Any]]:
    found = []
    for name, event_name, role in (
        ("gen_ai.prompt", "gen_ai.content.prompt", "user"),
        ("gen_ai.completion", "gen_ai.content.completion", "assistant"),
    ):
        sources = [span.attributes, *(event.attributes for event in span.events if event.name == event_name)]
        value = next((structured(source[name]) for source in sources if source.get(name) is not None), None)
        if isinstance(value, dict):
            value = value.get("messages", [value])
        items = value if isinstance(value, list) else [] if value is None else [{"content": value}]
        found.append([_from_chat({"role": role, **as_object(item)}) for item in items])
    return found[0], found[1]


def _numbered(span: Span) -> tuple[list[Any], list[Any]]:
    for first, second in (("gen_ai.prompt.", "gen_ai.completion."), ("llm.input_messages.", "llm.output_messages.")):
        inputs, outputs = (_rows(_nested(span.attributes, prefix)) for prefix in (first, second))
        if inputs or outputs:
            answers = [{"role": "assistant", **_flat(row)} for row in outputs]
            return [_from_chat(_flat(row)) for row in inputs], [_from_chat(answer) for answer in answers]
    return [], []


def _nested(attributes: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the attributes behind a prefix as objects inside objects, one level a dot."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(prefix):
            *path, last = name[len(prefix) :].split(".")
            place = root
            for step in path:
                inner = place.setdefault(step, {})
                place = inner if isinstance(inner, dict) else place
            place[last] = value
    return root


def _rows(numbered: Any) -> list[dict[str, Any]]:
    """Return the objects under numbers, in the order of the numbers."""
    found = as_object(numbered)
    numbers = sorted((name for name in found if name.isascii() and name.isdecimal() and len(name) < 10), key=int)
    return [as_object(found[name]) for name in numbers]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a numbered message as chat has it; OpenInference wraps it, its parts and its calls once more."""
    message = dict(as_object(row.get("message")) or row)
    message.pop("finish_reason", None)
    calls = [as_object(call.get("tool_call")) or call for call in _rows(message.pop("tool_calls", None))]
    parts = [as_object(part.get("message_content")) or part for part in _rows(message.pop("contents", None))]
    if calls:
        message["tool_calls"] = calls
    if parts and "content" not in message:
        message["content"] = _content(parts)
    return message


def _from_chat(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message of OpenAI's shape; the id of a tool message may stand under `id`, structured values as text."""
    chat = {name: value for name, value in message.items() if name != "finish_reason"}
    if isinstance(chat.get("tool_calls"), str):
        chat["tool_calls"] = structured(chat["tool_calls"])
    if chat.get("role") == "tool" and "tool_call_id" not in chat and "id" in chat:
        chat["tool_call_id"] = chat.pop("id")
    content = chat.setdefault("content", None)
    if content is not None and not isinstance(content, str | list):
        chat["content"] = canonical_text(content)
    return chat
