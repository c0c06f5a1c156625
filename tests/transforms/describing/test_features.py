import json
from dataclasses import replace

from schemas.reasons import EnvType
from transforms.describing.features import actions_hash, content_hash, describe_features, toolset_hash


def _features(trajectory):
    return describe_features(trajectory, short_horizon_max_steps=1, medium_horizon_max_steps=2)


def test_a_whole_row(make_trajectory, bash):
    trajectory = make_trajectory(
        bash("ls", "a.py"), bash("pwd", "/"), ("book", {"id": 1}, "ok"),
        env_type=EnvType.TERMINAL, reward=1.0, reward_components={"unit_test_pass": 1.0, "compile_success": 1.0},
    )  # fmt: skip
    row = _features(replace(trajectory, secrets_redacted={"JWT": 2}))
    assert {name: value for name, value in row.items() if not name.endswith("_hash")} == {
        "traj_id": "t",
        "num_calls": 3,
        "num_distinct_tools": 2,
        "horizon": "long",
        "verifiable": True,
        "process_rewards": ["compile_success", "unit_test_pass"],
        "secrets_redacted": [("JWT", 2)],
        "token_count": 15,
        "tokenizer": "bytes/4",
    }
    assert row["task_text_hash"] == "task"
    assert {len(row[name]) for name in ("content_hash", "actions_hash", "toolset_hash")} == {64}


def test_horizon_bounds_are_inclusive(make_trajectory, bash):
    horizons = [_features(make_trajectory(*[bash("ls")] * count))["horizon"] for count in (0, 1, 2, 3)]
    assert horizons == ["short", "short", "medium", "long"]


def test_a_record_without_any_outcome_is_not_verifiable(make_trajectory):
    assert _features(make_trajectory())["verifiable"] is False


def test_actions_hash_compares_parsed_arguments_and_nothing_else(make_trajectory, bash):
    first = make_trajectory(bash("ls", "a"))
    spaced = first.steps[1].calls[0]._replace(arguments_json='{ "command" :"ls"}', result_text="b")
    respaced = replace(first, steps=(first.steps[0], first.steps[1]._replace(calls=(spaced,), message="I look.")))
    assert actions_hash(respaced) == actions_hash(first)
    assert content_hash(respaced) != content_hash(first)
    assert actions_hash(make_trajectory(bash("ls"), bash("pwd"))) != actions_hash(
        make_trajectory(bash("pwd"), bash("ls"))
    )


def test_content_hash_ignores_ids(make_trajectory, bash):
    first = make_trajectory(bash("ls"))
    assert content_hash(replace(first, traj_id="u", native_id="n", record_key="9")) == content_hash(first)


def test_toolset_hash_is_free_of_order():
    tools = [{"name": "a", "parameters": {"x": 1, "y": 2}}, {"name": "b"}]
    assert toolset_hash(json.dumps(tools)) == toolset_hash(json.dumps(tools[::-1]))
    assert len({toolset_hash(None), toolset_hash("[]"), toolset_hash("no json"), toolset_hash(json.dumps(tools))}) == 4
