"""OpenAI chat messages in the canonical form: roles, contents that are null or lists of parts, calls and results."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.fields import (
    as_datetime,
    as_integer,
    as_number,
    as_object,
    as_text,
    first_present,
)
from transforms.formats.rewards import MISSING, convert_step_reward
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

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
_READ: Final = frozenset(
    {
        "role", "content", "tool_calls", "function_call", "tool_call_id", "tool_call_ids", "name",
        "reasoning_content", "reasoning", "is_error", "error", "exit_code", "returncode", "timestamp", "usage",
        "cost", "is_demo", "agent", "step_reward", "reward", "refusal", "index",
    }
)  # fmt: skip
_STEP_REWARDS: Final = ("step_reward", "reward")
_PLAIN: Final = frozenset({"role", "content", "tool_calls", "tool_call_id"})
_PLAIN_RESULT: Final = _PLAIN | {"name"}
OBSERVATION_PREFIX: Final = "observation:"
"""How text-mode agents mark a tool's output that is sent as a user message (in either case)."""


class Content(NamedTuple):
    """A message's content: its text, how it was written, and the parts when they say more than their text."""

    text: str | None
    state: str
    parts_json: str | None = None


def chat_messages(raw: Sequence[Any]) -> tuple[Message, ...]:
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
        try:
            message = _message(item, after_agent=role_before == "assistant")
        except RecordError as error:
            raise RecordError(error.reason, f"message {index}: {error}") from error
        messages.append(message)
        role_before = message.role
    return tuple(messages)


def message_list(record: dict[str, Any], names: Sequence[str]) -> list[Any]:
    """Return the messages of a row: the first named field that is not null; JSON text of a list is read too.

    Raises:
        RecordError: No such field, no valid JSON, or no list.
    """
    raw = first_present(record, names)
    if raw is None:
        raise RecordError(QuarantineReason.MISSING_MESSAGES, f"none of the fields {', '.join(names)} holds messages")
    if isinstance(raw, str):
        raw = parse_json(raw.encode("utf-8", "replace")).value
    if not isinstance(raw, list):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"the messages are no list but {type(raw).__name__}")
    return raw


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


def _message(raw: dict[str, Any], *, after_agent: bool) -> Message:
    role_raw = raw.get("role")
    role = _role(role_raw)
    if role is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"unknown role {str(role_raw)[:40]!r}")
    content = raw.get("content", MISSING)
    text, state, parts_json = (content, "text", None) if type(content) is str else message_content(content)
    if role == "user" and after_agent and _is_observation(text):
        role = "tool"
    is_tool = role == "tool"
    details = {} if raw.keys() <= (_PLAIN_RESULT if is_tool else _PLAIN) else _details(raw, is_tool=is_tool)
    # By position, and details only where there are any: most messages have none.
    return Message(
        role,
        text,
        state,
        role_raw if role_raw != role else None,
        parts_json,
        details.pop("reasoning", None),
        _calls(raw) if "tool_calls" in raw or "function_call" in raw else (),
        _result_id(raw) if is_tool else None,
        as_text(raw.get("name")) if is_tool else None,
        **details,
    )


def _role(word: Any) -> str | None:
    if not isinstance(word, str):
        return None
    return _ROLES.get(word) or _ROLES.get(word.strip().lower())


def _details(raw: dict[str, Any], *, is_tool: bool) -> dict[str, Any]:
    """Return what only some writers state of a message: errors, usage, times, and fields no column takes."""
    usage = as_object(raw.get("usage"))
    reasoning = raw.get("reasoning_content", raw.get("reasoning"))
    extra = {name: value for name, value in raw.items() if name not in _READ and value is not None}
    if not is_tool and isinstance(raw.get("name"), str):
        extra["name"] = raw["name"]
    step_reward, unread = _step_reward(raw)
    return {
        "reasoning": reasoning if isinstance(reasoning, str) and reasoning else None,
        "is_error": _is_error(raw) if is_tool else None,
        "exit_code": as_integer(raw.get("exit_code", raw.get("returncode")), bits=32) if is_tool else None,
        "actor": as_text(raw.get("agent")),
        "timestamp": as_datetime(raw.get("timestamp")),
        "prompt_tokens": as_integer(usage.get("prompt_tokens", usage.get("input_tokens"))),
        "completion_tokens": as_integer(usage.get("completion_tokens", usage.get("output_tokens"))),
        "cost_usd": as_number(raw.get("cost")),
        "step_reward": step_reward,
        "is_demo": raw.get("is_demo") is True,
        "extra_json": canonical_text({**extra, **unread}) if extra or unread else None,
    }


def _step_reward(raw: dict[str, Any]) -> tuple[float | None, dict[str, Any]]:
    """Return a message's reward, and what it says of one beside that or that the conversion table has no rule for."""
    stated = {name: raw[name] for name in _STEP_REWARDS if raw.get(name) is not None}
    name = next(iter(stated), None)
    number = None if name is None else convert_step_reward(stated[name])
    return number, {other: value for other, value in stated.items() if number is None or other != name}


def _is_observation(text: str | None) -> bool:
    return text is not None and text[: len(OBSERVATION_PREFIX)].lower() == OBSERVATION_PREFIX


def _result_id(raw: dict[str, Any]) -> str | None:
    """Return the id of the call a tool message answers; SWE-agent writes a list of one."""
    identifier = raw.get("tool_call_id")
    if identifier is None:
        ids = raw.get("tool_call_ids")
        identifier = ids[0] if isinstance(ids, list) and ids else None
    return as_text(identifier)


def _is_error(raw: dict[str, Any]) -> bool | None:
    flag = raw.get("is_error", raw.get("error"))
    if isinstance(flag, bool):
        return flag
    code = as_integer(raw.get("exit_code", raw.get("returncode")))
    return None if code is None else code != 0


def _calls(raw: dict[str, Any]) -> tuple[MessageCall, ...]:
    calls = raw.get("tool_calls")
    if isinstance(calls, str):
        calls = parse_json(calls.encode("utf-8", "replace")).value if calls.strip() else None
    legacy = raw.get("function_call")
    if calls is None and isinstance(legacy, dict):
        calls = [{"function": legacy}]
    if calls is None:
        return ()
    if not isinstance(calls, list):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"tool_calls is no list but {type(calls).__name__}")
    return tuple([_call(call) for call in calls])


def _call(raw: Any) -> MessageCall:
    if not isinstance(raw, dict):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"a tool call is no object but {type(raw).__name__}")
    function = raw.get("function")
    body = function if isinstance(function, dict) else raw
    name = as_text(body.get("name", function if isinstance(function, str) else None))
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "a tool call has no name")
    identifier = raw["id"] if "id" in raw else raw.get("call_id", raw.get("tool_call_id"))
    requestor = as_text(raw["requestor"]) if "requestor" in raw else None
    arguments = body["arguments"] if "arguments" in body else body.get("parameters", MISSING)
    return message_call(name, arguments, call_id=as_text(identifier), requestor=requestor or "assistant")
