import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.table_rows import Rows, conversations, rebuilt, said, told_rows
from transforms.formats.verifiers import VerifiersAdapter, fault_ending

PROMPT = [
    {"role": "system", "content": "Solve it."},
    {"role": "user", "content": "2+2?"},
    {"role": "assistant", "content": "Which base?"},
    {"role": "user", "content": "Ten."},
]
COMPLETION = [
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "add",
        "tool_calls": ['{"id": "c1", "type": "function", "function": {"name": "calc", "arguments": "{\\"e\\": 1}"}}'],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "4"},
    {"role": "assistant", "content": "4"},
]
ROW = {
    "example_id": 3,
    "prompt": PROMPT,
    "completion": COMPLETION,
    "answer": "4",
    "info": {},
    "reward": 0.75,
    "error": None,
    "timing": {"start_time": 1767323045, "generation_ms": 1000, "scoring_ms": 500, "total_ms": 1500},
    "is_completed": True,
    "is_truncated": False,
    "stop_condition": "no_tools_called",
    "metrics": {"correct": 1.0, "format": 0.5, "judge": None},
    "correct": 1.0,
    "format": 0.5,
    "judge": None,
    "tool_defs": [{"name": "calc"}],
    "token_usage": {"input_tokens": 60, "output_tokens": 9},
    "seed_state": "x",
}
METADATA = {"env_id": "math", "model": "m-1", "sampling_args": {"temperature": 1.0}, "num_examples": 4}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


