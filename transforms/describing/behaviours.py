"""What the rules see in the way the agent worked.

The rules and their bounds are those of METHODS S9: repeats, loops of period 1 to 3 run at least three times, the same
action again right after an error, invalid actions, early submissions and unverified edits.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import orjson

from schemas.reasons import EnvType, Termination
from schemas.records import Trajectory
from transforms.describing.actions import Action
from transforms.describing.edits import Work, is_program_run, is_test_run
from transforms.formats.steps import own_steps

MAX_LOOP_PERIOD: Final = 3
MIN_LOOP_ROUNDS: Final = 3
_INVALID_STATES: Final = frozenset({"unparsed", "double_encoded"})


def describe_behaviours(trajectory: Trajectory, work: Work) -> dict[str, Any]:
    """Return the trajectory's row of the table `behaviours`; `work` is what its agent did."""
    actions = work.actions
    keys = [action.key for action in actions]
    known = [action.is_failed for action in actions if action.is_failed is not None]
    edit_steps = [edit.step_id for edit in work.edits]
    return {
        "traj_id": trajectory.traj_id,
        "repeat_ratio": repeat_ratio(keys),
        "loop_length": loop_length(keys),
        "ignored_feedback_count": _ignored_feedback_count(actions),
        "invalid_action_ratio": _invalid_action_ratio(actions, trajectory.header.tools_json),
        "error_ratio": sum(known) / len(known) if known else None,
        "recovered": _is_recovered(actions),
        "first_error_step": next((action.step_id for action in actions if action.is_failed), None),
        "premature_submit": _is_premature_submit(trajectory, actions, edit_steps),
        "no_verification": bool(edit_steps) and not _is_checked_after(actions, edit_steps[-1]),
        "agent_acted": _has_acted(trajectory),
    }


def repeat_ratio(keys: list[tuple[str, str]]) -> float:
    """Return the share of actions that repeat an earlier one, 0 for none at all."""
    return 1 - len(set(keys)) / len(keys) if keys else 0.0


def loop_length(keys: list[tuple[str, str]]) -> int:
    """Return the actions in the longest loop: a stretch of period 1 to 3 run at least three times; else 0."""
    longest = 0
    for period in range(1, MAX_LOOP_PERIOD + 1):
        num_equal = 0
        for index in range(period, len(keys)):
            num_equal = num_equal + 1 if keys[index] == keys[index - period] else 0
            length = num_equal + period
            if length >= period * MIN_LOOP_ROUNDS:
                longest = max(longest, length)
    return longest


def _ignored_feedback_count(actions: list[Action]) -> int:
    return sum(bool(earlier.is_failed) and earlier.key == later.key for earlier, later in pairwise(actions))


def _invalid_action_ratio(actions: list[Action], tools_json: str | None) -> float:
    """Return the share of actions that cannot be run: unparsed, unknown tool, a required argument missing, refused."""
    required = _required_arguments(tools_json)
    return sum(_is_invalid(action, required) for action in actions) / len(actions) if actions else 0.0


def _is_invalid(action: Action, required: Mapping[str, frozenset[str]]) -> bool:
    if action.arguments_state in _INVALID_STATES or action.is_invalid_result:
        return True
    if not required:
        return False
    if action.tool_name not in required:
        return not action.is_finish
    return action.arguments is not None and not required[action.tool_name] <= set(action.arguments)


@lru_cache(maxsize=64)
def _required_arguments(tools_json: str | None) -> Mapping[str, frozenset[str]]:
    """Return tool name → names of required arguments, of OpenAI-style tool schemas; empty when there are none."""
    try:
        tools = orjson.loads(tools_json or "[]")
    except ValueError:
        return {}
    required = {}
    for tool in tools if isinstance(tools, list) else []:
        inner = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            return {}
        schema = inner.get("parameters") or inner.get("input_schema") or {}
        names = schema.get("required") if isinstance(schema, dict) else None
        required[inner["name"]] = (
            frozenset(n for n in names if isinstance(n, str)) if isinstance(names, list) else frozenset()
        )
    return required


def _is_recovered(actions: list[Action]) -> bool:
    """Say whether a failed action is followed, at any distance, by a different one that went well."""
    failed_keys: set[tuple[str, str]] = set()
    for action in actions:
        if action.is_failed:
            failed_keys.add(action.key)
        elif action.is_failed is False and failed_keys - {action.key}:
            return True
    return False


def _is_premature_submit(trajectory: Trajectory, actions: list[Action], edit_steps: list[int]) -> bool:
    """Say whether the agent submitted unchecked work: no run after the last edit, a failing test run, or no edit."""
    has_submitted = any(action.is_finish for action in actions)
    if not has_submitted and trajectory.header.termination is not Termination.SUBMITTED:
        return False
    test_runs = [action for action in actions if is_test_run(action)]
    if test_runs and test_runs[-1].is_failed:
        return True
    if not edit_steps:
        return trajectory.header.env_type is EnvType.CODE_REPO
    return not _is_checked_after(actions, edit_steps[-1])


def _is_checked_after(actions: list[Action], last_edit_step: int) -> bool:
    """Say whether a program or test ran in or after the step of the last edit; one line may edit and run."""
    return any(action.step_id >= last_edit_step and is_program_run(action) for action in actions)


def _has_acted(trajectory: Trajectory) -> bool:
    return any(
        step.calls or any((text or "").strip() for text in (step.message, step.command, step.reasoning))
        for step in own_steps(trajectory.steps)
    )
