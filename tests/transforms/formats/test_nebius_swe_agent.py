import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks, texts
from transforms.formats.text_actions import fenced_command


def turn(role, text, *, mask=False, system_prompt=None, cutoff_date=None):
    return {"cutoff_date": cutoff_date, "mask": mask, "role": role, "system_prompt": system_prompt, "text": text}


TURNS = [
    turn("system", None, system_prompt="SETTING", cutoff_date="01.01.2023"),
    turn("user", "ISSUE: it fails"),
    turn("ai", "Look first.\n```\nls -F\n```", mask=True),
    turn("user", "a.py\nbash-$"),
    turn("ai", "```\nsubmit\n```", mask=False),
]
ROW = {
    "instance_id": "marshmallow-code__apispec-382",
    "model_name": "swe-agent-llama-70b",
    "target": False,
    "trajectory": TURNS,
    "exit_status": "submitted (exit_context)",
    "generated_patch": "diff",
    "eval_logs": "log",
}


def test_row_becomes_rows(read_lake):
    read = read_lake({"train.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("nebius_swe_agent", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "task_id": "marshmallow-code__apispec-382",
            "task_source": "nebius/SWE-agent-trajectories",
            "source_format": "nebius_swe_agent",
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "nebius_swe_agent",
            "adapter_version": "1",
            "lost_fields": ["eval_logs"],
            "env_type": "code_repo",
            "repo": "marshmallow-code/apispec",
            "agent_name": "swe-agent",
            "model_name": "swe-agent-llama-70b",
            "reward": 0.0,
            "reward_raw": "false",
            "reward_name": "target",
            "scored": True,
            "reward_valid": True,
            "termination": "max_tokens_context",
            "termination_raw": "submitted (exit_context)",
            "truncated": True,
            "submission": "diff",
            "num_steps": 4,
            "num_agent_steps": 2,
            "num_tool_calls": 2,
            "num_tool_errors": 0,
            "instruction": "ISSUE: it fails",
        },
        "steps": [
            {
                "step_id": 1,
                "source": "system",
                "message": "SETTING",
                "message_state": "text",
                "num_calls": 0,
                "extra_json": '{"cutoff_date":"01.01.2023"}',
            },
            {"step_id": 2, "source": "user", "message": "ISSUE: it fails", "message_state": "text", "num_calls": 0},
            {
                "step_id": 3,
                "source": "agent",
                "role_raw": "ai",
                "message": "Look first.",
                "message_state": "text",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "bash",
                "command": "ls -F",
                "obs_text": "a.py\nbash-$",
                "obs_bytes": 11,
                "extra_json": '{"trajsift:messages":{"0":{"role_raw":"user"}}}',
            },
            {
                "step_id": 4,
                "source": "agent",
                "role_raw": "ai",
                "message_state": "text",
                "num_calls": 1,
                "tool_name": "submit",
                "command": "submit",
            },
        ],
        "calls": [
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "call_3_0",
                "id_generated": True,
                "tool_name": "bash",
                "tool_kind": "shell",
                "arguments_json": '{"command":"ls -F"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 11,
                "paired_by": "position",
                "requestor": "assistant",
            },
            {
                "step_id": 4,
                "call_index": 0,
                "call_id": "call_4_0",
                "id_generated": True,
                "tool_name": "submit",
                "tool_kind": "finish",
                "arguments_json": '{"command":"submit"}',
                "arguments_state": "ok",
                "result_state": "missing",
                "requestor": "assistant",
            },
        ],
    }


def test_mask_says_which_turns_carry_loss():
    (rollout,) = read_rows("nebius_swe_agent", ROW)
    assert [message.sampled for message in rollout.messages] == [None, None, True, None, False]


def test_turn_without_a_command_is_text_and_the_answer_stays_a_user_message():
    turns = [turn("ai", "I am done"), turn("user", "Use a command"), turn("ai", "``` cut")]
    (rollout,) = read_rows("nebius_swe_agent", {**ROW, "trajectory": turns})
    assert [(one.role, one.content, one.calls) for one in rollout.messages] == [
        ("assistant", "I am done", ()),
        ("user", "Use a command", ()),
        ("assistant", "``` cut", ()),
    ]
    assert rollout.parse_warnings == ("unparsed_action",)


@pytest.mark.parametrize(
    ("word", "termination", "truncated"),
    [
        ("submitted", Termination.SUBMITTED, False),
        ("submitted (exit_cost)", Termination.MAX_COST, True),
        ("exit_format", Termination.FORMAT_ERROR, False),
        (None, Termination.UNKNOWN, None),
    ],
)
def test_exit_status_is_the_ending(word, termination, truncated):
    (rollout,) = read_rows("nebius_swe_agent", {**ROW, "exit_status": word})
    assert (rollout.header.termination, rollout.header.truncated) == (termination, truncated)


def test_equal_rows_are_two_rollouts(read_lake):
    read = read_lake({"train.json": [ROW, ROW]})
    assert (len({one.traj_id for one in read.trajectories}), read.repeats) == (2, [])


@pytest.mark.parametrize("turns", [[3], [turn("alien", "x")], [turn("user", 3)]])
def test_unusable_turn_is_set_aside(turns):
    (bad,) = read_rows("nebius_swe_agent", {**ROW, "trajectory": turns})
    assert bad.reason is QuarantineReason.INVALID_MESSAGE


def native(talk):
    turns = []
    for said in talk:
        if said.role == "system":
            turns.append(turn("system", None, system_prompt=said.text))
            continue
        commands = "".join(f"\n{fenced_command(arguments['command'])}" for _, arguments in said.calls)
        turns.append(turn("ai" if said.role == "assistant" else "user", said.text + commands, mask=True))
        turns += [turn("user", result) for result in said.results]
    return {**ROW, "trajectory": turns}


commands = texts.filter(lambda text: text.split()).map(lambda text: ("bash", {"command": text}))


@settings(max_examples=60)
@given(talk=talks(max_calls=1, calls=commands), resolved=st.none() | st.booleans())
def test_conversations_come_back_from_the_tables(talk, resolved):
    assert rebuilt("nebius_swe_agent", {**native(talk), "target": resolved}) == talk
