"""OpenAI chat messages in the canonical form: roles, contents that are null or lists of parts, calls and results."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_details import CALL_DETAILS, body_field, call_details, message_details
from transforms.formats.fields import as_text, first_present
from transforms.formats.plain_messages import plain_message
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError, unknown_value
from transforms.reading.strict_json import Parsed, parse_json

_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "environment": "tool",
}
_PLAIN: Final = frozenset({"role", "content", "tool_calls", "tool_call_id"})
_PLAIN_RESULT: Final = _PLAIN | {"name"}
_PLAIN_IDS: Final = frozenset({str, type(None)})
OBSERVATION_PREFIX: Final = "observation:"
"""How text-mode agents mark a tool's output that is sent as a user message (in either case)."""


class Content(NamedTuple):
    """A message's content: its text, how it was written, and the parts when they say more than their text."""

    text: str | None
    state: str
    parts_json: str | None = None


def chat_messages(raw: Iterable[Any]) -> tuple[Message, ...]:
    """Return the canonical messages of an OpenAI chat conversation.

    Raises:
        RecordError: A message is no object, has no known role, or a content of an unknown kind.
    """
    messages: list[Message] = []
    role_before = None
    for index, item in enumerate(raw):
        if not isinstance(item, dict):
            kind = type(item).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"message {index} is no object but {kind}")
        is_after_agent = role_before == "assistant"
        message = plain_message(item, is_after_agent=is_after_agent)
        if message is None:
            try:
                message = any_message(item, is_after_agent=is_after_agent)
            except RecordError as error:
                raise RecordError(error.reason, f"message {index}: {error}") from error
        messages.append(message)
        role_before = message.role
    return tuple(messages)


def chat_message(item: dict[str, Any]) -> Message:
    """Return one message read on its own; its errors name no place, which the caller knows.

    Raises:
        RecordError: It has no known role, or a content of an unknown kind.
    """
    message = plain_message(item, is_after_agent=False)
    return any_message(item, is_after_agent=False) if message is None else message


def message_list(record: dict[str, Any], names: Sequence[str]) -> list[Any]:
    """Return the messages of a row, as `stated_messages`."""
    messages: list[Any] = stated_messages(record, names).value
    return messages


def stated_messages(record: dict[str, Any], names: Sequence[str]) -> Parsed:
    """Return the messages of a row: the first named field that is not empty; JSON text of a list is read too.

    Returns:
        The list, and what reading it from a text warned of.

    Raises:
        RecordError: No such field, no valid JSON, or no list.
    """
    raw = _first_with_messages(record, names)
    if raw is None:
        raise RecordError(QuarantineReason.MISSING_MESSAGES, f"none of the fields {', '.join(names)} holds messages")
    parsed = parse_json(raw.encode("utf-8", "replace")) if isinstance(raw, str) else Parsed(raw)
    if not isinstance(parsed.value, list):
        kind = type(parsed.value).__name__
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"the messages are no list but {kind}")
    return parsed


