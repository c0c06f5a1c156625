"""What only some writers state of a chat message beside its content: reasoning, errors, usage, times, and the rest.

Whatever of it no column takes is kept in the message's extra JSON as it was written.
"""

from typing import Any, Final

from transforms.formats.arguments import canonical_text
from transforms.formats.fields import (
    as_count,
    as_datetime,
    as_integer,
    as_number,
    as_object,
    as_text,
    first_present,
)
from transforms.formats.rewards import MISSING, number_said

CALL_DETAILS: Final = "tool_call_details"
"""Key of a message's extra JSON under which lies, by call index, what its calls say beside id, name and arguments."""
_READ: Final = frozenset(
    {
        "role", "content", "tool_calls", "function_call", "tool_call_id", "tool_call_ids", "name",
        "reasoning_content", "reasoning", "is_error", "error", "exit_code", "returncode", "timestamp", "usage",
        "cost", "is_demo", "agent", "step_reward", "reward", "index",
    }
)  # fmt: skip
_REWARDS: Final = ("step_reward", "reward")
_CODES: Final = ("exit_code", "returncode")
_FLAGS: Final = ("is_error", "error")
_WITH_COLUMNS: Final = frozenset(
    {"timestamp", "usage", "cost", "is_demo", "agent", "index", "function_call", *_REWARDS, *_CODES, *_FLAGS}
)
_CALL_FIELDS: Final = frozenset({"id", "call_id", "tool_call_id", "type", "function", "requestor"})
_BODY_FIELDS: Final = frozenset({"name", "arguments"})
_CUSTOM_FIELDS: Final = frozenset({"name", "input"})
_PLAIN_CALL: Final = frozenset({"id", "type", "function"})


def message_details(raw: dict[str, Any], *, is_tool: bool, result_id: str | None) -> dict[str, Any]:
    """Return the columns beside content and calls, and `extra_json`, as keyword arguments of a message.

    Args:
        raw: The native message.
        is_tool: Whether it is a result.
        result_id: The id of the call it answers, as it was read.
    """
    details: dict[str, Any] = {}
    extra = {name: value for name, value in raw.items() if name not in _READ and value is not None}
    if not raw.keys().isdisjoint(_WITH_COLUMNS):
        details = _columns(raw, is_tool=is_tool)
        extra |= _untaken(raw, details)
    extra |= _odd_names(raw, is_tool=is_tool, result_id=result_id)
    details["reasoning"], is_whole = _reasoning(raw)
    if not is_whole:
        extra |= {name: raw[name] for name in ("reasoning", "reasoning_content") if raw.get(name)}
    details["extra_json"] = canonical_text(extra) if extra else None
    return details


def _columns(raw: dict[str, Any], *, is_tool: bool) -> dict[str, Any]:
    usage = as_object(raw.get("usage"))
    return {
        "is_error": _is_error(raw) if is_tool else None,
        "exit_code": as_integer(first_present(raw, _CODES), bits=32) if is_tool else None,
        "actor": as_text(raw.get("agent")),
        "timestamp": as_datetime(raw.get("timestamp")),
        "prompt_tokens": as_count(first_present(usage, ("prompt_tokens", "input_tokens"))),
        "completion_tokens": as_count(first_present(usage, ("completion_tokens", "output_tokens"))),
        "cost_usd": as_number(raw.get("cost")),
        "step_reward": _step_reward(raw),
        "is_demo": raw.get("is_demo") is True,
    }


def call_details(raw: dict[str, Any]) -> dict[str, Any]:
    """Return what a call says beside id, name and arguments: an inline result, a signature, an id that is no text."""
    function = raw.get("function")
    is_plain = type(function) is dict and function.keys() == _BODY_FIELDS and raw.keys() == _PLAIN_CALL
    if is_plain and raw["type"] == "function" and type(raw["id"]) is str:
        return {}
    field = body_field(raw)
    body: dict[str, Any] = raw if field is None else raw[field]
    if field == "custom":
        of_body = _CUSTOM_FIELDS
    else:
        of_body = _BODY_FIELDS if "arguments" in body else _BODY_FIELDS | {"parameters"}
    taken = _CALL_FIELDS | (of_body if field is None else {field})
    if isinstance(raw.get("index"), int):
        # Its place among the calls as they were streamed.
        taken |= {"index"}
    rest = {name: value for name, value in raw.items() if name not in taken and value is not None}
    if raw.get("type") not in (None, "function"):
        rest["type"] = raw["type"]
    for name in ("id", "call_id", "tool_call_id", "requestor"):
        if raw.get(name) not in (None, "") and as_text(raw[name]) is None:
            rest[name] = raw[name]
    if field is not None:
        inner = {name: value for name, value in body.items() if name not in of_body and value is not None}
        rest |= {field: inner} if inner else {}
    return rest


