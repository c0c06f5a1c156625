import json

import pytest
from hypothesis import given, settings

from schemas.reasons import Termination
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks

CALL = {"id": "t1", "type": "function", "function": {"name": "execute_bash", "arguments": '{"command": "ls"}'}}
ROW = {
    "trajectory_id": "traj-1",
    "instance_id": "asottile__pyupgrade-1",
    "repo": "asottile/pyupgrade",
    "trajectory": [
        {"role": "user", "content": "Fix it", "name": None, "tool_calls": None, "tool_call_id": None},
        {"role": "assistant", "content": "Look", "tool_calls": [CALL]},
        {"role": "tool", "content": "a.py", "name": "execute_bash", "tool_call_id": "t1"},
    ],
    "tools": [{"type": "function"}],
    "model_patch": "diff",
    "exit_status": "submit",
    "resolved": 0,
    "gen_tests_correct": None,
    "pred_passes_gen_tests": 0.0,
}


def test_row_becomes_rows(read_lake):
    read = read_lake({"train.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("swe_rebench_openhands", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "native_id": "traj-1",
            "task_id": "asottile__pyupgrade-1",
            "task_source": "swe-rebench",
            "source_format": "swe_rebench_openhands",
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "swe_rebench_openhands",
            "adapter_version": "2",
            "env_type": "code_repo",
            "repo": "asottile/pyupgrade",
            "agent_name": "openhands",
            "reward": 0.0,
            "reward_raw": "0",
            "reward_name": "resolved",
            "reward_components": [("pred_passes_gen_tests", 0.0)],
            "scored": True,
            "reward_valid": True,
            "termination": "submitted",
            "termination_raw": "submit",
            "submission": "diff",
            "num_steps": 2,
            "num_agent_steps": 1,
            "num_tool_calls": 1,
            "num_tool_errors": 0,
            "instruction": "Fix it",
            "tools_json": '[{"type":"function"}]',
        },
        "steps": [
            {"step_id": 1, "source": "user", "message": "Fix it", "message_state": "text", "num_calls": 0},
            {
                "step_id": 2,
                "source": "agent",
                "message": "Look",
                "message_state": "text",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "execute_bash",
                "command": "ls",
                "obs_text": "a.py",
                "obs_bytes": 4,
            },
        ],
        "calls": [
            {
                "step_id": 2,
                "call_index": 0,
                "call_id": "t1",
                "call_id_raw": "t1",
                "tool_name": "execute_bash",
                "tool_kind": "shell",
                "arguments_json": '{"command":"ls"}',
                "arguments_raw": '{"command": "ls"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 4,
                "paired_by": "id",
                "requestor": "assistant",
            }
        ],
    }


@pytest.mark.parametrize(
    ("resolved", "reward", "success"), [(1, 1.0, True), (0, 0.0, False), (None, None, None), (True, 1.0, True)]
)
def test_verdict_is_a_number(resolved, reward, success):
    (rollout,) = read_rows("swe_rebench_openhands", {**ROW, "resolved": resolved})
    assert (rollout.header.reward, rollout.header.success) == (reward, success)


def test_score_that_is_null_is_unknown():
    (rollout,) = read_rows("swe_rebench_openhands", {**ROW, "gen_tests_correct": 1, "pred_passes_gen_tests": None})
    assert rollout.header.reward_components == {"gen_tests_correct": 1.0}


def test_limit_is_an_ending_of_the_policy():
    (rollout,) = read_rows("swe_rebench_openhands", {**ROW, "exit_status": "max_iterations"})
    assert (rollout.header.termination, rollout.header.reward_valid) == (Termination.MAX_STEPS, True)


def native(talk):
    messages, number = [], 0
    for turn in talk:
        calls = []
        for name, arguments in turn.calls:
            number += 1
            calls.append({"id": f"t{number}", "function": {"name": name, "arguments": json.dumps(arguments)}})
        messages.append({"role": turn.role, "content": turn.text, **({"tool_calls": calls} if calls else {})})
        for call, result in zip(calls, turn.results, strict=True):
            name = call["function"]["name"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "name": name, "content": result})
    return {**ROW, "trajectory": messages}


@settings(max_examples=60)
@given(talk=talks())
def test_conversations_come_back_from_the_tables(talk):
    assert rebuilt("swe_rebench_openhands", native(talk)) == talk
