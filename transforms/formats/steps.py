"""Messages to steps, calls paired with their results, and steps back to the messages they came from.

A tool message is folded into the step whose call it answers: by id; else, right behind the step, by position; else by
name. What a call has no column for is kept in the step's `extra_json` under `RESULTS_KEY`. A tool message that answers
no call is the observation of the agent step without calls it follows, or else a step of its own.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Final

from schemas.records import Call, Message, MessageCall, Step
from transforms.formats.arguments import command_of
from transforms.formats.leftovers import RESULTS_KEY, merge_extra, restore, result_leftover, self_leftover, split_extra
from transforms.formats.tools import tool_kind

__all__ = ["RESULTS_KEY", "has_unknown_result_id", "messages_of", "steps_of"]
_SOURCES: Final = {"system": "system", "user": "user", "assistant": "agent", "tool": "environment"}
_ROLES: Final = {source: role for role, source in _SOURCES.items()}
_RESULT_STATES: Final = {"text": "ok", "parts": "ok", "null": "null", "missing": "null"}


@dataclass(slots=True)
class _Draft:
    """A step while its results are still coming; `results` is aligned with the message's calls."""

    message: Message
    call_ids: list[str]
    results: list[Message | None]
    paired_by: list[str | None]
    observation: Message | None = None
    generated: tuple[int, ...] = ()

    def first_open(self, name: str | None) -> tuple[int, str] | None:
        """Return the call that a result without a known id answers, and by which rule."""
        open_calls = [index for index, result in enumerate(self.results) if result is None]
        if not open_calls:
            return None
        first = open_calls[0]
        if name is None or self.message.calls[first].name == name:
            return first, "position"
        named = [index for index in open_calls if self.message.calls[index].name == name]
        return (named[0], "name") if named else None


def steps_of(messages: Iterable[Message]) -> tuple[Step, ...]:
    """Return the steps of a conversation, numbered from 1."""
    messages = tuple(messages)
    ids = _CallIds(messages)
    drafts: list[_Draft] = []
    current: _Draft | None = None
    for message in messages:
        if message.role == "tool" and not message.calls and _fold(message, current, ids):
            continue
        draft = ids.open_step(message, len(drafts) + 1) if message.calls else _Draft(message, [], [], [])
        drafts.append(draft)
        if message.role != "tool":
            current = draft
    return tuple([_close(draft, number) for number, draft in enumerate(drafts, start=1)])


def _fold(message: Message, current: _Draft | None, ids: "_CallIds") -> bool:
    """Give a tool message to the call it answers; say whether there is one."""
    if message.tool_call_id is not None and (slot := ids.take_open(message.tool_call_id, current)):
        draft, index = slot
        draft.results[index] = message
        draft.paired_by[index] = "id"
        return True
    if current is None:
        return False
    if current.message.calls:
        found = current.first_open(message.tool_name)
        if found is None:
            return False
        current.results[found[0]], current.paired_by[found[0]] = message, found[1]
        return True
    if current.message.role == "assistant" and current.observation is None and message.content is not None:
        current.observation = message
        return True
    return False


class _CallIds:
    """The call ids of one conversation: unique ones for the steps, and the calls still open under each native id."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages
        self._used: set[str] = set()
        self._open: dict[str, list[tuple[_Draft, int]]] = {}

    def open_step(self, message: Message, number: int) -> _Draft:
        size = len(message.calls)
        draft = _Draft(message, [], [None] * size, [None] * size)
        for index, call in enumerate(message.calls):
            identifier = call.call_id or ""
            if not identifier or identifier in self._used:
                identifier = self._fresh(f"call_{number}_{index}")
                draft.generated += (index,)
            self._used.add(identifier)
            draft.call_ids.append(identifier)
            if call.call_id:
                self._open.setdefault(call.call_id, []).append((draft, index))
        return draft

    @cached_property
    def _native(self) -> set[str | None]:
        called = {call.call_id for message in self._messages for call in message.calls}
        return called | {message.tool_call_id for message in self._messages}

    def _fresh(self, wanted: str) -> str:
        while wanted in self._native or wanted in self._used:
            wanted += "_"
        return wanted

    def take_open(self, native_id: str, current: _Draft | None) -> tuple[_Draft, int] | None:
        """Return the open call of that id: of the current step first, else of the latest step."""
        slots = self._open.get(native_id)
        if slots is None:
            return None
        slots = [slot for slot in slots if slot[0].results[slot[1]] is None]
        if len(slots) < 2:
            return slots[0] if slots else None
        return next((slot for slot in slots if slot[0] is current), slots[-1])


_ORIGIN: Final = attrgetter("role_raw", "actor", "timestamp", "parts_json", "reasoning")
_COSTS: Final = attrgetter(
    *("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "latency_s", "step_reward"),
    *("is_copied_context", "is_demo", "sampled", "llm_call_count"),
)
"""What a step takes over from its message as it stands, in the order of the step's fields."""