def unread_lists(record: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the named fields that hold other messages than `message_list` reads, in the order of the names."""
    if len(names) < 2:
        return ()
    read = _first_with_messages(record, names)
    found = ((name, first_present(record, [name])) for name in dict.fromkeys(names))
    return tuple(name for name, value in found if value and value != read)


def _first_with_messages(record: dict[str, Any], names: Sequence[str]) -> Any:
    """Return the first value that is not empty, else the first that is not null."""
    for name in names:
        value = first_present(record, (name,))
        if value:
            return value
    return first_present(record, names)


def first_user_text(messages: Sequence[Message]) -> str | None:
    """Return the first user message that is no demonstration and not empty: it states the task."""
    return next((m.content for m in messages if m.role == "user" and not m.is_demo and m.content), None)


def message_content(raw: Any) -> Content:
    """Return a content given as text, null, nothing, one part or a list of parts.

    Text parts are joined by newlines. Inline data of pictures and files stays in `parts_json` only.

    Raises:
        RecordError: The content is of another kind.
    """
    if isinstance(raw, str):
        return Content(raw, "text")
    if raw is None:
        return Content(None, "null")
    if raw is MISSING:
        return Content(None, "missing")
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list):
        kind = type(raw).__name__
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"content is neither text nor parts but {kind}")
    texts = [part if isinstance(part, str) else _part_text(part) for part in raw]
    return Content("\n".join(text for text in texts if text is not None), "parts", canonical_text(raw))


def _part_text(part: Any) -> str | None:
    if not isinstance(part, dict):
        return None
    text = part.get("text")
    if isinstance(text, str):
        return text
    content = part.get("content")
    return content if isinstance(content, str) and part.get("type") in ("tool_result", "text", None) else None


def any_message(raw: dict[str, Any], *, is_after_agent: bool) -> Message:
    """Return the message of an object of any shape; those of `plain_messages` are read there to the same.

    Raises:
        RecordError: It has no known role, or a content or calls of an unknown kind.
    """
    role_raw = raw.get("role")
    role = _role(role_raw)
    if role is None:
        raise unknown_value("role", role_raw)
    content = raw.get("content", MISSING)
    text, state, parts_json = (content, "text", None) if type(content) is str else message_content(content)
    if role == "user" and is_after_agent and _is_observation(text):
        role = "tool"
    is_tool = role == "tool"
    result_id = _result_id(raw) if is_tool else None
    details = {} if _is_plain(raw, is_tool=is_tool) else message_details(raw, is_tool=is_tool, result_id=result_id)
    if text is None and isinstance(raw.get("refusal"), str):
        text, state = raw["refusal"], "text"
    calls, said = _calls(raw) if "tool_calls" in raw or "function_call" in raw else ((), {})
    if said:
        extra = orjson.loads(details.get("extra_json") or "{}")
        details["extra_json"] = canonical_text({**extra, CALL_DETAILS: {**extra.get(CALL_DETAILS, {}), **said}})
    # By position, and details only where there are any: most messages have none.
    return Message(
        role,
        text,
        state,
        role_raw if role_raw != role else None,
        parts_json,
        details.pop("reasoning", None),
        calls,
        result_id,
        as_text(raw.get("name")) if is_tool else None,
        **details,
    )


def _is_plain(raw: dict[str, Any], *, is_tool: bool) -> bool:
    """Say whether role, content and calls, of a result its ids as text too, are all that a message states."""
    if not is_tool:
        return raw.keys() <= _PLAIN and raw.get("tool_call_id") is None
    return raw.keys() <= _PLAIN_RESULT and all(type(raw.get(name)) in _PLAIN_IDS for name in ("tool_call_id", "name"))


def _role(word: Any) -> str | None:
    if not isinstance(word, str):
        return None
    return _ROLES.get(word) or _ROLES.get(word.strip().lower())


def _is_observation(text: str | None) -> bool:
    return text is not None and text[: len(OBSERVATION_PREFIX)].lower() == OBSERVATION_PREFIX


def _result_id(raw: dict[str, Any]) -> str | None:
    """Return the id of the call a tool message answers; SWE-agent writes a list of one."""
    identifier = raw.get("tool_call_id")
    if identifier is None:
        ids = raw.get("tool_call_ids")
        identifier = ids[0] if isinstance(ids, list) and ids else None
    return as_text(identifier)


def stated_calls(raw: dict[str, Any]) -> list[Any]:
    """Return the native calls of a message's `tool_calls`, which may be JSON text of a list.

    Raises:
        RecordError: They are no list, or a text that is no JSON.
    """
    calls = raw.get("tool_calls")
    if isinstance(calls, str):
        calls = parse_json(calls.encode("utf-8", "replace")).value if calls.strip() else None
    if not isinstance(calls, list | None):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"tool_calls is no list but {type(calls).__name__}")
    return calls or []


def _calls(raw: dict[str, Any]) -> tuple[tuple[MessageCall, ...], dict[str, Any]]:
    """Return a message's calls, and by index what they say beside id, name and arguments.

    A legacy `function_call` is a call of its own unless one of `tool_calls` says the same.
    """
    natives = stated_calls(raw)
    found = [_call(call) for call in natives]
    legacy = raw.get("function_call")
    if isinstance(legacy, dict):
        own = _call({"function": legacy})
        if all((call.name, call.arguments_json) != (own.name, own.arguments_json) for call in found):
            natives, found = [*natives, {"function": legacy}], [*found, own]
    return tuple(found), {str(index): rest for index, call in enumerate(natives) if (rest := call_details(call))}


def _call(raw: Any) -> MessageCall:
    if not isinstance(raw, dict):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"a tool call is no object but {type(raw).__name__}")
    function = raw.get("function")
    field = body_field(raw)
    body = raw if field is None else raw[field]
    name = as_text(body.get("name", function if isinstance(function, str) else None))
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "a tool call has no name")
    identifier = raw["id"] if "id" in raw else raw.get("call_id", raw.get("tool_call_id"))
    requestor = as_text(raw["requestor"]) if "requestor" in raw else None
    if field == "custom":
        # A tool that takes free text: its call has an input in place of arguments.
        arguments = body.get("input", MISSING)
    else:
        arguments = body["arguments"] if "arguments" in body else body.get("parameters", MISSING)
    return message_call(name, arguments, call_id=as_text(identifier), requestor=requestor or "assistant")
