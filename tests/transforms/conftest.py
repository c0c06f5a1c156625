"""Fixtures of the tests of the stages' work."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from schemas.records import Call, Header, Step, Trajectory
from transforms.store.keys import short_id


@pytest.fixture(scope="session")
def chat_trajectory() -> Callable[[dict[str, Any]], Trajectory]:
    """Make a trajectory of an OpenAI-chat row, as plainly as a test of a later stage needs it."""
    return _chat_trajectory


def _chat_trajectory(row: dict[str, Any]) -> Trajectory:
    messages = row["messages"]
    task_text = row.get("instruction") or next((m["content"] for m in messages if m["role"] == "user"), None)
    header = Header(
        source_format="openai_chat",
        env_name=row.get("environment"),
        task_id=row.get("task_id"),
        task_text=task_text,
        reward=row.get("reward"),
        model_name=row.get("model"),
    )
    return Trajectory(
        traj_id=row["trajectory_id"],
        header=header,
        steps=tuple(_chat_steps(messages)),
        native_id=row["trajectory_id"],
        record_key=row["trajectory_id"],
        record_offset=None,
        task_hash=short_id("task", " ".join((task_text or "").split())),
        system_prompt_hash=None,
    )


def _chat_steps(messages: list[dict[str, Any]]) -> Iterator[Step]:
    results = {m.get("tool_call_id"): m["content"] for m in messages if m["role"] == "tool"}
    spoken = [m for m in messages if m["role"] != "tool"]
    for step_id, message in enumerate(spoken, start=1):
        calls = tuple(
            Call(
                call_index=index,
                call_id=call["id"],
                tool_name=call["function"]["name"],
                tool_kind="shell" if call["function"]["name"] == "bash" else "other",
                arguments_json=call["function"]["arguments"],
                arguments_state="ok",
                args_hash=short_id("arguments", call["function"]["arguments"]),
                is_error=call.get("is_error"),
            )
            for index, call in enumerate(message.get("tool_calls") or [])
        )
        observed = [results[call.call_id] for call in calls if call.call_id in results]
        source = {"assistant": "agent"}.get(message["role"], message["role"])
        yield Step(
            step_id=step_id,
            source=source,
            message=message["content"],
            message_state="null" if message["content"] is None else "text",
            calls=calls,
            obs_text="\n".join(observed) if observed else None,
            is_demo=message.get("is_demo", False),
        )
