"""verifiers `results.jsonl`: a prompt, a completion and their reward in every row; `metadata.json` beside it.

Rollouts of one example repeat its `example_id` and bear no number. The metrics stand in `metrics` and once more at the
top of the row.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.anthropic_parts import unfolded
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import chat_messages
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.documents import read_sidecar, warned
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_count, as_datetime, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_components, convert_reward, unread_components
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import parse_json

METADATA: Final = "metadata.json"
_WATCHED: Final = frozenset({"example_id", "reward", "prompt", "completion"})
_TAKEN: Final = frozenset(
    {
        "example_id", "prompt", "completion", "reward", "error", "timing", "is_completed", "is_truncated",
        "stop_condition", "metrics", "tool_defs", "token_usage", "trajectory_id",
    }
)  # fmt: skip
_TELLING: Final = frozenset({"example_id", "prompt", "completion", "reward"})


class VerifiersAdapter(RowAdapter):
    """Reads rows of verifiers' evaluation results."""

    name = "verifiers"
    version = "2"
    carries = (
        "prompt and completion messages", "calls", "results", "reward", "metrics as reward parts", "termination",
        "errors", "tokens", "which messages the model produced", "example, environment and model of the metadata",
    )  # fmt: skip
    loses = ("expected answer", "task info", "state columns", "texts of error chains")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return rows_have(outline, _TELLING, first={"example_id", "prompt"})

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the metadata of the run, which lie in the same folder."""
        folder, slash, _ = uri.rpartition("/")
        beside = f"{folder}{slash}{METADATA}"
        return (beside,) if beside in listing.known else ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        beside = next((uri for uri in unit.sidecars if uri.rpartition("/")[2] == METADATA), None)
        stated = read_sidecar(beside, open_file, settings)
        metadata = stated.value
        records = row_records(unit, open_file, settings, watched=_WATCHED)
        rollouts = build_rollouts(
            records,
            lambda record: _rollout(record, metadata, settings.reward_range),
            sources=lambda record: (record.value, metadata),
        )
        return warned(rollouts, stated)


def fault_ending(stop: Any, error: Any) -> Ending:
    """Return how a run ended, given its stop condition and its error: the error's class speaks before its text."""
    if not error:
        return ending_of(stop)
    kind = as_text(error.get("error", error.get("type"))) if isinstance(error, dict) else as_text(error)
    by_class = ending_of(stop, error=kind or "error")
    if not by_class.reward_valid or not isinstance(error, dict):
        return by_class
    texts = [as_text(error.get(name)) for name in ("error_chain_str", "message")]
    return ending_of(stop, error=" ".join(text for text in (kind, *texts) if text) or "error")


def _rollout(record: NativeRecord, metadata: dict[str, Any], reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    prompt = _messages(native.get("prompt"), role="user")
    messages = (*_as_given(prompt), *_as_sampled(_messages(native.get("completion"), role="assistant")))
    if native.get("prompt") is None:
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "there is no `prompt`")
    reward = convert_reward(native.get("reward", MISSING), reward_range)
    error = native.get("error")
    ending = fault_ending(native.get("stop_condition"), error)
    environment, example = as_text(metadata.get("env_id", metadata.get("env"))), as_text(native.get("example_id"))
    metrics, usage, timing = (as_object(native.get(name)) for name in ("metrics", "token_usage", "timing"))
    milliseconds = as_number(timing.get("total_ms"))
    sampling = as_object(metadata.get("sampling_args"))
    header = Header(
        source_format=VerifiersAdapter.name,
        # Examples are numbered from 0 in every environment, so a task is told by both.
        task_id=f"{environment}/{example}" if environment and example else example,
        task_source=environment,
        task_text=next((message.content for message in prompt if message.role == "user" and message.content), None),
        env_name=environment,
        model_name=as_text(metadata.get("model")),
        sampling_json=canonical_text(sampling) if sampling else None,
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="reward" if "reward" in native else None,
        reward_components=convert_components(metrics),
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=native["is_truncated"] if isinstance(native.get("is_truncated"), bool) else ending.is_truncated,
        error_type=as_text(as_object(error).get("error")) if isinstance(error, dict) else as_text(error),
        error_message=as_text(as_object(error).get("error_chain_str")),
        prompt_tokens=as_count(usage.get("input_tokens")),
        completion_tokens=as_count(usage.get("output_tokens")),
        duration_s=None if milliseconds is None else milliseconds / 1000,
        started_at=as_datetime(timing.get("start_time")),
        tools_json=tools_text(native.get("tool_defs")),
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=as_text(native.get("trajectory_id")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(
            sorted(
                untaken(native, _TAKEN | metrics.keys()) | unread_components(native.get("metrics"), prefix="metrics")
            )
        ),
        parse_warnings=(*record.warnings, *reward.warnings),
    )


def _messages(raw: Any, *, role: str) -> tuple[Message, ...]:
    """Return the messages of a prompt or completion; a bare text is one message of that role.

    Raises:
        RecordError: It is neither text nor a list of messages.
    """
    if raw is None:
        return ()
    if isinstance(raw, str):
        return (Message(role, raw),)
    if not isinstance(raw, list):
        kind = type(raw).__name__
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"neither text nor a list of messages but {kind}")
    return chat_messages(unfolded(_chat_form(item) for item in raw))


def _chat_form(item: Any) -> Any:
    """Return a message with its calls as objects; they may be saved as one JSON text each."""
    calls = item.get("tool_calls") if isinstance(item, dict) else None
    if not isinstance(calls, list) or not any(isinstance(call, str) for call in calls):
        return item
    objects = [parse_json(call.encode("utf-8", "replace")).value if isinstance(call, str) else call for call in calls]
    return {**item, "tool_calls": objects}


def _as_given(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return a prompt's messages: what an agent says in it was not produced by this run."""
    return tuple(
        message
        if message.role == "tool"
        else replace(message, sampled=False, is_copied_context=message.role == "assistant")
        for message in messages
    )


def _as_sampled(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return tuple(
        message if message.role == "tool" else replace(message, sampled=message.role == "assistant")
        for message in messages
    )
