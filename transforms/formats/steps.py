"""Messages to steps, calls paired with their results, and steps back to the messages they came from.

A tool message is folded into the step whose call it answers: by id; else, right behind the step, by position; else by
name. What a call has no column for is kept in the step's `extra_json` under `RESULTS_KEY`. A tool message that answers
no call is the observation of the agent step without calls it follows, or else a step of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from schemas.records import Call, Message, MessageCall, Step
from transforms.formats.leftovers import RESULTS_KEY, restore, result_leftover, split_extra
from transforms.formats.step_values import SOURCES, answered_step, call_of, step_of, step_with_answer

__all__ = ["RESULTS_KEY", "has_unknown_result_id", "messages_of", "paired_steps", "steps_of"]
_ROLES: Final = {source: role for role, source in SOURCES.items()}


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


def own_steps(steps: Iterable[Step]) -> list[Step]:
    """Return the agent's own steps: demonstrations and context copied from elsewhere left out."""
    return [step for step in steps if step.source == "agent" and not step.is_demo and not step.is_copied_context]


def steps_of(messages: Iterable[Message]) -> tuple[Step, ...]:
    """Return the steps of a conversation, numbered from 1."""
    return paired_steps(tuple(messages), is_looking_ahead=True)


def paired_steps(messages: tuple[Message, ...], *, is_looking_ahead: bool) -> tuple[Step, ...]:
    """Return the steps of a conversation; looking ahead changes nothing but the time it takes.

    A call that the very next message answers by its id is what most steps are. It needs none of the books that are
    kept of open calls, and such a step, or one that no result follows, is closed at once.
    """
    ids = _CallIds(messages)
    found: list[_Draft | Step] = []
    current: _Draft | None = None
    is_told = False
    for message, after in zip(messages, (*messages[1:], None), strict=False):
        if is_told:
            is_told = False
            continue
        is_result = message.role == "tool"
        if is_looking_ahead and not is_result:
            if message.calls:
                if after is not None and ids.is_answered(message, after):
                    found.append(answered_step(len(found) + 1, message, answer=after))
                    current, is_told = _CLOSED, True
                    continue
            elif after is None or after.role != "tool":
                found.append(step_of(len(found) + 1, message))
                continue
        if is_result and not message.calls and _fold(message, current, ids):
            continue
        draft = ids.open_step(message, len(found) + 1) if message.calls else _Draft(message, [], [], [])
        found.append(draft)
        if not is_result:
            current = draft
    numbered = enumerate(found, start=1)
    return tuple([each if isinstance(each, Step) else _close(each, number) for number, each in numbered])


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

    def is_answered(self, message: Message, after: Message) -> bool:
        """Say whether a message's only call has an id of its own that `after` answers; the id is then taken."""
        if len(message.calls) > 1 or after.role != "tool" or after.calls:
            return False
        identifier = message.calls[0].call_id
        if not identifier or identifier != after.tool_call_id or identifier in self._used:
            return False
        self._used.add(identifier)
        return True

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


_CLOSED: Final = _Draft(
    Message("assistant", None, calls=(MessageCall("", None),)), [""], [Message("tool", None)], ["id"]
)
"""A step whose only call has its result: nothing more folds into it."""


def _close(draft: _Draft, number: int) -> Step:
    message, results = draft.message, draft.results
    if message.role != "tool":
        if not results and draft.observation is None:
            return step_of(number, message)
        if len(results) == 1 and results[0] is not None:
            return step_with_answer(number, message, call=_call(draft, 0), answer=results[0])
    calls = tuple([_call(draft, index) for index in range(len(results))])
    answers = _answers(draft)
    text = _observation_text(answers) if answers else None
    outcome = (text, *_outcome(message, answers))
    return step_of(number, message, calls=calls, outcome=outcome, leftovers=_result_leftovers(draft, calls))


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
    return call_of(
        draft.message.calls[index],
        draft.results[index],
        index=index,
        call_id=draft.call_ids[index],
        paired_by=draft.paired_by[index],
        is_generated=index in draft.generated,
    )


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
        if step.extra_json is None:
            continue
        placed = [call for call in step.calls if call.paired_by not in (None, "id")]
        if placed:
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
