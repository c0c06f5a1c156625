"""Trajectories built from a few words: one agent step per call."""

import json
from collections.abc import Callable

import pytest

from schemas.reasons import EnvType
from schemas.records import Call, Header, Step, Trajectory

Act = tuple[str, dict[str, object] | None, str | None]
KINDS = {"bash": "shell", "submit": "finish", "str_replace_editor": "edit", "python": "shell"}


def _call(name: str, arguments: dict[str, object] | None, result: str | None) -> Call:
    text = None if arguments is None else json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return Call(
        call_index=0, call_id="c", tool_name=name, tool_kind=KINDS.get(name, "other"), arguments_json=text,
        arguments_state="ok" if arguments is not None else "unparsed", args_hash="h",
        arguments_raw=None if arguments is not None else "{oops", result_text=result,
        result_state="ok" if result is not None else "missing",
    )  # fmt: skip


@pytest.fixture(scope="session")
def make_trajectory() -> Callable[..., Trajectory]:
    """Make a trajectory of acts (tool name, arguments or None, result or None), steps numbered from 2."""

    def make(*acts: Act, env_type: EnvType = EnvType.CODE_REPO, **header: object) -> Trajectory:
        task = header.pop("task_text", "Fix the bug.")
        steps = [Step(1, "user", str(task), "text")]
        for name, arguments, result in acts:
            call = _call(name, arguments, result)
            steps.append(Step(len(steps) + 1, "agent", None, "null", (call,), obs_text=result))
        return Trajectory(
            traj_id="t", header=Header("test", env_type, task_text=str(task), **header), steps=tuple(steps),
            native_id=None, record_key="0", record_offset=None, task_hash="task", system_prompt_hash=None,
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def bash() -> Callable[..., Act]:
    """Make a shell call."""
    return lambda command, result="": ("bash", {"command": command}, result)
