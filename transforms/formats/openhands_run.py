"""One OpenHands run, whatever the version of its events: the contexts the model saw, and how the run ended."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason, Termination
from schemas.records import Header, Message, Rollout
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_count, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.openhands_contexts import Event, contexts_of
from transforms.formats.openhands_v0 import flat_events, speaks_v0, v0_losses, v0_messages, v0_tools
from transforms.formats.openhands_v1 import speaks_v1, v1_losses, v1_messages, v1_tools
from transforms.formats.sessions import CONDENSED
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError

_PHRASES: Final = (
    (re.compile(r"maximum iteration|max_iterations|iteration limit", re.IGNORECASE), "max_iterations"),
    (re.compile(r"maximum budget|budget (?:limit|exceeded)", re.IGNORECASE), "max_cost"),
    (re.compile(r"context.?window|prompt is too long", re.IGNORECASE), "context_window_exceeded"),
    (re.compile(r"stuck", re.IGNORECASE), "agent_error"),
    (re.compile(r"litellm|out.of.credits|internal.?server|authentication|runtime.*(?:ready|alive)|timed? ?out",
                re.IGNORECASE), "provider_error"),
)  # fmt: skip
FAILED: Final = "ConversationErrorEvent"
_FAILED_FIELDS: Final = frozenset({"kind", "id", "timestamp", "source", "parent_id", "code", "detail"})
_STATUS: Final = {"finished": "finished", "error": "agent_error", "stuck": "agent_error", "paused": "interrupted"}


class Stretch(NamedTuple):
    """The messages of one context; `name` is empty for the one the run ended in."""

    name: str
    messages: tuple[Message, ...]


class Run(NamedTuple):
    """A run's contexts, the last one first, and what its events say beside messages.

    `fault` is what the conversation's last error event says in words.
    """

    stretches: tuple[Stretch, ...]
    tools_json: str | None
    ending: Ending
    fault: str | None
    losses: frozenset[str]
    warnings: tuple[str, ...]


def read_run(history: Sequence[Any], *, error: Any = None) -> Run:
    """Return a run from its events.

    Args:
        history: The events, V0 or V1.
        error: What the harness says went wrong, where it says so.

    Raises:
        RecordError: An event is no object, or one that speaks is unusable.
    """
    events: list[Event] = flat_events(history)
    for index, event in enumerate(events):
        if not isinstance(event, dict):
            kind = type(event).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"event {index} is no object but {kind}")
    is_v1 = any(isinstance(event.get("kind"), str) for event in events)
    found = contexts_of(events, speaks_v1 if is_v1 else speaks_v0)
    read = v1_messages if is_v1 else v0_messages
    stretches = tuple(Stretch(context.name, read(context.seen)) for context in found.contexts)
    is_condensed = any("/context:" in stretch.name for stretch in stretches)
    return Run(
        stretches=stretches,
        tools_json=tools_text(v1_tools(events) if is_v1 else v0_tools(events)),
        ending=_ending(events, error),
        fault=_fault_words(events),
        losses=frozenset(v1_losses(events) if is_v1 else v0_losses(events)) - _told(events, error),
        warnings=(*found.warnings, *((CONDENSED,) if is_condensed else ())),
    )


def run_rollouts(run: Run, whole: Rollout) -> Iterator[Rollout]:
    """Yield the rollouts of a run: the scored one, then the contexts before it and other branches, unscored.

    Args:
        run: The run.
        whole: The rollout with the run's header, without messages.
    """
    for number, stretch in enumerate(run.stretches):
        if not stretch.name:
            yield replace(whole, messages=stretch.messages)
            continue
        yield replace(
            whole,
            header=_unscored(whole.header, number),
            messages=stretch.messages,
            native_id=None if whole.native_id is None else f"{whole.native_id}{stretch.name}",
            canonical_sha256=canonical_hash([whole.canonical_sha256, stretch.name]),
            record_key=f"{whole.record_key}{stretch.name}",
            parent_key=whole.record_key,
        )


def spent(metrics: Any) -> dict[str, Any]:
    """Return the cost and token columns a run's metrics state."""
    stated = as_object(metrics)
    usage = as_object(stated.get("accumulated_token_usage"))
    return {
        "cost_usd": as_number(stated.get("accumulated_cost")),
        "prompt_tokens": as_count(usage.get("prompt_tokens")),
        "completion_tokens": as_count(usage.get("completion_tokens")),
        "cached_tokens": as_count(usage.get("cache_read_tokens")),
    }


def _unscored(header: Header, number: int) -> Header:
    """Return the header of a part of a run: what names the task and the policy, without the outcome."""
    return Header(
        source_format=header.source_format,
        env_type=header.env_type,
        task_id=header.task_id,
        task_source=header.task_source,
        task_text=header.task_text,
        run_id=header.run_id,
        rollout_index=header.rollout_index,
        branch_index=number,
        session_id=header.session_id,
        repo=header.repo,
        agent_name=header.agent_name,
        agent_version=header.agent_version,
        model_name=header.model_name,
        tools_json=header.tools_json,
    )


def _told(events: Sequence[Event], error: Any) -> frozenset[str]:
    """Return the name of error events where the header tells the only one: its code and its words."""
    failed = [event for event in events if event.get("kind") == FAILED]
    is_told = len(failed) == 1 and not error and failed[0].keys() <= _FAILED_FIELDS
    return frozenset({f"events[{FAILED}]"}) if is_told and _fault_words(failed) is not None else frozenset()


def _fault_words(events: Sequence[Event]) -> str | None:
    """Return the words of the last error event of the conversation, as the ending is told by its code."""
    failed = (event for event in reversed(events) if event.get("kind") == FAILED)
    return as_text(next(failed, {}).get("detail"))


def _ending(events: Sequence[Event], error: Any) -> Ending:
    """Return how a run ended: by the harness's error, a conversation's error, its last state, or a call of finish."""
    if error:
        return _fault(error if isinstance(error, str) else as_object(error).get("message"), error)
    for event in reversed(events):
        if event.get("kind") == FAILED:
            code = as_text(event.get("code"))
            return _fault(f"{code} {event.get('detail')}", {"type": code, "message": event.get("detail")})
        if event.get("key") == "execution_status" and str(event.get("value")) in _STATUS:
            return ending_of(_STATUS[event["value"]])._replace(raw=event["value"])
        if event.get("tool_name") == "finish" or event.get("action") == "finish":
            return ending_of("finish")
    return ending_of(None)


def _fault(words: Any, error: Any) -> Ending:
    said = words if isinstance(words, str) else ""
    ending = ending_of(None, error=error)
    if ending.termination is not Termination.INFRA_ERROR:
        word = next((word for pattern, word in _PHRASES if pattern.search(said)), None)
        ending = ending if word is None else ending_of(word)
    return ending._replace(raw=as_text(as_object(error).get("type")) or ending.raw)
