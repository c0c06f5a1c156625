"""Small trajectories for the tests of the datasets."""

from typing import Any

from schemas.records import Call, Header, Step, Trajectory

TOOLS_JSON = '[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]'


def call(name: str, arguments_json: str | None, *, result: str | None = "ok", index: int = 0, **other: Any) -> Call:
    return Call(
        call_index=index,
        call_id=f"{name}-{index}",
        tool_name=name,
        tool_kind="other",
        arguments_json=arguments_json,
        arguments_state=other.pop("arguments_state", "ok"),
        args_hash="h",
        result_text=result,
        result_state="missing" if result is None else "ok",
        paired_by="id",
        **other,
    )


def step(source: str, text: str | None, *calls: Call, **other: Any) -> Step:
    if len(calls) == 1:
        other.setdefault("obs_text", calls[0].result_text)
    state = "null" if text is None else "text"
    return Step(
        step_id=other.pop("step_id", 1), source=source, message=text, message_state=state, calls=calls, **other
    )


def trajectory(traj_id: str, *steps: Step, **header: Any) -> Trajectory:
    numbered = [each._replace(step_id=number) for number, each in enumerate(steps, start=1)]
    return Trajectory(
        traj_id=traj_id,
        header=Header(source_format="openai_chat", tools_json=TOOLS_JSON, **header),
        steps=tuple(numbered),
        native_id=None,
        record_key="0",
        record_offset=None,
        task_hash="t",
        system_prompt_hash=None,
    )


def solved(traj_id: str, answer: str, **header: Any) -> Trajectory:
    """Return a run of the shared task that looks once with arguments of its own and answers."""
    return trajectory(
        traj_id,
        step("system", "Be brief."),
        step("user", "What lies there?"),
        step("agent", None, call("look", f'{{"{answer}":null}}')),
        step("agent", answer),
        **header,
    )
