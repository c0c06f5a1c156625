"""verifiers v1 `traces.jsonl`: an episode in every line, several traces in an episode, several branches in a trace.

Every branch is a trajectory. The run's own conversation (the last branch) is the parent of the others and alone bears
the trace's reward, so that a run counts once however often it branched.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import chat_messages
from transforms.formats.contract import OpenFile, build_groups
from transforms.formats.fields import as_count, as_datetime, as_integer, as_list, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken, untaken_of_each
from transforms.formats.message_graph import Branch, Graph, graph_of
from transforms.formats.rewards import convert_components, convert_reward, unread_components
from transforms.formats.row_files import RowAdapter, row_records
from transforms.formats.tools import tools_text
from transforms.formats.verifiers import fault_ending
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

REWARD_ON_PARENT: Final = "reward_on_parent"
"""Warning: the reward of the trace stands at its own conversation, which is this branch's parent."""
PARTLY_SCORED: Final = "reward_partly_scored"
"""Warning: some of the trace's rewards were not computed, so their sum is not known."""
_WATCHED: Final = frozenset({"id", "key", "hash", "rewards", "score", "traces"})
_TAKEN: Final = frozenset(
    {
        "version", "id", "task", "agent", "tools", "nodes", "calls", "rewards", "metrics", "is_completed", "ok",
        "stop_condition", "is_timeout", "errors", "timing",
    }
)  # fmt: skip
_TAKEN_OF_NODE: Final = frozenset({"parent", "message", "sampled", "timestamp", "mask", "finish_reason"})


class _Trace(NamedTuple):
    """One trace with what its episode says."""

    native: dict[str, Any]
    episode: dict[str, Any]
    graph: Graph
    sha256: str


class VerifiersTracesAdapter(RowAdapter):
    """Reads verifiers v1 traces, and those prime-rl writes."""

    name = "verifiers_traces"
    version = "3"
    carries = (
        "messages of every branch", "calls", "results", "weighted rewards and their parts", "metrics", "termination",
        "errors", "tokens of each message", "which messages the model produced", "trainable", "task key", "group",
        "policy step",
    )  # fmt: skip
    loses = ("token ids", "log-probabilities", "advantages", "task data beside the prompt", "agent configuration")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.records:
            return any(_is_episode(record) or _is_trace(record) for record in outline.records)
        return outline.has(0, "traces", "env") or outline.has(0, "nodes", "agent", "task")

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        records = row_records(unit, open_file, settings, watched=_WATCHED)
        traces = (trace for record in records for trace in _traces(record))
        return build_groups(
            traces,
            lambda record: _branches(record, settings.reward_range),
            sources=lambda record: (record.value["trace"], record.value["episode"]),
        )


def _is_episode(record: dict[str, Any]) -> bool:
    return isinstance(record.get("traces"), list) and bool({"env", "group", "run"} & record.keys())


def _is_trace(record: dict[str, Any]) -> bool:
    return isinstance(record.get("nodes"), list) and {"agent", "task"} <= record.keys()


def _traces(record: NativeRecord | BadRecord) -> Iterator[NativeRecord | BadRecord]:
    """Yield the traces of an episode, each as `{trace, episode}`; a trace that stands alone is its own."""
    if isinstance(record, BadRecord):
        yield record
        return
    if "traces" not in record.value:
        yield record._replace(value={"trace": record.value, "episode": {}})
        return
    traces = record.value["traces"]
    if not isinstance(traces, list) or not traces:
        message = "the episode has no traces"
        yield BadRecord(record.key, QuarantineReason.MISSING_MESSAGES, message, record.offset, record.length)
        return
    episode = {name: value for name, value in record.value.items() if name != "traces"}
    for index, trace in enumerate(traces):
        key = f"{record.key}/trace:{index}"
        if isinstance(trace, dict):
            yield record._replace(key=key, value={"trace": trace, "episode": episode})
        else:
            message = f"expected an object, got {type(trace).__name__}"
            yield BadRecord(key, QuarantineReason.NOT_AN_OBJECT, message, record.offset, record.length)


