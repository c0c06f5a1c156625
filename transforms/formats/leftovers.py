"""What a message says that its step has no column for, kept in the step's extra JSON so that nothing is lost."""

from dataclasses import replace
from datetime import datetime
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
_OUTCOME: Final = ("is_error", "exit_code")
_SELF_NAMES: Final = ("tool_call_id", "tool_name", "requestor", *_OUTCOME)


def result_leftover(
    result: Message, call_name: str | None, call_requestor: str, *, is_paired_by_id: bool = False
) -> dict[str, Any]:
    """Return what of a tool message cannot be told from the call it answers (None: it answers no call)."""
    rest: dict[str, Any] = {}
    if not _is_plain_result(result):
        values = ((name, default, getattr(result, name)) for name, default in _RESULT_DEFAULTS.items())
        rest = {name: value for name, default, value in values if value != default}
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


def _is_plain_result(result: Message) -> bool:
    """Say whether a result has none of `_RESULT_DEFAULTS` otherwise; asked of every result, so without a loop."""
    return (
        result.role_raw is None
        and result.parts_json is None
        and result.reasoning is None
        and result.actor is None
        and result.timestamp is None
        and result.prompt_tokens is None
        and result.completion_tokens is None
        and result.cached_tokens is None
        and result.cost_usd is None
        and result.latency_s is None
        and result.step_reward is None
        and result.is_demo is False
        and result.is_copied_context is False
        and result.sampled is None
        and result.extra_json is None
    )


def self_leftover(message: Message) -> dict[str, Any]:
    """Return what of a message its own step has no column for."""
    if (
        message.tool_call_id is None
        and message.tool_name is None
        and message.requestor is None
        and message.is_error is None
        and message.exit_code is None
    ):
        return {}
    has_outcome = message.role == "tool"
    named = [(name, getattr(message, name)) for name in _SELF_NAMES]
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
