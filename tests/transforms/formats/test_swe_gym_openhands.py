import json

import pytest
from hypothesis import given, settings

from schemas.records import Rollout
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks
from transforms.formats.swe_gym_openhands import model_of

PADDING = {"function_call": None, "name": None, "tool_call_id": None, "tool_calls": None}
CALL = {
    "id": "t1",
    "index": None,
    "type": "function",
    "function": {"name": "execute_bash", "arguments": '{"command":"ls"}'},
}
MESSAGES = [
    {**PADDING, "role": "system", "content": "You are OpenHands"},
    {**PADDING, "role": "user", "content": "Fix it"},
    {**PADDING, "role": "assistant", "content": None, "tool_calls": [CALL]},
    {**PADDING, "role": "tool", "name": "execute_bash", "tool_call_id": "t1", "content": "OBSERVATION:\na.py"},
]
ROW = {
    "instance_id": "getmoto__moto-5752",
    "run_id": "claude-3-5-sonnet-20241022_maxiter_30_N_v2.1-no-hint-run_1",
    "resolved": True,
    "messages": MESSAGES,
    "tools": [{"type": "function", "function": {"name": "execute_bash"}}],
    "test_result": {"git_patch": "diff", "report": {"resolved": True, "error_eval": False}, "test_output": "log"},
}


def header(**changes):
    (rollout,) = read_rows("swe_gym_openhands", {**ROW, **changes})
    return rollout.header


def test_row_becomes_rows(read_lake):
    read = read_lake({"train.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("swe_gym_openhands", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "task_id": "getmoto__moto-5752",
            "task_source": "swe-gym",
            "source_format": "swe_gym_openhands",
            "run_id": ROW["run_id"],
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "swe_gym_openhands",
            "adapter_version": "2",
            "lost_fields": ["test_result.test_output"],
            "env_type": "code_repo",
            "repo": "getmoto/moto",
            "agent_name": "openhands",
            "model_name": "claude-3-5-sonnet-20241022",
            "reward": 1.0,
            "reward_raw": "true",
            "reward_name": "resolved",
            "success": True,
            "scored": True,
            "reward_valid": True,
            "termination": "unknown",
            "submission": "diff",
            "num_steps": 3,
            "num_agent_steps": 1,
            "num_tool_calls": 1,
            "num_tool_errors": 0,
            "instruction": "Fix it",
            "tools_json": '[{"function":{"name":"execute_bash"},"type":"function"}]',
        },
        "steps": [
            {
                "step_id": 1,
                "source": "system",
                "message": "You are OpenHands",
                "message_state": "text",
                "num_calls": 0,
            },
            {"step_id": 2, "source": "user", "message": "Fix it", "message_state": "text", "num_calls": 0},
            {
                "step_id": 3,
                "source": "agent",
                "message_state": "null",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "execute_bash",
                "command": "ls",
                "obs_text": "OBSERVATION:\na.py",
                "obs_bytes": 17,
            },
        ],
        "calls": [
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "t1",
                "call_id_raw": "t1",
                "tool_name": "execute_bash",
                "tool_kind": "shell",
                "arguments_json": '{"command":"ls"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 17,
                "paired_by": "id",
                "requestor": "assistant",
            }
        ],
    }


def test_equal_instance_and_run_are_two_rollouts(read_lake):
    read = read_lake({"train.jsonl": f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n"})
    assert (len({one.traj_id for one in read.trajectories}), read.repeats) == (2, [])


@pytest.mark.parametrize("fault", ["error_eval", "test_timeout"])
def test_evaluation_fault_is_no_failure_of_the_policy(fault):
    found = header(resolved=False, test_result={"report": {"resolved": False, fault: True}})
    assert (found.reward, found.reward_valid, found.error_type) == (0.0, False, fault)


def test_verdicts_that_disagree_are_not_scored():
    (rollout,) = read_rows("swe_gym_openhands", {**ROW, "resolved": False})
    assert (rollout.header.reward, rollout.header.success, rollout.header.reward_raw) == (None, None, "false")
    assert rollout.parse_warnings == ("conflicting_label",)


def test_row_without_a_report_is_read():
    assert (header(test_result=None).submission, header(test_result=None).reward) == (None, 1.0)


@pytest.mark.parametrize(
    ("run_id", "model"),
    [("gpt-4o_maxiter_30_N_x", "gpt-4o"), ("some_run", None), ("_maxiter_30", None), (None, None)],
)
def test_model_is_the_beginning_of_the_run_id(run_id, model):
    assert model_of(run_id) == model


def native(talk):
    messages, number = [], 0
    for turn in talk:
        calls = []
        for name, arguments in turn.calls:
            number += 1
            function = {"name": name, "arguments": json.dumps(arguments)}
            calls.append({"id": f"t{number}", "type": "function", "function": function})
        messages.append({**PADDING, "role": turn.role, "content": turn.text, "tool_calls": calls or None})
        for call, result in zip(calls, turn.results, strict=True):
            messages.append({**PADDING, "role": "tool", "tool_call_id": call["id"], "content": result})
    return {**ROW, "messages": messages}


@settings(max_examples=60)
@given(talk=talks())
def test_conversations_come_back_from_the_tables(talk):
    assert rebuilt("swe_gym_openhands", native(talk)) == talk
    (rollout,) = read_rows("swe_gym_openhands", native(talk))
    assert isinstance(rollout, Rollout)
    assert rollout.parse_warnings == ()
