"""Rollouts as OpenAI chat rows, and the Arrow schema of the same rows."""

from typing import Final

import orjson
import pyarrow as pa

from schemas.reasons import EnvType
from transforms.synthesis.episodes import Episode, Turn
from transforms.synthesis.planting import RolloutPlan, TaskPlan
from transforms.synthesis.prompts import system_prompt, tool_schemas

Record = dict[str, object]

_EXIT_STATUS: Final = {"timeout": "infrastructure_error", "http_5xx": "infrastructure_error"}
_ERRORS: Final = {
    "timeout": "SandboxTimeout: no answer for 600 s",
    "http_5xx": "HTTP 503 Service Unavailable",
    "install_failure": "InstallationFailed: no matching distribution",
}

_CALL: Final = pa.struct(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("function", pa.struct([("name", pa.string()), ("arguments", pa.string())])),
    ]
)
_MESSAGE: Final = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.list_(_CALL)),
        ("tool_call_id", pa.string()),
        ("name", pa.string()),
    ]
)
_COMPONENTS: Final = pa.struct(
    [("unit_test_pass", pa.float64()), ("compile_success", pa.float64()), ("file_localization", pa.float64())]
)
CHAT_SCHEMA: Final = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("task_id", pa.string()),
        ("env_type", pa.string()),
        ("model_name", pa.string()),
        ("agent_name", pa.string()),
        ("agent_version", pa.string()),
        ("run_id", pa.string()),
        ("rollout_index", pa.int32()),
        ("started_at", pa.string()),
        ("exit_status", pa.string()),
        ("error", pa.string()),
        ("reward", pa.float64()),
        ("reward_components", _COMPONENTS),
        ("messages", pa.list_(_MESSAGE)),
        ("tools", pa.string()),
    ]
)
"""Columns of a chat row in Parquet: those of a JSON line, the tool schemas as JSON text."""


def reward_components(env_type: EnvType, episode: Episode) -> dict[str, float]:
    """Return the process rewards: three of a repository, two of a terminal, one of cross-tool work."""
    unit, compiles, localized = episode.components
    components = {"unit_test_pass": unit}
    if env_type is not EnvType.CROSS_TOOL:
        components["compile_success"] = compiles
    if env_type is EnvType.CODE_REPO:
        components["file_localization"] = localized
    return components


def total_reward(env_type: EnvType, episode: Episode) -> float:
    """Return the reward.

    A repository's is 1.0 · unit + .2 · compile + .1 · localization, a terminal's the unit share, cross-tool's 0 or 1.
    """
    unit, compiles, localized = episode.components
    if env_type is EnvType.CODE_REPO:
        return round(unit + 0.2 * compiles + 0.1 * localized, 4)
    return unit if env_type is EnvType.TERMINAL else float(unit == 1.0)


def chat_record(task: TaskPlan, plan: RolloutPlan, episode: Episode, *, native_id: str) -> Record:
    """Return a rollout as an OpenAI chat row; a copy has the call ids of its original."""
    is_judged = plan.is_success is not None
    reward = total_reward(task.env_type, episode) if is_judged else plan.infra_reward
    cause = plan.infra_cause
    source_index = plan.rollout_index if plan.original is None else plan.original
    minute = task.number * 7 + plan.rollout_index
    return {
        "trajectory_id": native_id,
        "task_id": task.task_id,
        "env_type": task.env_type.value,
        "model_name": plan.model_name,
        "agent_name": "sample-agent",
        "agent_version": "1.0",
        "run_id": f"run-{plan.rollout_index:02d}",
        "rollout_index": plan.rollout_index,
        "started_at": f"2025-01-{1 + minute // 1440 % 28:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00Z",
        "exit_status": _EXIT_STATUS.get(cause, "agent_installation_failed") if cause else "completed",
        "error": _ERRORS[cause] if cause else None,
        "reward": reward,
        "reward_components": reward_components(task.env_type, episode) if is_judged else None,
        "messages": chat_messages(task.env_type, episode, call_prefix=f"call_{task.number:06d}{source_index:03d}"),
        "tools": tool_schemas(task.env_type),
    }


def chat_messages(env_type: EnvType, episode: Episode, *, call_prefix: str) -> list[Record]:
    """Return the conversation: system prompt, task, then a call and its answer for every turn that has a tool."""
    messages: list[Record] = [
        {"role": "system", "content": system_prompt(env_type)},
        {"role": "user", "content": episode.task_text},
    ]
    for at, turn in enumerate(episode.turns):
        if turn.tool is not None:
            messages.extend(_call_messages(turn, call_id=f"{call_prefix}{at:03d}"))
            continue
        messages.append({"role": "assistant", "content": turn.thought})
        if turn.answer is not None:
            messages.append({"role": "user", "content": turn.answer})
    return messages


def _call_messages(turn: Turn, *, call_id: str) -> tuple[Record, Record]:
    function = {"name": turn.tool, "arguments": orjson.dumps(turn.arguments).decode()}
    call = {"id": call_id, "type": "function", "function": function}
    return (
        {"role": "assistant", "content": turn.thought, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "name": turn.tool, "content": turn.answer},
    )
