"""From a rollout's messages to the steps of a trajectory."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Final, TypeVar

from schemas.reasons import Termination
from schemas.records import Header, Rollout, Step, Trajectory
from transforms.formats.endings import FAULTS
from transforms.formats.faults import fault_of, is_infrastructure
from transforms.formats.steps import own_steps, steps_of
from transforms.store.keys import short_id

NO_AGENT_ACTION: Final = "no_agent_action"
_FAULT_CHARS: Final = 1000
_DECORATION: Final = " \t\r\n*`[]<>"
_UNSEEN: Final = " \t\r\n\u200b\u200c\u200d\u2060\ufeff"
_NOTHING: Final = frozenset({"", "(no content)"})
"""What a harness writes where a turn has no text; `null` and `[]` as text are answers, which some tasks ask for."""
_ERROR_TEXT: Final = re.compile(
    r"[\s*`\[<]*(?:(?:(?:API|HTTP|LLM|[Mm]odel|[Pp]rovider|[Ss]erver|[Ii]nternal) )?"
    r"(?:[\w.]*(?:Error|Exception)|ERROR|error)\b"
    r"|(?:HTTP )?(?:429|5\d\d)\b|Request failed\b|Connection (?:error|reset|refused|aborted|timed out)\b)"
)
"""How the text of an error begins that a harness writes where the agent's turn would stand."""
Text = TypeVar("Text")
Answer = TypeVar("Answer")


def assemble(rollout: Rollout, traj_id: str, *, secrets_redacted: Mapping[str, int]) -> Trajectory:
    """Return the trajectory of a redacted rollout.

    Args:
        rollout: Header and messages, redacted.
        traj_id: The trajectory's id.
        secrets_redacted: Replaced secrets by kind.
    """
    steps = steps_of(rollout.messages)
    header, warnings = _checked_header(rollout, steps)
    return Trajectory(
        traj_id=traj_id,
        header=header,
        steps=steps,
        native_id=rollout.native_id,
        record_key=rollout.record_key,
        record_offset=rollout.record_offset,
        task_hash=task_hash(rollout.header.task_text, rollout.canonical_sha256),
        system_prompt_hash=system_prompt_hash(steps),
        lost_fields=rollout.lost_fields,
        parse_warnings=(*rollout.parse_warnings, *warnings),
        secrets_redacted=secrets_redacted,
    )


def normalise_task_text(text: str) -> str:
    """Return a task's text in the form that is compared: NFKC, lower case, single blanks."""
    # ASCII is in every normal form, and looking each character up costs more than all the rest.
    normal = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(normal.split()).lower()


def task_hash(task_text: str | None, canonical_sha256: str) -> str:
    """Return the hash of a task's normalised text; a rollout without a task text is its own task."""
    return _text_hash(task_text or "") or short_id("no task text", canonical_sha256)


def system_prompt_hash(steps: tuple[Step, ...]) -> str | None:
    """Return the hash of the system messages before the first other step; None when there are none."""
    prompts = []
    for step in steps:
        if step.source != "system":
            break
        prompts.append(step.message or "")
    return _prompts_hash(prompts) if prompts else None


def _remembering_last(function: Callable[[Text], Answer]) -> Callable[[Text], Answer]:
    """Return the function with a memory of one call: rollouts of one task mostly follow each other.

    To compare a text with the one before takes a thirtieth of hashing it, as a larger memory would too.
    """
    last: tuple[Text, Answer] | None = None

    @wraps(function)
    def remembering(text: Text) -> Answer:
        nonlocal last
        known = last
        if known is not None and known[0] == text:
            return known[1]
        answer = function(text)
        last = text, answer
        return answer

    return remembering


@_remembering_last
def _text_hash(task_text: str) -> str | None:
    normalised = normalise_task_text(task_text)
    return short_id("task", normalised) if normalised else None


@_remembering_last
def _prompts_hash(prompts: list[str]) -> str:
    digest = hashlib.sha256()
    for prompt in prompts:
        digest.update(b"%d:" % len(prompt))
        digest.update(prompt.encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def has_acted(steps: tuple[Step, ...]) -> bool:
    """Say whether the agent said or did anything itself."""
    return any(step.calls or _says_something(step.message) for step in own_steps(steps))


def _says_something(message: str | None) -> bool:
    return message is not None and message.strip(_UNSEEN) not in _NOTHING


def _only_told_a_fault(steps: tuple[Step, ...]) -> bool:
    """Say whether each turn of an agent that had some is the error of a provider that stands in its place."""
    return all(not step.calls and _is_fault(step.message) for step in own_steps(steps))


def _is_fault(message: str | None) -> bool:
    if message is None or len(message) > _FAULT_CHARS or _ERROR_TEXT.match(message) is None:
        return False
    told = fault_of(message.strip(_DECORATION))
    return told is not None and is_infrastructure(told)


def _checked_header(rollout: Rollout, steps: tuple[Step, ...]) -> tuple[Header, tuple[str, ...]]:
    """Return the header and what there is to say of it: a run in which the agent did nothing has no valid reward.

    An empty turn is the policy's own where the run's ending says so, and so is one that was only thought, or took
    completion tokens; unless a fault came with it. An error of the provider in place of the turns is none of the
    agent's. A run without any step whose format keeps none is judged by the fault alone.
    """
    header = rollout.header
    faulted = header.termination in FAULTS or header.error_type is not None
    acted = has_acted(steps) and not _only_told_a_fault(steps)
    tried = not steps and (header.completion_tokens or 0) > 0
    untold = rollout.is_header_only and not steps and not faulted and header.reward_valid
    if acted or tried or untold or (not faulted and _had_own_turn(header, steps)):
        return header, ()
    return replace(header, reward_valid=False), (NO_AGENT_ACTION,)


def _had_own_turn(header: Header, steps: tuple[Step, ...]) -> bool:
    """Say whether the agent had turns, all empty, that are its own: it thought, or the run ended with them."""
    turns = own_steps(steps)
    if not turns or any(_says_something(step.message) for step in turns):
        return False
    thought = any((step.reasoning or "").strip() for step in turns)
    return thought or header.termination is not Termination.UNKNOWN or (header.completion_tokens or 0) > 0
