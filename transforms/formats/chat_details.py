"""What only some writers state of a chat message beside its content: reasoning, errors, usage, times, and the rest.

Whatever of it no column takes is kept in the message's extra JSON as it was written.
"""

from typing import Any, Final

from transforms.formats.arguments import canonical_text
from transforms.formats.fields import (
    as_datetime,
    as_integer,
    as_number,
    as_object,
    as_text,
    first_present,
)
from transforms.formats.rewards import MISSING, convert_step_reward

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
_CALL_FIELDS: Final = frozenset({"id", "call_id", "tool_call_id", "type", "function", "requestor"})
_BODY_FIELDS: Final = frozenset({"name", "arguments"})
_PLAIN_CALL: Final = frozenset({"id", "function"})


def message_details(raw: dict[str, Any], *, is_tool: bool, result_id: str | None) -> dict[str, Any]:
    """Return the columns beside content and calls, and `extra_json`, as keyword arguments of a message.

    Args:
        raw: The native message.
        is_tool: Whether it is a result.
        result_id: The id of the call it answers, as it was read.
    """
    usage = as_object(raw.get("usage"))
    reasoning, is_whole = _reasoning(raw)
    columns = {
        "reasoning": reasoning,
        "is_error": _is_error(raw) if is_tool else None,
        "exit_code": as_integer(first_present(raw, _CODES), bits=32) if is_tool else None,
        "actor": as_text(raw.get("agent")),
        "timestamp": as_datetime(raw.get("timestamp")),
        "prompt_tokens": as_integer(first_present(usage, ("prompt_tokens", "input_tokens"))),
        "completion_tokens": as_integer(first_present(usage, ("completion_tokens", "output_tokens"))),
        "cost_usd": as_number(raw.get("cost")),
        "step_reward": _step_reward(raw),
        "is_demo": raw.get("is_demo") is True,
    }
    extra = {name: value for name, value in raw.items() if name not in _READ and value is not None}
    extra |= _untaken(raw, columns, is_tool=is_tool, result_id=result_id)
    if not is_whole:
        extra |= {name: raw[name] for name in ("reasoning", "reasoning_content") if raw.get(name)}
    return {**columns, "extra_json": canonical_text(extra) if extra else None}


def call_details(raw: dict[str, Any]) -> dict[str, Any]:
    """Return what a call says beside id, name and arguments: an inline result, a signature, an id that is no text."""
    if raw.keys() <= _PLAIN_CALL and isinstance(raw["function"], dict) and raw["function"].keys() == _BODY_FIELDS:
        return {}
    function = raw.get("function")
    has_body = isinstance(function, dict)
    body = function if has_body else raw
    taken = (_CALL_FIELDS if has_body else _CALL_FIELDS | _BODY_FIELDS) | _arguments_name(body, is_body=not has_body)
    rest = {name: value for name, value in raw.items() if name not in taken and value is not None}
    if raw.get("type") not in (None, "function"):
        rest["type"] = raw["type"]
    for name in ("id", "call_id", "tool_call_id", "requestor"):
        if raw.get(name) not in (None, "") and as_text(raw[name]) is None:
            rest[name] = raw[name]
    if has_body:
        taken = _BODY_FIELDS | _arguments_name(body, is_body=True)
        inner = {name: value for name, value in body.items() if name not in taken and value is not None}
        rest |= {"function": inner} if inner else {}
    return rest


def _arguments_name(body: dict[str, Any], *, is_body: bool) -> frozenset[str]:
    """Return `parameters` where the arguments are read from it."""
    return frozenset({"parameters"}) if is_body and "arguments" not in body else frozenset()


def _untaken(raw: dict[str, Any], columns: dict[str, Any], *, is_tool: bool, result_id: str | None) -> dict[str, Any]:
    """Return the fields with a column of their own that does not say what they say."""
    names: list[str] = []
    for name, column in (("timestamp", "timestamp"), ("cost", "cost_usd"), ("agent", "actor")):
        if columns[column] is None:
            names.append(name)
    if columns["step_reward"] is None or raw.get("step_reward") is not None:
        names += _REWARDS if columns["step_reward"] is None else ("reward",)
    if not isinstance(raw.get("is_demo"), bool):
        names.append("is_demo")
    if as_integer(raw.get("index")) is None:
        names.append("index")
    if not is_tool or as_text(raw.get("name")) is None:
        names.append("name")
    if not is_tool or columns["exit_code"] is None:
        names += _CODES
    names += (name for name in ("is_error", "error") if not (is_tool and isinstance(raw.get(name), bool)))
    if not is_tool or result_id is None:
        names += ("tool_call_id", "tool_call_ids")
    elif isinstance(raw.get("tool_call_ids"), list) and len(raw["tool_call_ids"]) > 1:
        names.append("tool_call_ids")
    if not isinstance(raw.get("function_call"), dict):
        names.append("function_call")
    if not isinstance(raw.get("usage"), dict) or _has_odd_tokens(raw["usage"]):
        names.append("usage")
    # Null, no text, no list and `false` say nothing where no column stands for them.
    return {name: value for name in names if (value := raw.get(name)) not in (None, "", False) and value != []}


def _step_reward(raw: dict[str, Any]) -> float | None:
    """Return the first reward that the message states, by the conversion table; None where it has no rule for it."""
    stated = first_present(raw, _REWARDS)
    return None if stated is None or stated is MISSING else convert_step_reward(stated)


def _has_odd_tokens(usage: dict[str, Any]) -> bool:
    names = ("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens")
    return any(usage.get(name) is not None and as_integer(usage[name]) is None for name in names)


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
