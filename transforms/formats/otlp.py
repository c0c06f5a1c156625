"""OTLP JSON with GenAI spans: the spans of one conversation are one rollout, wherever in the file they stand.

Every model call repeats the history, so equal beginnings are one conversation; where the history was changed, or a
second agent speaks, there is a branch. The convention has no task and no reward: evaluation events are reward parts,
and a single one of them is the reward.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import names_in
from transforms.formats.arguments import canonical_text
from transforms.formats.contract import OpenFile, PathFacts, build_groups
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_datetime, as_list, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.message_graph import Branch
from transforms.formats.otlp_graph import NANOSECONDS, Talk, talk_of
from transforms.formats.otlp_messages import structured
from transforms.formats.otlp_spans import CONVERSATION, Span, around_spans, conversations_of, spans_of, without_spans
from transforms.formats.rewards import (
    MISSING,
    Reward,
    convert_components,
    convert_reward,
    number_said,
)
from transforms.formats.row_files import row_records
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

REWARD_ON_PARENT: Final = "reward_on_parent"
"""Warning: the conversation's reward stands at the branch that ends last, which is this branch's parent."""
REPEATED: Final = "repeated_span"
"""Warning: a span was exported more than once."""
_EVALUATION: Final = "gen_ai.evaluation."
_SCORE: Final = "gen_ai.evaluation.score.value"
_SAMPLING: Final = "gen_ai.request."
_FOREIGN: Final = "spans without a model or tool"


class _Conversation(NamedTuple):
    """The spans of a conversation and the graph of its messages."""

    name: str
    spans: list[Span]
    talk: Talk
    sha256: str


class OtlpAdapter:
    """Reads exports of OpenTelemetry GenAI spans, also those of earlier conventions and of OpenInference."""

    name = "otlp"
    version = "3"
    carries = (
        "messages of model calls", "calls", "results", "tool failures", "tokens and times of each call", "model",
        "agent", "conversation", "evaluations",
    )  # fmt: skip
    loses = (_FOREIGN, "resources and scopes", "links", "other attributes")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.records:
            return any(isinstance(record.get("resourceSpans"), list) for record in outline.records)
        return outline.has(1 if outline.starts_as == "[" else 0, "resourceSpans")

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        spans: list[Span] = []
        around: set[str] = set()
        warnings: dict[str, None] = {}
        for record in row_records(unit, open_file, settings, watched=frozenset({"resourceSpans"})):
            if isinstance(record, BadRecord):
                yield record
            elif isinstance(record.value.get("resourceSpans"), list):
                found, untold = spans_of(record.value), names_in(without_spans(record.value))
                spans += found
                around |= untold | around_spans(record.value)
                warnings.update(dict.fromkeys(record.warnings))
                if untold and not found:
                    message = f"the record holds no span, but {', '.join(sorted(untold))}"
                    yield BadRecord(
                        record.key, QuarantineReason.MISSING_MESSAGES, message, record.offset, record.length
                    )
            else:
                message = "the record holds no `resourceSpans`"
                yield BadRecord(record.key, QuarantineReason.INVALID_VALUE, message, record.offset, record.length)
        conversations = (
            NativeRecord(f"conversation:{place}", {"name": name, "spans": group}, warnings=tuple(warnings))
            for place, (name, group) in enumerate(conversations_of(spans).items())
        )
        lost = tuple(sorted(around))
        yield from build_groups(
            conversations,
            lambda record: _branches(record, settings.reward_range, around=lost),
            sources=lambda record: ({"spans": [_unnamed(span) for span in record.value["spans"]]},),
        )


def _unnamed(span: Span) -> dict[str, Any]:
    """Return a span without the name that its operation and model, tool or agent give it."""
    operation = span.first("gen_ai.operation.name")
    subjects = (span.first(name) for name in ("gen_ai.request.model", "gen_ai.tool.name", "gen_ai.agent.name"))
    if span.raw.get("name") not in [operation, *(f"{operation} {subject}" for subject in subjects)]:
        return span.raw
    return {name: value for name, value in span.raw.items() if name != "name"}


def _branches(record: NativeRecord, reward_range: tuple[float, float], *, around: tuple[str, ...]) -> list[Rollout]:
    """Return a rollout for every branch of a conversation; one without messages is a rollout without steps.

    Raises:
        RecordError: No span is one of a model or a tool, or a message or the only evaluation is unusable.
    """
    spans = record.value["spans"]
    if all(span.kind == "foreign" for span in spans):
        message = "no span of the trace is one of a model or a tool"
        raise RecordError(QuarantineReason.MISSING_MESSAGES, message)
    sha256 = canonical_hash([span.raw for span in spans])
    conversation = _Conversation(record.value["name"], spans, talk_of(spans), sha256)
    branches = conversation.talk.graph.branches or (Branch(0, (), frozenset(), True),)
    keys = [record.key if len(branches) == 1 else f"{record.key}/branch:{branch.index}" for branch in branches]
    rollouts = [
        _rollout(key, conversation, branch, parent_key=None if key is keys[0] else keys[0], reward_range=reward_range)
        for key, branch in zip(keys, branches, strict=True)
    ]
    return [
        replace(
            rollout,
            lost_fields=(*rollout.lost_fields, *around),
            parse_warnings=(*record.warnings, *rollout.parse_warnings),
        )
        for rollout in rollouts
    ]


def _rollout(
    key: str,
    conversation: _Conversation,
    branch: Branch,
    *,
    parent_key: str | None,
    reward_range: tuple[float, float],
) -> Rollout:
    messages = tuple(
        message if place in branch.own else replace(message, is_copied_context=True, **_NO_USAGE)
        for place in branch.nodes
        for message in (conversation.talk.messages[place],)
    )
    header = replace(_header(conversation.spans, messages), branch_index=branch.index, **_usage(messages))
    warnings: tuple[str, ...] = (REWARD_ON_PARENT,)
    lost: tuple[str, ...] = ()
    if parent_key is None:
        reward, columns, untold = _reward(conversation.spans, reward_range)
        header, warnings, lost = replace(header, **columns), reward.warnings, untold
    if any(span.is_repeated for span in conversation.spans):
        warnings = (*warnings, REPEATED)
    single = len(conversation.talk.graph.branches) < 2
    return Rollout(
        header=header,
        messages=messages,
        native_id=conversation.name or None,
        canonical_sha256=conversation.sha256 if single else canonical_hash([conversation.sha256, branch.index]),
        record_key=key,
        lost_fields=(*_lost_fields(conversation.spans), *lost),
        parse_warnings=(*conversation.talk.warnings, *warnings),
        parent_key=parent_key,
    )


_NO_USAGE: Final[dict[str, Any]] = {
    "prompt_tokens": None,
    "completion_tokens": None,
    "cached_tokens": None,
    "cost_usd": None,
}


def _usage(messages: tuple[Message, ...]) -> dict[str, Any]:
    sums = {}
    for name in _NO_USAGE:
        known = [value for message in messages if (value := getattr(message, name)) is not None]
        sums[name] = sum(known) if known else None
    return sums


def _header(spans: list[Span], messages: tuple[Message, ...]) -> Header:
    ending, error = _ending(spans)
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    sampling = {
        name.removeprefix(_SAMPLING): value
        for span in reversed(spans)
        for name, value in span.attributes.items()
        if name.startswith(_SAMPLING) and name != "gen_ai.request.model"
    }
    return Header(
        source_format=OtlpAdapter.name,
        task_text=next((message.content for message in messages if message.role == "user" and message.content), None),
        session_id=_stated(spans, *CONVERSATION),
        agent_name=_stated(spans, "gen_ai.agent.name", "agent.name"),
        agent_version=_stated(spans, "gen_ai.agent.version"),
        model_name=_stated(spans, "gen_ai.request.model", "llm.model_name", "gen_ai.response.model"),
        model_provider=_stated(spans, "gen_ai.provider.name", "gen_ai.system", "llm.provider"),
        sampling_json=canonical_text(sampling) if sampling else None,
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        error_type=None if error is None else as_text(error.first("error.type")) or "error",
        error_message=None if error is None else error.status_message,
        duration_s=(last - first) / NANOSECONDS if last >= first > 0 else None,
        started_at=as_datetime(first / NANOSECONDS),
        ended_at=as_datetime(last / NANOSECONDS),
        tools_json=tools_text(_first(spans, "gen_ai.tool.definitions")),
    )


def _first(spans: list[Span], name: str) -> Any:
    return next((value for span in spans if (value := span.first(name)) is not None), None)


def _stated(spans: list[Span], *names: str) -> str | None:
    values = (as_text(span.first(name)) for name in names for span in spans)
    return next((value for value in values if value is not None), None)


def _ending(spans: list[Span]) -> tuple[Ending, Span | None]:
    """Return how the conversation ended, and the span that failed: that of the agent, else the last model call."""
    calls = [span for span in spans if span.kind == "chat"] or [span for span in spans if span.kind == "other"]
    decisive = [span for span in spans if span.kind == "agent"][:1] + calls[-1:]
    failed = next((span for span in decisive if span.has_failed), None)
    if failed is not None:
        told = {"type": as_text(failed.first("error.type")) or "error", "message": failed.status_message}
        return ending_of(None, error=told), failed
    reasons = structured(calls[-1].first("gen_ai.response.finish_reasons", "llm.finish_reason")) if calls else None
    words = as_list(reasons) or [reasons]
    return ending_of(words[0]), None


def _reward(spans: list[Span], reward_range: tuple[float, float]) -> tuple[Reward, dict[str, Any], tuple[str, ...]]:
    """Return the reward, its columns, and the names of evaluations that neither tells.

    An evaluation is an event, or a span of its own; it says a number, else a label.

    Raises:
        RecordError: The only evaluation is of a kind the conversion table has no rule for.
    """
    found: dict[str, Any] = {}
    lost: set[str] = set()
    for stated in _evaluations(spans):
        name = as_text(stated.get("gen_ai.evaluation.name")) or "evaluation"
        score, label = stated.get(_SCORE), stated.get(f"{_EVALUATION}score.label")
        number = number_said(score)
        value = number if number is not None else label if label is not None else score
        if found.setdefault(name, value) != value:
            lost.add(f"evaluations[{name}]")
    reward = convert_reward(next(iter(found.values())) if len(found) == 1 else MISSING, reward_range)
    columns: dict[str, Any] = {"reward": reward.value, "reward_raw": reward.raw}
    columns["reward_name"] = next(iter(found)) if len(found) == 1 else None
    components = convert_components(found)
    if len(found) > 1:
        lost |= {f"evaluations[{name}]" for name in found if name not in components}
    return reward, {**columns, "reward_components": components}, tuple(sorted(lost))


def _evaluations(spans: list[Span]) -> Iterator[dict[str, Any]]:
    for span in spans:
        if span.attributes.get(_SCORE) is not None or span.attributes.get(f"{_EVALUATION}score.label") is not None:
            yield span.attributes
        yield from (event.attributes for event in span.events if event.name.startswith(_EVALUATION))


def _lost_fields(spans: list[Span]) -> tuple[str, ...]:
    is_mixed = any(span.kind == "foreign" for span in spans)
    return (_FOREIGN,) if is_mixed else ()
