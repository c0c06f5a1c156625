"""The messages of an ATIF trajectory: one per step, and one per result of its observation."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import message_content
from transforms.formats.fields import as_count, as_datetime, as_integer, as_items, as_number, as_object, as_text
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError, unknown_value

_ROLES: Final = {"system": "system", "user": "user", "agent": "assistant"}
_STEP_FIELDS: Final = frozenset(
    {
        "step_id", "timestamp", "source", "model_name", "message", "reasoning_content", "tool_calls", "observation",
        "metrics", "llm_call_count", "is_copied_context",
    }
)  # fmt: skip
_METRICS: Final = frozenset({"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "cost"})
TOKEN_LISTS: Final = frozenset({"prompt_token_ids", "completion_token_ids", "logprobs"})
_CALL_FIELDS: Final = frozenset({"tool_call_id", "function_name", "arguments"})
_RESULT_FIELDS: Final = frozenset({"source_call_id", "content"})


def step_messages(steps: list[Any], *, model_name: str | None) -> tuple[Message, ...]:
    """Return the messages of ATIF steps.

    A step of the agent is sampled unless it was copied from an earlier context or made without a call of the model.
    What no column takes (extras, efforts, references to subagents) is kept in a message's extra JSON.

    Args:
        steps: The native steps.
        model_name: The trajectory's model; a step by another model says so in its extra JSON.

    Raises:
        RecordError: A step is no object, of an unknown source, or holds an unusable message or call.
    """
    messages: list[Message] = []
    for index, step in enumerate(steps):
        if not isinstance(step, dict):
            kind = type(step).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"step {index} is no object but {kind}")
        try:
            messages.append(_message(step, model_name))
            messages.extend(_results(step))
        except RecordError as error:
            raise RecordError(error.reason, f"step {index}: {error}") from error
    return tuple(messages)


def token_list_losses(steps: list[Any]) -> set[str]:
    """Return the names of the token lists that steps hold and no column takes."""
    metrics = [as_object(step.get("metrics")) for step in steps if isinstance(step, dict)]
    return {f"steps[].metrics.{name}" for name in TOKEN_LISTS if any(each.get(name) for each in metrics)}


def _message(step: dict[str, Any], model_name: str | None) -> Message:
    role = _ROLES.get(step["source"]) if isinstance(step.get("source"), str) else None
    if role is None:
        raise unknown_value("source", step.get("source"))
    content = message_content(step.get("message", MISSING))
    metrics = as_object(step.get("metrics"))
    is_copied = step.get("is_copied_context") is True
    calls_made = as_integer(step.get("llm_call_count"), bits=32)
    reasoning = step.get("reasoning_content")
    return Message(
        role=role,
        content=content.text,
        content_state=content.state,
        parts_json=content.parts_json,
        reasoning=reasoning if isinstance(reasoning, str) and reasoning else None,
        calls=_calls(step.get("tool_calls")),
        timestamp=as_datetime(step.get("timestamp")),
        prompt_tokens=as_count(metrics.get("prompt_tokens")),
        completion_tokens=as_count(metrics.get("completion_tokens")),
        cached_tokens=as_count(metrics.get("cached_tokens")),
        cost_usd=as_number(metrics.get("cost_usd", metrics.get("cost"))),
        is_copied_context=is_copied,
        sampled=calls_made != 0 and not is_copied if role == "assistant" else None,
        llm_call_count=calls_made,
        extra_json=_step_extra(step, metrics, model_name),
    )


def _step_extra(step: dict[str, Any], metrics: dict[str, Any], model_name: str | None) -> str | None:
    extra = {name: step[name] for name in untaken(step, _STEP_FIELDS)}
    for name, kind in (("reasoning_content", str), ("metrics", dict)):
        if step.get(name) and not isinstance(step[name], kind):
            extra[name] = step[name]
    own_model = as_text(step.get("model_name"))
    if own_model is not None and own_model != model_name:
        extra["model_name"] = own_model
    if rest := untaken(metrics, _METRICS | TOKEN_LISTS):
        extra["metrics"] = {name: metrics[name] for name in rest}
    calls = step.get("tool_calls")
    if isinstance(calls, list):
        said = [_call_rest(call) for call in calls if isinstance(call, dict)]
        if any(said):
            extra["tool_calls"] = said
    rest = untaken(as_object(step.get("observation")), {"results"})
    if rest:
        extra["observation"] = {name: step["observation"][name] for name in rest}
    return canonical_text(extra) if extra else None


def _call_rest(call: dict[str, Any]) -> dict[str, Any]:
    return {name: call[name] for name in untaken(call, _CALL_FIELDS)} | _odd_id(call, "tool_call_id")


def _odd_id(item: dict[str, Any], name: str) -> dict[str, Any]:
    """Return an id that is neither text nor a number, which no column takes."""
    return {name: item[name]} if isinstance(item.get(name), list | dict) else {}


def _calls(raw: Any) -> tuple[MessageCall, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"tool_calls is no list but {type(raw).__name__}")
    return tuple(_call(call) for call in raw)


def _call(raw: Any) -> MessageCall:
    name = as_text(raw.get("function_name")) if isinstance(raw, dict) else None
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "a tool call has no function name")
    return message_call(name, raw.get("arguments", MISSING), call_id=as_text(raw.get("tool_call_id")))


def _results(step: dict[str, Any]) -> Iterator[Message]:
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else observation
    for result in as_items(results):
        if isinstance(result, str):
            result = {"content": result}
        if not isinstance(result, dict):
            raise RecordError(QuarantineReason.INVALID_MESSAGE, "a result is no object")
        content = message_content(result.get("content", MISSING))
        extra = {name: result[name] for name in untaken(result, _RESULT_FIELDS)} | _odd_id(result, "source_call_id")
        yield Message(
            role="tool",
            content=content.text,
            content_state=content.state,
            parts_json=content.parts_json,
            tool_call_id=as_text(result.get("source_call_id")),
            is_copied_context=step.get("is_copied_context") is True,
            extra_json=canonical_text(extra) if extra else None,
        )
