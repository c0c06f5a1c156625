"""Hashes and sizes of a trajectory, computed from it alone."""

import math
from functools import lru_cache
from typing import Any, Final

import orjson

from schemas.records import Step, Trajectory
from transforms.formats.steps import own_steps
from transforms.store.keys import canonical_json, sha_hex

TOKENIZER: Final = "bytes/4"
"""The token estimate: a quarter of the UTF-8 bytes, rounded up; text and code have 3 to 4.5 bytes a token."""


def describe_features(
    trajectory: Trajectory, *, short_horizon_max_steps: int, medium_horizon_max_steps: int
) -> dict[str, Any]:
    """Return the trajectory's row of the table `features`."""
    header = trajectory.header
    calls = [call for step in trajectory.steps for call in step.calls]
    num_own_steps = len(own_steps(trajectory.steps))
    is_scored = header.reward is not None or header.success is not None
    has_tests = header.tests_passed is not None or header.tests_failed is not None
    return {
        "traj_id": trajectory.traj_id,
        "content_hash": content_hash(trajectory),
        "task_text_hash": trajectory.task_hash,
        "actions_hash": actions_hash(trajectory),
        "toolset_hash": toolset_hash(header.tools_json),
        "num_calls": len(calls),
        "num_distinct_tools": len({call.tool_name for call in calls}),
        "horizon": _horizon(num_own_steps, short_horizon_max_steps, medium_horizon_max_steps),
        "verifiable": is_scored or has_tests or bool(header.reward_components),
        "process_rewards": sorted(header.reward_components),
        "secrets_redacted": sorted(trajectory.secrets_redacted.items()),
        "token_count": math.ceil(sum(map(_step_bytes, trajectory.steps)) / 4),
        "tokenizer": TOKENIZER,
    }


def content_hash(trajectory: Trajectory) -> str:
    """Return the hash of all that was said, called and answered; ids, times and costs are left out."""
    parts: list[str | int | None] = ["content"]
    for step in trajectory.steps:
        parts += [step.source, step.message_state, step.message, step.parts_json, step.reasoning, len(step.calls)]
        for call in step.calls:
            parts += [call.tool_name, call.arguments_json, call.arguments_raw, call.result_text]
        parts.append(step.obs_text)
    return sha_hex(*parts)


def actions_hash(trajectory: Trajectory) -> str:
    """Return the hash of the sequence of (tool name, parsed arguments) of the agent's own calls.

    Arguments that parse are compared as values, so spacing and the order of keys do not count; others as written.
    """
    parts: list[str | bytes | int | None] = ["actions"]
    for step in own_steps(trajectory.steps):
        for call in step.calls:
            parts.append(call.tool_name)
            if call.arguments_json is None:
                parts += [None, call.arguments_raw]
            else:
                parts.append(_canonical(call.arguments_json))
    return sha_hex(*parts)


@lru_cache(maxsize=64)
def toolset_hash(tools_json: str | None) -> str:
    """Return the hash of the set of tool schemas on offer, whatever their order; one value where none is stated."""
    if tools_json is None:
        return sha_hex("toolset", None)
    try:
        tools = orjson.loads(tools_json)
    except ValueError:
        return sha_hex("toolset", tools_json)
    listed = tools if isinstance(tools, list) else [tools]
    return sha_hex("toolset", *sorted({canonical_json(tool) for tool in listed}))


def _canonical(json_text: str) -> bytes:
    try:
        return canonical_json(orjson.loads(json_text))
    except ValueError:
        return json_text.encode("utf-8", "surrogatepass")


def _horizon(num_steps: int, short_max: int, medium_max: int) -> str:
    if num_steps <= short_max:
        return "short"
    return "medium" if num_steps <= medium_max else "long"


def _step_bytes(step: Step) -> int:
    """Return the bytes of what was said, called and answered in a step; what several calls gave back counts once."""
    size = _num_bytes(step.message) + _num_bytes(step.reasoning) + _num_bytes(step.obs_text)
    for call in step.calls:
        size += _num_bytes(call.arguments_json if call.arguments_json is not None else call.arguments_raw)
        if len(step.calls) > 1 and not step.obs_text:
            size += _num_bytes(call.result_text)
    return size


def _num_bytes(text: str | None) -> int:
    if not text:
        return 0
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
