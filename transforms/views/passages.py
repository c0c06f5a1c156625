"""The passages of a trajectory: what of it may be compared, before boilerplate is taken out.

Left out always: system prompts, demonstrations, context copied from another run, tool schemas (they are no step), and
the task's statement where a message before the agent's first turn repeats it. What a user or an environment says later
is an observation.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import orjson

from schemas.records import Call, Step, Trajectory
from transforms.formats.inline_files import without_inline_files

TASK_STEP = 0
"""Step id under which the task's statement stands; the trajectory's own steps count from 1."""

_KEPT_CHARS = 4096
"""Arguments of up to so many characters are kept parsed for the next look: every view of a call needs them."""
_BLANK_LINES = re.compile(r"\n\s*\n")


class PassageKind(StrEnum):
    """What a passage is in its step."""

    TASK = "task"
    THOUGHT = "thought"
    ACTION = "action"
    OBSERVATION = "observation"


# The members' names are looked up once: a class of constants finds each anew.
_THOUGHT = PassageKind.THOUGHT
_ACTION = PassageKind.ACTION
_OBSERVATION = PassageKind.OBSERVATION


class Passage(NamedTuple):
    """A text of a step, split into paragraphs; thoughts and actions are one paragraph each."""

    step_id: int
    kind: PassageKind
    paragraphs: tuple[str, ...]


def passages_of(trajectory: Trajectory) -> list[Passage]:
    """Return the trajectory's passages: the task's statement first, then step by step; empty ones are left out."""
    task = trajectory.header.task_text or ""
    passages = [Passage(TASK_STEP, PassageKind.TASK, paragraphs_of(task))]
    statement = _collapsed(task)
    has_acted = False
    for step in comparable_steps(trajectory):
        if step.source == "agent":
            has_acted = True
            passages += _agent_passages(step)
        elif step.message:
            paragraphs = paragraphs_of(step.message)
            if not has_acted:
                paragraphs = tuple(text for text in paragraphs if not _restates(text, statement))
            passages.append(Passage(step.step_id, _OBSERVATION, paragraphs))
        if step.obs_text:
            passages.append(Passage(step.step_id, _OBSERVATION, paragraphs_of(step.obs_text)))
    return [passage for passage in passages if passage.paragraphs]


def comparable_steps(trajectory: Trajectory) -> Iterator[Step]:
    """Give the steps that may be compared: no system prompt, no demonstration, no copied context."""
    for step in trajectory.steps:
        if step.source != "system" and not step.is_demo and not step.is_copied_context:
            yield step


def paragraphs_of(text: str) -> tuple[str, ...]:
    """Return the parts of `text` between blank lines, stripped, without empty ones; files in it are summarised."""
    return tuple(part for part in map(str.strip, _BLANK_LINES.split(without_inline_files(text))) if part)


def call_arguments(call: Call) -> Mapping[str, str]:
    """Return a call's arguments as text by name, in the order of the names; empty when they are no object."""
    text = call.arguments_json
    if text is None:
        return {}
    return _kept_arguments(text) if len(text) <= _KEPT_CHARS else _arguments(text)


@lru_cache(maxsize=1024)
def _kept_arguments(arguments_json: str) -> Mapping[str, str]:
    return _arguments(arguments_json)


def _arguments(arguments_json: str) -> Mapping[str, str]:
    try:
        arguments = orjson.loads(arguments_json)
    except orjson.JSONDecodeError:
        return {}
    if not isinstance(arguments, dict):
        return {}
    return {name: value if isinstance(value, str) else _as_text(value) for name, value in sorted(arguments.items())}


def _agent_passages(step: Step) -> Iterator[Passage]:
    thought = _stripped(step.reasoning)
    said = _stripped(step.message)
    if said:
        thought = f"{thought}\n{said}" if thought else said
    if thought:
        yield Passage(step.step_id, _THOUGHT, (thought,))
    if step.calls:
        actions = "\n".join([_action_text(call) for call in step.calls])
    else:
        actions = _stripped(step.command)
        if actions in thought:
            return
    if actions:
        yield Passage(step.step_id, _ACTION, (actions,))


def _stripped(text: str | None) -> str:
    return text.strip() if text else ""


def _action_text(call: Call) -> str:
    arguments = call_arguments(call)
    if arguments:
        return "\n".join([call.tool_name, *[f"{name} {value}" for name, value in arguments.items()]])
    return f"{call.tool_name} {call.arguments_raw or call.arguments_json or ''}".strip()


def _as_text(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _restates(paragraph: str, statement: str) -> bool:
    collapsed = _collapsed(paragraph)
    return bool(statement) and (collapsed in statement or statement in collapsed)


def _collapsed(text: str) -> str:
    return " ".join(text.split())