def _close(draft: _Draft, number: int) -> Step:
    message, results = draft.message, draft.results
    calls: tuple[Call, ...] = ()
    leftovers: dict[str, Any] = {}
    if len(results) == 1 and (answer := results[0]) is not None and message.role != "tool":
        # Most steps with calls have one, and its answer is all that came back.
        calls = (_call(draft, 0),)
        text, is_error, exit_code = answer.content, answer.is_error, answer.exit_code
        by_id = draft.paired_by[0] == "id"
        if rest := result_leftover(answer, calls[0].tool_name, calls[0].requestor, is_paired_by_id=by_id):
            leftovers["0"] = rest
    elif results or draft.observation is not None or message.role == "tool":
        calls = tuple([_call(draft, index) for index in range(len(results))])
        answers = _answers(draft)
        text = _observation_text(answers) if answers else None
        is_error, exit_code = _outcome(message, answers)
        leftovers = _result_leftovers(draft, calls)
    else:
        text = is_error = exit_code = None
    if rest := self_leftover(message):
        leftovers["self"] = rest
    # Made from its values at once: naming 26 arguments costs as much as all the rest of the step.
    values = (
        number,
        _SOURCES[message.role],
        message.content,
        message.content_state,
        calls,
        *_ORIGIN(message),
        command_of(calls[0].arguments_json) if calls else None,
        text,
        is_error,
        None,
        exit_code,
        *_COSTS(message),
        merge_extra(message.extra_json, leftovers) if leftovers else message.extra_json,
    )
    return Step._make(values)


def _result_leftovers(draft: _Draft, calls: tuple[Call, ...]) -> dict[str, Any]:
    leftovers: dict[str, Any] = {}
    for call, result in zip(calls, draft.results, strict=True):
        if result is None:
            continue
        by_id = call.paired_by == "id"
        if rest := result_leftover(result, call.tool_name, call.requestor, is_paired_by_id=by_id):
            leftovers[str(call.call_index)] = rest
    if draft.observation is not None and (rest := result_leftover(draft.observation, None, "assistant")):
        leftovers["observation"] = rest
    return leftovers


def _call(draft: _Draft, index: int) -> Call:
    call, result = draft.message.calls[index], draft.results[index]
    arguments_json, state = call.arguments_json, call.arguments_state
    arguments = arguments_json if arguments_json is not None else f"{state}:{call.arguments_raw}"
    values = (
        index,
        draft.call_ids[index],
        call.name,
        tool_kind(call.name, arguments_json),
        arguments_json,
        state,
        hashlib.sha256(arguments.encode("utf-8", "surrogatepass")).hexdigest()[:32],
        call.call_id,
        index in draft.generated,
        call.arguments_raw,
        result.content if result is not None else None,
        _result_state(result) if result is not None else "missing",
        result.is_error if result is not None else None,
        result.exit_code if result is not None else None,
        draft.paired_by[index],
        call.requestor,
    )
    return Call._make(values)


def _result_state(result: Message) -> str:
    return "null" if result.content is None else _RESULT_STATES.get(result.content_state, "ok")


def _answers(draft: _Draft) -> list[Message]:
    """Return what came back to a step: the results of its calls, or its observation."""
    answers = [result for result in draft.results if result is not None] if draft.results else []
    if draft.observation is not None:
        answers.append(draft.observation)
    return answers