def _branches(record: NativeRecord, reward_range: tuple[float, float]) -> list[Rollout]:
    """Return a rollout for every branch of a trace; a trace without messages is one rollout without steps.

    Raises:
        RecordError: The graph or a message is unusable, or a score has no rule.
    """
    native = record.value["trace"]
    trace = _Trace(native, record.value["episode"], graph_of(native.get("nodes")), canonical_hash(native))
    branches = trace.graph.branches or (Branch(0, (), frozenset(), True),)
    keys = [record.key if len(branches) == 1 else f"{record.key}/branch:{branch.index}" for branch in branches]
    return [
        _rollout(
            record._replace(key=key),
            trace,
            branch,
            parent_key=None if key is keys[0] else keys[0],
            reward_range=reward_range,
        )
        for key, branch in zip(keys, branches, strict=True)
    ]


def _rollout(
    record: NativeRecord,
    trace: _Trace,
    branch: Branch,
    *,
    parent_key: str | None,
    reward_range: tuple[float, float],
) -> Rollout:
    messages = _messages(trace, branch)
    header = replace(_header(trace, messages), branch_index=branch.index, trainable=_is_trainable(trace, branch))
    warnings: tuple[str, ...] = (REWARD_ON_PARENT,)
    if parent_key is None:
        header, warnings = _with_reward(header, trace, reward_range)
    return Rollout(
        header=_with_usage(header, messages),
        messages=messages,
        native_id=as_text(trace.native.get("id")),
        canonical_sha256=_content_hash(trace, branch),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=_lost_fields(trace, branch),
        parse_warnings=(*record.warnings, *warnings),
        parent_key=parent_key,
    )


def _content_hash(trace: _Trace, branch: Branch) -> str:
    """Return the hash of a branch: of the trace itself where it has only one."""
    if len(trace.graph.branches) < 2:
        return trace.sha256
    return hashlib.sha256(f"{trace.sha256}/{branch.index}".encode()).hexdigest()


def _is_trainable(trace: _Trace, branch: Branch) -> bool | None:
    stated = as_object(trace.native.get("agent")).get("trainable")
    return False if not branch.is_trainable else stated if isinstance(stated, bool) else None


def _messages(trace: _Trace, branch: Branch) -> tuple[Message, ...]:
    nodes = [trace.graph.nodes[index] for index in branch.nodes]
    messages = chat_messages([node.get("message") for node in nodes])
    calls = {as_integer(call.get("node")): call for call in _calls(trace) if call.get("error") is None}
    return tuple(
        _with_facts(
            message, node, calls.get(index) if index in branch.own else None, is_copied=index not in branch.own
        )
        for message, node, index in zip(messages, nodes, branch.nodes, strict=True)
    )


def _calls(trace: _Trace) -> list[dict[str, Any]]:
    calls = trace.native.get("calls")
    return [as_object(call) for call in calls] if isinstance(calls, list) else []


def _with_facts(message: Message, node: dict[str, Any], call: dict[str, Any] | None, *, is_copied: bool) -> Message:
    """Return the message with its loss mask and the usage of the model call that gave it."""
    usage = as_object((call or {}).get("usage"))
    prompt, cached = (as_count(usage.get(name)) for name in ("prompt_tokens", "cached_input_tokens"))
    span = as_object((call or {}).get("time"))
    start, end = as_number(span.get("start")), as_number(span.get("end"))
    sampled = None if message.role == "tool" else _is_sampled(node)
    return replace(
        message,
        sampled=sampled,
        # An agent's message that no model call of the run produced was put there as context.
        is_copied_context=is_copied or (message.role == "assistant" and sampled is False),
        timestamp=as_datetime(node.get("timestamp")) or message.timestamp,
        prompt_tokens=None if prompt is None else prompt + (cached or 0),
        completion_tokens=as_count(usage.get("completion_tokens")),
        cached_tokens=cached,
        cost_usd=as_number(usage.get("cost")),
        latency_s=end - start if start and end and end >= start else None,
    )


def _is_sampled(node: dict[str, Any]) -> bool | None:
    """Return whether any token of the message is trained on; without a mask, whether a model call produced it."""
    mask = node.get("mask")
    if isinstance(mask, list) and mask:
        return any(mask)
    stated = node.get("sampled")
    return stated if isinstance(stated, bool) else None


