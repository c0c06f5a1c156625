from schemas.records import Call, Header, SourceUnit, Step, Trajectory
from transforms.store.rows import calls_table, steps_table, trajectories_table

UNIT = SourceUnit("u1", "a.jsonl", "openai_chat", "1", size=10, sha256="")


def _call(index: int, text: str | None, **values: object) -> Call:
    call = Call(index, f"c{index}", "bash", "shell", "{}", "ok", "h", result_text=text, result_state="ok")
    return call._replace(**values)


def _trajectory(traj_id: str, *steps: Step, header: Header | None = None) -> Trajectory:
    return Trajectory(traj_id, header or Header("openai_chat"), steps, None, "line:1", 0, "t", None)


def test_a_row_counts_what_its_steps_hold() -> None:
    steps = (
        Step(1, "user", "go", "text"),
        Step(2, "agent", "a", "text", calls=(_call(0, "x", is_error=True), _call(1, "y", is_error=False))),
        Step(3, "agent", "b", "text"),
    )
    header = Header("openai_chat", task_text="go", reward=0.5, reward_components={"b": 1.0, "a": 0.0}, cost_usd=0.1)
    table = trajectories_table([_trajectory("a", *steps, header=header), _trajectory("b")], [UNIT, UNIT])
    first, second = table.to_pylist()
    counts = [first[name] for name in ("num_steps", "num_agent_steps", "num_tool_calls", "num_tool_errors")]
    assert counts == [3, 2, 2, 1]
    assert (first["instruction"], first["scored"], first["cost_source"]) == ("go", True, "reported")
    assert first["reward_components"] == [("a", 0.0), ("b", 1.0)]
    assert (second["num_steps"], second["scored"], second["cost_source"], second["unit_key"]) == (0, False, None, "u1")


def test_result_of_an_only_call_stands_in_its_step_alone() -> None:
    both = (_call(0, "é"), _call(1, None))
    trajectories = [
        _trajectory("a", Step(1, "agent", "", "text", calls=(_call(0, "only"),), obs_text="only")),
        _trajectory("b", Step(1, "user", "", "text"), Step(2, "agent", "", "text", calls=both, obs_text="é")),
    ]
    calls = calls_table(trajectories).to_pylist()
    assert [(row["traj_id"], row["step_id"], row["result_text"], row["result_bytes"]) for row in calls] == [
        ("a", 1, None, 4),
        ("b", 2, "é", 2),
        ("b", 2, None, None),
    ]
    steps = steps_table(trajectories).to_pylist()
    assert [(row["num_calls"], row["tool_name"], row["obs_text"], row["obs_bytes"]) for row in steps] == [
        (1, "bash", "only", 4),
        (0, None, None, None),
        (2, "bash", "é", 2),
    ]


def test_no_trajectory_makes_no_row() -> None:
    assert [table([]).num_rows for table in (steps_table, calls_table)] == [0, 0]
    assert trajectories_table([], []).num_rows == 0
