"""Messages with content blocks of the Anthropic API in the form of OpenAI chat: calls, and results of their own."""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final

from transforms.formats.chat_messages import stated_calls
from transforms.formats.fields import as_object, as_text

_CONTENT: Final = itemgetter("content")
_OF_CALL: Final = frozenset({"type", "id", "name", "input"})
_OF_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def unfolded(raw: Iterable[Any]) -> Iterable[Any]:
    """Return chat messages; one with blocks `tool_use` has calls, and each block `tool_result` is a message before it.

    Thoughts become the message's reasoning and stay among its parts, since they may be signed. A call that
    `tool_calls` states too is not told twice. Messages of which none has a list of blocks come back as they are.

    Raises:
        RecordError: `tool_calls` of a message with such blocks is no list, nor JSON text of one.
    """
    if not isinstance(raw, list):
        return _unfolded(raw)
    try:
        kinds = set(map(type, map(_CONTENT, raw)))
    except (KeyError, TypeError):
        return _unfolded(raw)
    return _unfolded(raw) if list in kinds else raw


def _unfolded(raw: Iterable[Any]) -> Iterator[Any]:
    for message in raw:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and any(_kind(part) in _KINDS for part in content):
            yield from _messages(message, content)
        else:
            yield message


_KINDS: Final = frozenset({"tool_use", "tool_result", "thinking"})


def _kind(part: Any) -> str | None:
    return as_text(part.get("type")) if isinstance(part, dict) else None


def _messages(message: dict[str, Any], content: list[Any]) -> Iterator[dict[str, Any]]:
    stated = stated_calls(message)
    known = {as_text(as_object(call).get("id")) for call in stated}
    calls = [part for part in content if _is_new_call(part, known)]
    results = [part for part in content if _kind(part) == "tool_result"]
    rest = [part for part in content if not (part in calls or part in results)]
    whole = {**message, "content": rest or None}
    if calls:
        whole["tool_calls"] = [*stated, *map(_call, calls)]
    thoughts = [part["thinking"] for part in content if _kind(part) == "thinking" and _is_text(part.get("thinking"))]
    if thoughts and not (message.get("reasoning_content") or message.get("reasoning")):
        whole["reasoning"] = "\n".join(thoughts)
    said = {name: value for name, value in message.items() if name not in ("role", "content")}
    for index, part in enumerate(results):
        alone = not (rest or calls) and index == len(results) - 1
        yield {**(said if alone else {}), **_result(part)}
    if rest or calls or not results:
        yield whole


def _is_new_call(part: Any, known: set[str | None]) -> bool:
    if _kind(part) != "tool_use":
        return False
    identifier = as_text(part.get("id"))
    return identifier is None or identifier not in known


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _call(part: dict[str, Any]) -> dict[str, Any]:
    call = {name: value for name, value in part.items() if name not in _OF_CALL}
    call |= {name: part[name] for name in ("id", "name") if name in part}
    return call | ({"arguments": part["input"]} if "input" in part else {})


def _result(part: dict[str, Any]) -> dict[str, Any]:
    result = {name: value for name, value in part.items() if name not in _OF_RESULT}
    result |= {name: part[name] for name in ("content", "is_error") if name in part}
    return result | {"role": "tool", "tool_call_id": part.get("tool_use_id")}
