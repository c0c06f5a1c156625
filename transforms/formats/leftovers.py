"""What a message says that its step has no column for, kept in the step's extra JSON so that nothing is lost."""

from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

import orjson

from schemas.records import Message

RESULTS_KEY: Final = "trajsift:messages"
"""Key of a step's `extra_json` under which leftovers lie: by call index, `observation` or `self`."""
_RESULT_DEFAULTS: Final[dict[str, Any]] = {
    "role_raw": None,
    "parts_json": None,
    "reasoning": None,
    "actor": None,
    "timestamp": None,
    "prompt_tokens": None,
    "completion_tokens": None,
    "cached_tokens": None,
    "cost_usd": None,
    "latency_s": None,
    "step_reward": None,
    "is_demo": False,
    "is_copied_context": False,
    "sampled": None,
    "extra_json": None,
}
_RESULT_VALUES: Final = attrgetter(*_RESULT_DEFAULTS)
_RESULT_PLAIN: Final = tuple(_RESULT_DEFAULTS.values())
_OUTCOME: Final = ("is_error", "exit_code")
_SELF_NAMES: Final = ("tool_call_id", "tool_name", "requestor", *_OUTCOME)
_SELF_VALUES: Final = attrgetter(*_SELF_NAMES)
_SELF_PLAIN: Final = (None,) * len(_SELF_NAMES)


def result_leftover(
    result: Message, call_name: str | None, call_requestor: str, *, is_paired_by_id: bool = False
) -> dict[str, Any]:
    """Return what of a tool message cannot be told from the call it answers (None: it answers no call)."""
    rest: dict[str, Any] = {}
    if (values := _RESULT_VALUES(result)) != _RESULT_PLAIN:
        rest = {
            name: value
            for (name, default), value in zip(_RESULT_DEFAULTS.items(), values, strict=True)
            if value != default
        }
    if result.content_state != ("text" if result.content is not None else "null"):
        rest["content_state"] = result.content_state
    if result.tool_name is not None and result.tool_name != call_name:
        rest["tool_name"] = result.tool_name
    if result.requestor is not None and result.requestor != call_requestor:
        rest["requestor"] = result.requestor
    if not is_paired_by_id and result.tool_call_id is not None:
        rest["tool_call_id"] = result.tool_call_id
    if "timestamp" in rest:
        rest["timestamp"] = rest["timestamp"].isoformat()
    return rest


def self_leftover(message: Message) -> dict[str, Any]:
    """Return what of a message its own step has no column for."""
    values = _SELF_VALUES(message)
    if values == _SELF_PLAIN:
        return {}
    has_outcome = message.role == "tool"
    named = zip(_SELF_NAMES, values, strict=True)
    return {name: value for name, value in named if value is not None and not (has_outcome and name in _OUTCOME)}


def restore(message: Message, leftover: dict[str, Any]) -> Message:
    """Return the message with its leftovers put back."""
    if not leftover:
        return message
    if "timestamp" in leftover:
        leftover = {**leftover, "timestamp": datetime.fromisoformat(leftover["timestamp"])}
    return replace(message, **leftover)


def merge_extra(extra_json: str | None, leftovers: dict[str, Any]) -> str | None:
    """Return the step's extra JSON: the message's own object and, under the reserved key, the leftovers."""
    if not leftovers:
        return extra_json
    extra = orjson.loads(extra_json) if extra_json is not None else {}
    return orjson.dumps({**extra, RESULTS_KEY: leftovers}, option=orjson.OPT_SORT_KEYS).decode()


def split_extra(extra_json: str | None) -> tuple[str | None, dict[str, Any]]:
    """Undo `merge_extra`."""
    if extra_json is None or RESULTS_KEY not in extra_json:
        return extra_json, {}
    extra = orjson.loads(extra_json)
    leftovers: dict[str, Any] = extra.pop(RESULTS_KEY, {})
    return (orjson.dumps(extra, option=orjson.OPT_SORT_KEYS).decode() if extra else None), leftovers