ROWS = Rows(
    {
        "task_id": "math/3",
        "task_source": "math",
        "source_format": "verifiers",
        "record_key": "line:1",
        "record_offset": 0,
        "adapter": "verifiers",
        "adapter_version": "2",
        "lost_fields": [
            "answer",
            "seed_state",
            "num_examples",
            "timing.generation_ms",
            "timing.scoring_ms",
        ],
        "env_type": "other",
        "env_name": "math",
        "model_name": "m-1",
        "sampling_json": '{"temperature":1.0}',
        "reward": 0.75,
        "reward_raw": "0.75",
        "reward_name": "reward",
        "reward_components": [("correct", 1.0), ("format", 0.5)],
        "scored": True,
        "reward_valid": True,
        "termination": "finished",
        "termination_raw": "no_tools_called",
        "truncated": False,
        "num_steps": 6,
        "num_agent_steps": 3,
        "num_tool_calls": 1,
        "num_tool_errors": 0,
        "prompt_tokens": 60,
        "completion_tokens": 9,
        "duration_s": 1.5,
        "started_at": "2026-01-02T03:04:05+00:00",
        "instruction": "2+2?",
        "tools_json": '[{"name":"calc"}]',
    },
    [
        {
            "step_id": 1,
            "source": "system",
            "message": "Solve it.",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
        {
            "step_id": 2,
            "source": "user",
            "message": "2+2?",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "Which base?",
            "message_state": "text",
            "num_calls": 0,
            "is_copied_context": True,
            "sampled": False,
        },
        {
            "step_id": 4,
            "source": "user",
            "message": "Ten.",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
        {
            "step_id": 5,
            "source": "agent",
            "message_state": "null",
            "reasoning": "add",
            "num_calls": 1,
            "tool_name": "calc",
            "obs_text": "4",
            "obs_bytes": 1,
            "sampled": True,
        },
        {
            "step_id": 6,
            "source": "agent",
            "message": "4",
            "message_state": "text",
            "num_calls": 0,
            "sampled": True,
        },
    ],
    [
        {
            "step_id": 5,
            "call_index": 0,
            "call_id": "c1",
            "call_id_raw": "c1",
            "tool_name": "calc",
            "tool_kind": "other",
            "arguments_json": '{"e":1}',
            "arguments_raw": '{"e": 1}',
            "arguments_state": "ok",
            "result_state": "ok",
            "result_bytes": 1,
            "paired_by": "id",
            "requestor": "assistant",
        }
    ],
)


def test_row_gives_these_rows(read_lake):
    read = read_lake({"e/results.jsonl": lines(ROW), "e/metadata.json": METADATA})
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS
    assert [(unit.uri, unit.sidecars) for unit in read.units] == [("e/results.jsonl", ("e/metadata.json",))]


@pytest.mark.parametrize("metadata", ['{"env_id": "cut', "[]", ""])
def test_metadata_that_cannot_be_read_are_told_of_each_rollout(read_lake, metadata):
    read = read_lake({"e/results.jsonl": lines(ROW, {**ROW, "reward": 0.0}), "e/metadata.json": metadata})
    assert ["unreadable_sidecar" in one.parse_warnings for one in read.trajectories] == [True, True]


def test_rollouts_of_one_example_share_its_task_and_have_no_number(read_lake):
    read = read_lake({"results.jsonl": lines(ROW, ROW, {**ROW, "reward": 0.0})})
    assert {(one.header.task_id, one.header.rollout_index) for one in read.trajectories} == {("3", None)}
    assert len({one.traj_id for one in read.trajectories}) == 3


@pytest.mark.parametrize(
    ("stop", "error", "termination", "is_valid"),
    [
        ("max_turns_reached", None, Termination.MAX_STEPS, True),
        ("timeout_reached", None, Termination.TIMEOUT_AGENT, True),
        ("prompt_too_long", None, Termination.MAX_TOKENS_CONTEXT, True),
        ("has_error", {"error": "SandboxError", "error_chain_str": "boom"}, Termination.INFRA_ERROR, False),
        ("has_error", {"error": "ModelError", "error_chain_str": "x"}, Termination.INFRA_ERROR, False),
        ("has_error", {"error": "Error", "error_chain_str": "connection reset"}, Termination.INFRA_ERROR, False),
        ("has_error", {"error": "ToolParseError", "error_chain_str": "bad JSON"}, Termination.AGENT_ERROR, True),
        (None, "InfraError", Termination.INFRA_ERROR, False),
        (None, {}, Termination.UNKNOWN, True),
    ],
)
def test_ending_is_told_by_the_error_class_first(stop, error, termination, is_valid):
    ending = fault_ending(stop, error)
    assert (ending.termination, ending.reward_valid) == (termination, is_valid)


def test_run_that_failed_before_the_agent_acted_has_no_valid_reward(read_lake):
    row = {**ROW, "completion": None, "reward": 0.0, "error": {"error": "ToolError"}, "stop_condition": "has_error"}
    (trajectory,) = read_lake({"results.jsonl": lines(row)}).trajectories
    assert (trajectory.header.reward, trajectory.header.reward_valid) == (0.0, False)


def test_reward_that_is_missing_is_not_scored(read_lake):
    (trajectory,) = read_lake({"results.jsonl": lines({**ROW, "reward": None})}).trajectories
    assert (trajectory.header.reward, trajectory.header.reward_raw) == (None, "null")


def test_prompt_and_completion_may_be_texts(read_lake):
    (trajectory,) = read_lake({"results.jsonl": lines({**ROW, "prompt": "2+2?", "completion": "4"})}).trajectories
    assert [(step.source, step.message, step.sampled) for step in trajectory.steps] == [
        ("user", "2+2?", False),
        ("agent", "4", True),
    ]


def test_unusable_rows_are_set_aside(read_lake):
    bad = [{**ROW, "prompt": None}, {**ROW, "completion": 7}, {**ROW, "reward": [1, 2]}]
    read = read_lake({"results.jsonl": lines(*bad, ROW)})
    assert [one.reason for one in read.bad] == [
        QuarantineReason.MISSING_MESSAGES,
        QuarantineReason.INVALID_MESSAGE,
        QuarantineReason.INVALID_REWARD,
    ]


def chat_form(message, *, as_text=False):
    calls = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_json}}
        for call in message.calls
    ]
    chat = {"role": message.role, "content": message.content}
    if calls:
        chat["tool_calls"] = [json.dumps(call) for call in calls] if as_text else calls
    if message.role == "tool":
        chat["tool_call_id"] = message.tool_call_id
    return chat


@settings(max_examples=80)
@given(conversations(), st.integers(0, 6), st.booleans())
def test_messages_rebuilt_from_the_rows_are_the_messages_read(conversation, cut, as_text):
    cut = min(cut, len(conversation))
    native = [chat_form(message, as_text=as_text) for message in conversation]
    raw = lines({**ROW, "prompt": native[:cut], "completion": native[cut:]}).encode()
    unit = SourceUnit("k", "results.jsonl", "verifiers", "1", len(raw), "ab")
    (rollout,) = VerifiersAdapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    assert [said(message) for message in rebuilt(rollout, unit)] == [
        (*said(message)[:2], said(message)[2], message.tool_call_id) for message in conversation
    ]
    sampled = [message.sampled for message in rollout.messages if message.role == "assistant"]
    agents = [index for index, message in enumerate(conversation) if message.role == "assistant"]
    assert sampled == [index >= cut for index in agents]
