"""OpenAI Responses: NeMo-Gym rollouts, and responses as the API gives them, one a row."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason, Termination
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_header import untaken_fields
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import (
    as_count,
    as_datetime,
    as_integer,
    as_object,
    as_text,
    first_present,
    watched_keys,
)
from transforms.formats.identity import canonical_hash
from transforms.formats.responses_conversation import Conversation, item_messages
from transforms.formats.rewards import MISSING, convert_components, convert_reward, unread_components
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import parse_json

_PARAMS: Final = "responses_create_params"
_FAILURE: Final = "_ng_failure_class"
_ENVIRONMENT: Final = ("environment_name", "env_name", "environment", "task_source", "agent_ref.name")
_SAMPLING: Final = ("temperature", "top_p", "max_output_tokens", "reasoning", "tool_choice", "parallel_tool_calls")
_TAKEN: Final = frozenset(
    {
        _PARAMS, "response", "reward", "reward_components", "mask_sample", "agent_ref", "task_source",
        "_ng_task_index", "_ng_rollout_index", _FAILURE, "environment_name", "env_name", "environment",
    }
)  # fmt: skip
_TAKEN_BARE: Final = frozenset(
    {
        "object", "output", "input", "instructions", "id", "model", "status", "error", "incomplete_details", "usage",
        "tools", "created_at", "reward", *_SAMPLING,
    }
)  # fmt: skip
_WATCHED: Final = frozenset({_PARAMS, "response", "reward", "_ng_task_index", "_ng_rollout_index", "output"})
_MASKED: Final = "masked_sample"
"""Warning: the environment itself took the rollout out of training (`mask_sample`)."""


class OpenAIResponsesAdapter(RowAdapter):
    """Reads rollouts whose conversation is a list of Responses items."""

    name = "openai_responses"
    version = "1"
    carries = (
        "messages, reasoning, calls and results by call id",
        "reward and its components",
        "task and rollout index",
        "model, sampling, tools, tokens",
        "which turns were sampled in this rollout and which were given",
        "harness failures and masked samples as invalid rewards",
    )
    loses = (
        "ids of items, token ids, log-probabilities, encrypted reasoning",
        "items of unknown types",
        "fields of the environment (answers, verifier metadata)",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return (
            rows_have(outline, {_PARAMS, "response"}, first={_PARAMS})
            or rows_have(outline, {_PARAMS, _FAILURE})
            or rows_have(outline, {"object", "output", "status"}, items={"type"})
        )

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        watched = _WATCHED | watched_keys(settings.fields.task_id)
        return build_rollouts(
            row_records(unit, open_file, settings, watched=watched),
            lambda record: _rollout(record, settings),
            known=mapped_names(settings.fields),
        )


def _rollout(record: NativeRecord, settings: IngestSettings) -> Rollout:
    row = record.value
    is_bare = _PARAMS not in row
    params = row if is_bare else _object(row[_PARAMS], _PARAMS)
    response = row if is_bare else _object(row.get("response"), "response")
    talk = _conversation(params, response, is_failure=row.get(_FAILURE) is not None)
    header, warnings = _header(row, params, response, talk=talk, settings=settings)
    taken = (_TAKEN_BARE if is_bare else _TAKEN) | {name.partition(".")[0] for name in settings.fields.task_id}
    return Rollout(
        header=header,
        messages=talk.messages,
        native_id=as_text(response.get("id")),
        canonical_sha256=canonical_hash(row),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *untaken_fields(row, taken),
            *sorted(unread_components(row.get("reward_components"), prefix="reward_components")),
            *talk.lost,
        ),
        parse_warnings=(*record.warnings, *talk.warnings, *warnings),
    )


def _object(raw: Any, name: str) -> dict[str, Any]:
    """Return an object that may be given as JSON text; an empty one for null."""
    if isinstance(raw, str):
        raw = parse_json(raw.encode("utf-8", "replace")).value
    if raw is not None and not isinstance(raw, dict):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"`{name}` is no object but {type(raw).__name__}")
    return raw or {}


def _conversation(params: dict[str, Any], response: dict[str, Any], *, is_failure: bool) -> Conversation:
    """Return instructions, input and output as one conversation.

    Raises:
        RecordError: There is no list of output items, and no failure that would say why.
    """
    output = response.get("output")
    if output is None and is_failure:
        output = []
    if not isinstance(output, list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "the response has no list `output`")
    instructions = first_present(params, ["instructions"]) or response.get("instructions")
    given = [*_items(instructions, role="system"), *_items(params.get("input"), role="user")]
    before, after = item_messages(given, sampled=False), item_messages(output, sampled=True)
    return Conversation(
        before.messages + after.messages,
        tuple(sorted({*before.lost, *after.lost})),
        before.warnings + after.warnings,
    )


def _items(raw: Any, *, role: str) -> list[Any]:
    """Return items given as a list, or as the text of one message."""
    if isinstance(raw, str):
        return [{"role": role, "content": raw}]
    if raw is not None and not isinstance(raw, list):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"items are no list but {type(raw).__name__}")
    return raw or []


def _header(
    row: dict[str, Any],
    params: dict[str, Any],
    response: dict[str, Any],
    *,
    talk: Conversation,
    settings: IngestSettings,
) -> tuple[Header, tuple[str, ...]]:
    raw_reward = row.get("reward", MISSING)
    reward = convert_reward(raw_reward, settings.reward_range)
    ending, failure = _ending(response), as_text(row.get(_FAILURE))
    is_masked = row.get("mask_sample") is True
    usage = as_object(response.get("usage"))
    error = as_object(response.get("error"))
    sampling = {name: params[name] for name in _SAMPLING if params.get(name) is not None}
    header = Header(
        source_format=OpenAIResponsesAdapter.name,
        env_name=as_text(first_present(row, _ENVIRONMENT)),
        task_id=_task_id(row, params, settings),
        task_text=first_user_text(talk.messages),
        rollout_index=as_integer(row.get("_ng_rollout_index"), bits=32),
        agent_name=as_text(as_object(row.get("agent_ref")).get("name")),
        model_name=as_text(first_present(response, ["model"])) or as_text(params.get("model")),
        sampling_json=canonical_text(sampling) if sampling else None,
        trainable=False if is_masked else None,
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="reward" if "reward" in row else None,
        success=raw_reward if isinstance(raw_reward, bool) else None,
        reward_components=convert_components(row.get("reward_components")),
        reward_valid=ending.reward_valid and failure is None and not is_masked,
        termination=ending.termination if failure is None else Termination.INFRA_ERROR,
        termination_raw=ending.raw if failure is None else failure,
        truncated=ending.is_truncated,
        error_type=failure or as_text(error.get("code")),
        error_message=error["message"] if isinstance(error.get("message"), str) else None,
        started_at=as_datetime(response.get("created_at")),
        prompt_tokens=as_count(usage.get("input_tokens")),
        completion_tokens=as_count(usage.get("output_tokens")),
        cached_tokens=as_count(as_object(usage.get("input_tokens_details")).get("cached_tokens")),
        tools_json=tools_text(first_present(params, ["tools"])),
    )
    return header, (*reward.warnings, *((_MASKED,) if is_masked else ()))


def _task_id(row: dict[str, Any], params: dict[str, Any], settings: IngestSettings) -> str | None:
    """Return the task's own id, else its index in its source.

    Indices begin anew in every input file, so that they are told apart by the source's name or, where none is given,
    by the input's hash; without an index the task's text is all there is.
    """
    own = as_text(first_present(row, settings.fields.task_id))
    index = as_text(row.get("_ng_task_index"))
    if own is not None or index is None:
        return own
    source = as_text(row.get("task_source")) or canonical_hash(params.get("input"))[:12]
    return f"{source}/{index}"


def _ending(response: dict[str, Any]) -> Ending:
    """Return how the response ended; an incomplete one for the reason it states."""
    status = as_text(response.get("status"))
    if status == "incomplete":
        reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
        return ending_of(reason or status)._replace(is_truncated=True)
    return ending_of(None if status == "failed" else status, error=response.get("error"))._replace(raw=status)