def _header(trace: _Trace, messages: tuple[Message, ...]) -> Header:
    native, episode = trace.native, trace.episode
    task = as_object(native.get("task")) or as_object(episode.get("task"))
    agent = as_object(native.get("agent"))
    environment, run = as_object(episode.get("env")), as_object(episode.get("run"))
    work = as_object(run.get("work"))
    calls = _calls(trace)
    error = _last_error(native)
    stop = "timeout" if native.get("is_timeout") is True else native.get("stop_condition")
    ending = fault_ending(stop, error)
    finish = next((call.get("finish_reason") for call in reversed(calls) if call.get("error") is None), None)
    timing = as_object(native.get("timing"))
    sampling = next((found for call in calls if (found := as_object(call.get("sampling")))), None)
    step = as_integer(as_object(work.get("policy")).get("start"))
    return Header(
        source_format=VerifiersTracesAdapter.name,
        task_id=as_text(task.get("key")) or as_text(task.get("hash")),
        task_source=as_text(environment.get("id")),
        task_text=_task_text(as_object(task.get("data")), messages),
        task_checksum=as_text(task.get("hash")),
        group_id=as_text(as_object(episode.get("group")).get("id")),
        run_id=as_text(run.get("id")),
        policy_step=as_integer(work.get("step")) if step is None else step,
        env_name=as_text(environment.get("name")) or as_text(environment.get("id")),
        agent_name=as_text(agent.get("name")),
        model_name=next((name for call in calls if (name := as_text(call.get("model")))), None),
        sampling_json=canonical_text(sampling) if sampling else None,
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=True if finish == "length" else ending.is_truncated,
        error_type=as_text(error.get("type")),
        error_message=as_text(error.get("message")),
        started_at=as_datetime(timing.get("start")),
        tools_json=tools_text(native.get("tools")),
    )


def _last_error(native: dict[str, Any]) -> dict[str, Any]:
    """Return the error that ended a trace; a trace that came through has only errors of earlier attempts."""
    errors = as_list(native.get("errors"))
    return as_object(errors[-1]) if errors and native.get("ok") is not True else {}


def _task_text(data: dict[str, Any], messages: tuple[Message, ...]) -> str | None:
    stated = next(
        (data[name] for name in ("prompt", "instruction", "question") if isinstance(data.get(name), str)), ""
    )
    if stated.strip():
        return stated
    return next((message.content for message in messages if message.role == "user" and message.content), None)


def _with_reward(header: Header, trace: _Trace, reward_range: tuple[float, float]) -> tuple[Header, tuple[str, ...]]:
    """Return the header with the weighted sum of the rewards; one that was not computed leaves the sum unknown.

    Raises:
        RecordError: A score is of a kind the conversion table has no rule for.
    """
    rewards = trace.native.get("rewards")
    if rewards is not None and not isinstance(rewards, dict):
        # One number in place of the map is the sum itself.
        rewards = {"rewards": rewards}
    rewards = as_object(rewards)
    scores = {
        name: convert_reward(item.get("score") if isinstance(item, dict) else item, reward_range)
        for name, item in rewards.items()
    }
    known = {name: score.value for name, score in scores.items() if score.value is not None}
    weights = {name: as_number(as_object(item).get("weight")) for name, item in rewards.items()}
    is_known = bool(rewards) and len(known) == len(rewards)
    total = sum(value * (1.0 if (w := weights[name]) is None else w) for name, value in known.items())
    reward = convert_reward(total if is_known else None, reward_range)
    partly = (PARTLY_SCORED,) if known and not is_known else ()
    warnings = (*(warning for score in scores.values() for warning in score.warnings), *reward.warnings, *partly)
    header = replace(
        header,
        reward=reward.value,
        reward_raw=canonical_text(rewards) if rewards else None,
        reward_name=next(iter(rewards)) if len(rewards) == 1 else "rewards" if rewards else None,
        reward_components={**convert_components(trace.native.get("metrics")), **known},
    )
    return header, tuple(dict.fromkeys(warnings))


def _with_usage(header: Header, messages: tuple[Message, ...]) -> Header:
    """Return the header with the sums of what the branch's own messages cost."""
    sums: dict[str, Any] = {}
    for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"):
        known = [value for message in messages if (value := getattr(message, name)) is not None]
        sums[name] = sum(known) if known else None
    return replace(header, **sums)


def _lost_fields(trace: _Trace, branch: Branch) -> tuple[str, ...]:
    nodes = (trace.graph.nodes[index] for index in branch.nodes)
    names = untaken_of_each(nodes, _TAKEN_OF_NODE, prefix="nodes[].") | untaken(trace.native, _TAKEN)
    failed = {"calls[].error"} if any(call.get("error") is not None for call in _calls(trace)) else set()
    return tuple(sorted(names | failed | unread_components(trace.native.get("metrics"), prefix="metrics")))