def _outcome(message: Message, answers: Sequence[Message]) -> tuple[bool | None, int | None]:
    """Return whether any answer to a step is an error, and the first exit code that is not 0."""
    if message.role == "tool":
        return message.is_error, message.exit_code
    if not answers:
        return None, None
    if len(answers) == 1:
        return answers[0].is_error, answers[0].exit_code
    flags = [answer.is_error for answer in answers if answer.is_error is not None]
    codes = [answer.exit_code for answer in answers if answer.exit_code is not None]
    return (any(flags) if flags else None), next((code for code in codes if code), codes[0] if codes else None)


def _observation_text(answers: Sequence[Message]) -> str | None:
    if len(answers) == 1:
        return answers[0].content
    texts = [answer.content for answer in answers if answer.content is not None]
    return "\n".join(texts) if texts else None


def has_unknown_result_id(steps: Iterable[Step]) -> bool:
    """Say whether a result names a call that is not there and was given to another by its place or name."""
    for step in steps:
        placed = [call for call in step.calls if call.paired_by not in (None, "id")]
        if placed and step.extra_json is not None:
            _, leftovers = split_extra(step.extra_json)
            if any("tool_call_id" in leftovers.get(str(call.call_index), {}) for call in placed):
                return True
    return False


def messages_of(steps: Iterable[Step]) -> tuple[Message, ...]:
    """Return the messages of steps: each result right behind its call's message, in the order of the calls.

    Calls carry their unique ids, and results the ids and names of their calls.
    """
    messages: list[Message] = []
    for step in steps:
        extra, leftovers = split_extra(step.extra_json)
        messages.append(_message(step, extra, leftovers.get("self", {})))
        for call in step.calls:
            if call.result_state != "missing":
                messages.append(_result(call, _own_leftover(step, leftovers.get(str(call.call_index), {}))))
        if not step.calls and step.obs_text is not None:
            answer = Message("tool", step.obs_text, is_error=step.is_error, exit_code=step.exit_code)
            messages.append(restore(answer, leftovers.get("observation", {})))
    return tuple(messages)


def _own_leftover(step: Step, leftover: dict[str, Any]) -> dict[str, Any]:
    """Return a result's leftover without the id of another call of the step, to which that id would pair it."""
    if leftover.get("tool_call_id") not in {call.call_id for call in step.calls}:
        return leftover
    return {name: value for name, value in leftover.items() if name != "tool_call_id"}


def _message(step: Step, extra: str | None, leftover: dict[str, Any]) -> Message:
    message = Message(
        role=_ROLES[step.source],
        content=step.message,
        content_state=step.message_state,
        role_raw=step.role_raw,
        parts_json=step.parts_json,
        reasoning=step.reasoning,
        calls=tuple(
            MessageCall(
                call.tool_name,
                call.arguments_json,
                call.arguments_state,
                call.arguments_raw,
                call.call_id,
                call.requestor,
            )
            for call in step.calls
        ),
        actor=step.actor,
        timestamp=step.timestamp,
        prompt_tokens=step.prompt_tokens,
        completion_tokens=step.completion_tokens,
        cached_tokens=step.cached_tokens,
        cost_usd=step.cost_usd,
        latency_s=step.latency_s,
        step_reward=step.step_reward,
        is_demo=step.is_demo,
        is_copied_context=step.is_copied_context,
        sampled=step.sampled,
        llm_call_count=step.llm_call_count,
        extra_json=extra,
    )
    if step.source == "environment":
        message = replace(message, is_error=step.is_error, exit_code=step.exit_code)
    return restore(message, leftover)


def _result(call: Call, leftover: dict[str, Any]) -> Message:
    answer = Message(
        "tool",
        call.result_text,
        "text" if call.result_text is not None else "null",
        tool_call_id=call.call_id,
        tool_name=call.tool_name,
        is_error=call.is_error,
        exit_code=call.exit_code,
        requestor=call.requestor if call.requestor != "assistant" else None,
    )
    return restore(answer, leftover)
