"""One Inspect sample as a rollout; what the log says of all samples stands in its header."""

from dataclasses import replace
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.records import Header, Message, Rollout
from transforms.formats.arguments import canonical_text
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_count, as_datetime, as_integer, as_list, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.inspect_messages import Attachments, inspect_messages
from transforms.formats.inspect_scores import Scored, scored_by, unread_scores
from transforms.formats.losses import untaken
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord

SOURCE_FORMAT: Final = "inspect"
INVALIDATED: Final = "invalidated"
"""Warning: somebody marked the sample as not to be counted."""
_TAKEN: Final = frozenset(
    {
        "id", "epoch", "input", "messages", "scores", "score", "model_usage", "started_at", "completed_at",
        "total_time", "uuid", "error", "limit", "attachments", "invalidation", "output",
    }
)  # fmt: skip


def sample_rollout(
    record: NativeRecord, log: dict[str, Any], *, reward_range: tuple[float, float], max_chars: int
) -> Rollout:
    """Return the rollout of a sample.

    Args:
        record: The sample.
        log: The log's head: `eval` and `plan`.
        reward_range: Bounds of rewards that are scored.
        max_chars: Characters that the sample's attachments may unfold to.

    Raises:
        RecordError: There are no messages, one is unusable, or the score has no rule.
    """
    native = record.value
    if not isinstance(native.get("messages"), list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`messages` is no list")
    attachments = Attachments(as_object(native.get("attachments")), max_chars=max_chars)
    messages = inspect_messages(native["messages"], attachments)
    scored = scored_by(native, reward_range)
    header = _with_scores(_header(native, log), scored)
    task_text = _task_text(attachments.resolve(native.get("input")), messages)
    is_invalidated = bool(native.get("invalidation"))
    return Rollout(
        header=replace(header, task_text=task_text, reward_valid=header.reward_valid and not is_invalidated),
        messages=messages,
        native_id=as_text(native.get("uuid")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(untaken(native, _TAKEN) | unread_scores(native))),
        parse_warnings=(
            *record.warnings,
            *attachments.warnings,
            *scored.warnings,
            *((INVALIDATED,) if is_invalidated else ()),
        ),
    )


def _header(native: dict[str, Any], log: dict[str, Any]) -> Header:
    ending, is_truncated = _ending(native)
    head = as_object(log.get("eval"))
    task, sample_id, model = as_text(head.get("task")), as_text(native.get("id")), as_text(head.get("model"))
    usage = _usage(native, model)
    error = as_object(native.get("error"))
    return Header(
        source_format=SOURCE_FORMAT,
        env_type=EnvType.OTHER,
        env_name=task,
        # Every task numbers its samples, so one is told by both.
        task_id=f"{task}/{sample_id}" if task and sample_id else sample_id,
        task_source=task,
        rollout_index=as_integer(native.get("epoch"), bits=32),
        run_id=as_text(head.get("run_id")),
        agent_name=_solver(log, head),
        model_name=model,
        model_provider=model.partition("/")[0] if model and "/" in model else None,
        sampling_json=_sampling(log, head),
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=is_truncated,
        error_type="error" if error else None,
        error_message=as_text(error.get("message")),
        cost_usd=as_number(usage.get("total_cost")),
        prompt_tokens=as_count(usage.get("input_tokens")),
        completion_tokens=as_count(usage.get("output_tokens")),
        cached_tokens=as_count(usage.get("input_tokens_cache_read")),
        duration_s=as_number(native.get("total_time")),
        started_at=as_datetime(native.get("started_at")),
        ended_at=as_datetime(native.get("completed_at")),
    )


def _with_scores(header: Header, scored: Scored) -> Header:
    return replace(
        header,
        reward=scored.reward.value,
        reward_raw=scored.reward.raw,
        reward_name=scored.name,
        success=scored.success,
        reward_components=scored.components,
        answer=scored.answer,
    )


def _ending(native: dict[str, Any]) -> tuple[Ending, bool | None]:
    """Return how a sample ended and whether it was cut short: by an error of the run, by a limit, or by the model.

    An error that halts a sample is one of solver, sandbox or provider, never of the agent's tools.
    """
    if native.get("error"):
        return Ending(Termination.INFRA_ERROR, "error", False, False), None
    limit = as_text(as_object(native.get("limit")).get("type"))
    if limit is not None:
        return ending_of(limit), True
    choices = as_list(as_object(native.get("output")).get("choices"))
    ending = ending_of(as_object(choices[0] if choices else None).get("stop_reason"))
    return ending, ending.is_truncated


def _usage(native: dict[str, Any], model: str | None) -> dict[str, Any]:
    """Return what the evaluated model used; other models of a sample grade or play a part."""
    usage = as_object(native.get("model_usage"))
    if model in usage:
        return as_object(usage[model])
    return as_object(next(iter(usage.values()))) if len(usage) == 1 else {}


def _solver(log: dict[str, Any], head: dict[str, Any]) -> str | None:
    steps = as_list(as_object(log.get("plan")).get("steps"))
    return as_text(head.get("solver")) or as_text(as_object(steps[-1] if steps else None).get("solver"))


def _sampling(log: dict[str, Any], head: dict[str, Any]) -> str | None:
    settings = {
        **as_object(head.get("model_generate_config")),
        **as_object(as_object(log.get("plan")).get("config")),
    }
    return canonical_text(settings) if settings else None


def _task_text(stated: Any, messages: tuple[Message, ...]) -> str | None:
    if isinstance(stated, str) and stated.strip():
        return stated
    return next((message.content for message in messages if message.role == "user" and message.content), None)