def body_field(raw: dict[str, Any]) -> str | None:
    """Return the field of a native call that holds its name and arguments; None where the call itself does."""
    if isinstance(raw.get("function"), dict):
        return "function"
    return "custom" if raw.get("type") == "custom" and isinstance(raw.get("custom"), dict) else None


def _untaken(raw: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with a column of their own that does not say what they say."""
    usage, has_reward = raw.get("usage"), columns["step_reward"] is not None
    is_read = {
        "timestamp": columns["timestamp"] is not None,
        "cost": columns["cost_usd"] is not None,
        "agent": columns["actor"] is not None,
        "step_reward": has_reward,
        "reward": has_reward and raw.get("step_reward") is None,
        "is_demo": isinstance(raw.get("is_demo"), bool),
        "index": as_integer(raw.get("index")) is not None,
        **dict.fromkeys(_CODES, columns["exit_code"] is not None),
        **{name: columns["is_error"] is not None and isinstance(raw.get(name), bool) for name in _FLAGS},
        "function_call": isinstance(raw.get("function_call"), dict),
        "usage": isinstance(usage, dict) and not _has_odd_tokens(usage),
    }
    return {name: raw[name] for name, read in is_read.items() if not read and _says_something(raw.get(name))}


def _odd_names(raw: dict[str, Any], *, is_tool: bool, result_id: str | None) -> dict[str, Any]:
    """Return names and ids of calls that stand where none is due, are no text, or are several."""
    odd: dict[str, Any] = {}
    name, ids = raw.get("name"), raw.get("tool_call_ids")
    if name is not None and not (is_tool and as_text(name) is not None):
        odd["name"] = name
    if not is_tool or result_id is None:
        odd |= {"tool_call_id": raw.get("tool_call_id"), "tool_call_ids": ids}
    elif isinstance(ids, list) and len(ids) > 1:
        odd["tool_call_ids"] = ids
    return {name: value for name, value in odd.items() if _says_something(value)}


def _says_something(value: Any) -> bool:
    """Say whether a value is worth keeping where no column stands for it; 0 is, `false` and empty ones are not."""
    return not (value is None or value is False or value in ("", []))


def _step_reward(raw: dict[str, Any]) -> float | None:
    """Return the first reward that the message states, by the conversion table; None where it has no rule for it."""
    stated = first_present(raw, _REWARDS)
    return None if stated is None or stated is MISSING else number_said(stated)


def _has_odd_tokens(usage: dict[str, Any]) -> bool:
    names = ("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens")
    return any(usage.get(name) is not None and as_count(usage[name]) is None for name in names)


def _reasoning(raw: dict[str, Any]) -> tuple[str | None, bool]:
    """Return a message's reasoning, and whether it says all that the message states of it."""
    stated = [value for name in ("reasoning_content", "reasoning") if (value := raw.get(name))]
    if not stated:
        return None, True
    if isinstance(stated[0], str):
        return stated[0], all(value == stated[0] for value in stated[1:])
    parts = stated[0] if isinstance(stated[0], list) else [stated[0]]
    texts = [text for part in parts if (text := _thought(part)) is not None]
    return "\n".join(texts) or None, all(isinstance(part, str) for part in parts) and len(stated) == 1


def _thought(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    names = ("text", "thinking", "reasoning", "content", "summary")
    return next((text for name in names if isinstance(text := as_object(part).get(name), str)), None)


def _is_error(raw: dict[str, Any]) -> bool | None:
    """Return whether a result is an error: as stated, else since an error is told in words, else by its exit code."""
    for name in ("is_error", "error"):
        if isinstance(raw.get(name), bool):
            return bool(raw[name])
    if isinstance(raw.get("error"), str | dict) and raw["error"]:
        return True
    code = as_integer(first_present(raw, _CODES))
    return None if code is None else code != 0
