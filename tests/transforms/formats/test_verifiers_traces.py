import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.table_rows import Rows, conversations, rebuilt, said, told_rows
from transforms.formats.verifiers_traces import VerifiersTracesAdapter

NODES = [
    {"parent": None, "message": {"role": "system", "content": "Work."}, "sampled": False},
    {"parent": 0, "message": {"role": "user", "content": "Fix it"}, "token_ids": [1, 2], "mask": [False, False]},
    {
        "parent": 1,
        "message": {
            "role": "assistant",
            "content": None,
            "reasoning_content": "look",
            "tool_calls": [{"id": "c1", "name": "bash", "arguments": '{"command":"ls"}'}],
        },
        "sampled": True,
        "token_ids": [3, 4],
        "mask": [False, True],
        "logprobs": [-0.5],
        "timestamp": 1767323045.0,
    },
    {"parent": 2, "message": {"role": "tool", "tool_call_id": "c1", "content": "a.py"}},
    {"parent": 3, "message": {"role": "assistant", "content": "Long talk"}, "sampled": True, "mask": [True]},
    {"parent": 0, "message": {"role": "user", "content": "Summary: a.py is there"}},
    {"parent": 5, "message": {"role": "assistant", "content": "Done"}, "sampled": True},
]
TRACE = {
    "version": 1,
    "id": "t1",
    "task": {"type": "Fix", "data": {"prompt": "Fix it", "idx": 4}, "key": "fix-4", "hash": "h4"},
    "agent": {"config": {"harness": "default"}, "runtime": None, "name": "solver", "trainable": True},
    "tools": [{"name": "bash"}],
    "nodes": NODES[:5],
    "calls": [
        {
            "node": 2,
            "model": "m-1",
            "sampling": {"temperature": 1.0},
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "cached_input_tokens": 3},
            "finish_reason": "tool_calls",
            "time": {"start": 100.0, "end": 102.5},
        },
        {"node": 4, "model": "m-1", "usage": {"prompt_tokens": 20, "completion_tokens": 7}, "finish_reason": "stop"},
    ],
    "rewards": {"tests": {"score": 1.0, "weight": 1.0}, "style": {"score": 0.5, "weight": 0.5}},
    "metrics": {"turns": 2.0, "judge": None},
    "info": {},
    "is_completed": True,
    "ok": True,
    "stop_condition": "no_tools_called",
    "errors": [{"type": "ProviderError", "message": "retried"}],
    "timing": {"start": 1767323040.0},
}
EPISODE = {
    "env": {"id": "fix-env", "name": "fix"},
    "group": {"id": "g1"},
    "task": {"key": "fix-4"},
    "run": {"type": "train", "id": "run-1", "work": {"step": 12, "policy": {"start": 11, "end": 12}}},
    "ok": True,
    "errors": [],
    "traces": [TRACE],
}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def episode(*traces, **fields):
    return {**EPISODE, **fields, "traces": list(traces)}


FIRST_STEPS = [
    {
        "step_id": 1,
        "source": "system",
        "message": "Work.",
        "message_state": "text",
        "num_calls": 0,
        "sampled": False,
    },
    {
        "step_id": 2,
        "source": "user",
        "message": "Fix it",
        "message_state": "text",
        "num_calls": 0,
        "sampled": False,
    },
    {
        "step_id": 3,
        "source": "agent",
        "timestamp": "2026-01-02T03:04:05+00:00",
        "message_state": "null",
        "reasoning": "look",
        "num_calls": 1,
        "tool_name": "bash",
        "command": "ls",
        "obs_text": "a.py",
        "obs_bytes": 4,
        "prompt_tokens": 13,
        "completion_tokens": 5,
        "cached_tokens": 3,
        "latency_s": 2.5,
        "sampled": True,
    },
    {
        "step_id": 4,
        "source": "agent",
        "message": "Long talk",
        "message_state": "text",
        "num_calls": 0,
        "prompt_tokens": 20,
        "completion_tokens": 7,
        "sampled": True,
    },
]
ROWS = Rows(
    {
        "native_id": "t1",
        "task_id": "fix-4",
        "task_source": "fix-env",
        "group_id": "g1",
        "run_id": "run-1",
        "policy_step": 11,
        "branch_index": 0,
        "source_format": "verifiers_traces",
        "record_key": "line:1/trace:0",
        "record_offset": 0,
        "adapter": "verifiers_traces",
        "adapter_version": "3",
        "lost_fields": [
            "nodes[].logprobs",
            "nodes[].token_ids",
            "agent.config.harness",
            "errors[].message",
            "errors[].type",
            "task.data.idx",
        ],
        "env_type": "other",
        "env_name": "fix",
        "task_checksum": "h4",
        "agent_name": "solver",
        "model_name": "m-1",
        "sampling_json": '{"temperature":1.0}',
        "trainable": True,
        "reward": 1.25,
        "reward_raw": '{"style":{"score":0.5,"weight":0.5},"tests":{"score":1.0,"weight":1.0}}',
        "reward_name": "rewards",
        "reward_components": [("style", 0.5), ("tests", 1.0), ("turns", 2.0)],
        "scored": True,
        "reward_valid": True,
        "termination": "finished",
        "termination_raw": "no_tools_called",
        "truncated": False,
        "num_steps": 4,
        "num_agent_steps": 2,
        "num_tool_calls": 1,
        "num_tool_errors": 0,
        "prompt_tokens": 33,
        "completion_tokens": 12,
        "cached_tokens": 3,
        "started_at": "2026-01-02T03:04:00+00:00",
        "instruction": "Fix it",
        "tools_json": '[{"name":"bash"}]',
    },
    FIRST_STEPS,
    [
        {
            "step_id": 3,
            "call_index": 0,
            "call_id": "c1",
            "call_id_raw": "c1",
            "tool_name": "bash",
            "tool_kind": "shell",
            "arguments_json": '{"command":"ls"}',
            "arguments_state": "ok",
            "result_state": "ok",
            "result_bytes": 4,
            "paired_by": "id",
            "requestor": "assistant",
        }
    ],
)


def test_trace_with_one_branch_gives_these_rows(read_lake):
    read = read_lake({"traces.jsonl": lines(EPISODE)})
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS
    assert len(read.trajectories) == 1


def test_branches_are_conversations_of_which_the_last_bears_the_reward(read_lake):
    read = read_lake({"traces.jsonl": lines(episode({**TRACE, "nodes": NODES}))})
    main, other = read.trajectories
    assert (main.header.branch_index, main.header.parent_traj_id, main.header.reward) == (1, None, 1.25)
    assert (other.header.branch_index, other.header.parent_traj_id, other.header.reward) == (0, main.traj_id, None)
    assert (other.header.reward_raw, other.parse_warnings) == (None, ("reward_on_parent",))
    assert [(step.message, step.is_copied_context) for step in main.steps] == [
        ("Work.", False),
        ("Summary: a.py is there", False),
        ("Done", False),
    ]
    rows = told_rows(other, read.units[0])
    assert rows.steps == [{**FIRST_STEPS[0], "is_copied_context": True}, *FIRST_STEPS[1:]]
    assert rows.calls == ROWS.calls


def test_every_message_is_the_runs_own_once(read_lake):
    read = read_lake({"traces.jsonl": lines(episode({**TRACE, "nodes": NODES}))})
    own = [step for one in read.trajectories for step in one.steps if not step.is_copied_context]
    assert len(own) + 1 == len(NODES)
    assert sum(one.header.completion_tokens or 0 for one in read.trajectories) == 12


def test_episode_gives_all_its_traces(read_lake):
    partner = {**TRACE, "id": "t2", "agent": {"name": "user", "trainable": False}, "rewards": {}}
    read = read_lake({"traces.jsonl": lines(episode(TRACE, 7, partner), EPISODE)})
    assert [(one.record_key, one.header.agent_name, one.header.trainable) for one in read.trajectories] == [
        ("line:1/trace:0", "solver", True),
        ("line:1/trace:2", "user", False),
    ]
    assert [(one.record_key, one.reason) for one in read.bad] == [("line:1/trace:1", QuarantineReason.NOT_AN_OBJECT)]
    assert [repeat.record_key for repeat in read.repeats] == ["line:2/trace:0"]


def test_trace_that_stands_alone_in_its_line_is_read(read_lake):
    (trajectory,) = read_lake({"traces.jsonl": lines(TRACE)}).trajectories
    assert (trajectory.header.task_id, trajectory.header.reward, trajectory.header.env_name) == ("fix-4", 1.25, None)


@pytest.mark.parametrize(
    ("rewards", "reward", "components", "warnings"),
    [
        ({"a": None, "b": None}, None, {"turns": 2.0}, ()),
        ({}, None, {"turns": 2.0}, ()),
        ({"a": {"score": 1.0, "weight": 1.0}, "b": None}, None, {"turns": 2.0, "a": 1.0}, ("reward_partly_scored",)),
        ({"a": {"score": 0.0, "weight": 2.0}}, 0.0, {"turns": 2.0, "a": 0.0}, ()),
        ({"a": {"score": True}}, 1.0, {"turns": 2.0, "a": 1.0}, ()),
    ],
)
def test_rewards_that_were_not_computed_are_no_zeros(read_lake, rewards, reward, components, warnings):
    (trajectory,) = read_lake({"traces.jsonl": lines(episode({**TRACE, "rewards": rewards}))}).trajectories
    assert (trajectory.header.reward, trajectory.header.reward_components) == (reward, components)
    assert trajectory.parse_warnings == warnings


@pytest.mark.parametrize(
    ("fields", "termination", "is_valid"),
    [
        (
            {"ok": False, "stop_condition": "error", "errors": [{"type": "ProviderError", "message": "x"}]},
            Termination.INFRA_ERROR,
            False,
        ),
        (
            {"ok": False, "stop_condition": "error", "errors": [{"type": "ValueError", "message": "x"}]},
            Termination.AGENT_ERROR,
            True,
        ),
        ({"stop_condition": "max_turns"}, Termination.MAX_STEPS, True),
        ({"stop_condition": "compaction_failed"}, Termination.MAX_TOKENS_CONTEXT, True),
        ({"stop_condition": None, "is_timeout": True}, Termination.TIMEOUT_AGENT, True),
    ],
)
def test_ending(read_lake, fields, termination, is_valid):
    (trajectory,) = read_lake({"traces.jsonl": lines(episode({**TRACE, **fields}))}).trajectories
    assert (trajectory.header.termination, trajectory.header.reward_valid) == (termination, is_valid)


def test_mask_decides_what_is_trained_on(read_lake):
    masked = [*NODES[:4], {**NODES[4], "mask": [False, False]}]
    (trajectory,) = read_lake({"traces.jsonl": lines(episode({**TRACE, "nodes": masked}))}).trajectories
    assert [step.sampled for step in trajectory.steps] == [False, False, True, False]


def test_compaction_attempt_that_was_not_taken_up_is_not_trainable(read_lake):
    attempt = {**NODES[4], "semantic_parents": [{"node": 2, "type": "compaction_attempt"}]}
    nodes = [*NODES[:4], attempt, *NODES[5:]]
    read = read_lake({"a/traces.jsonl": lines(episode({**TRACE, "nodes": nodes}))})
    assert [one.header.trainable for one in read.trajectories] == [True, False]
    taken = [*NODES[:4], attempt, {**NODES[5], "semantic_parents": [{"node": 4, "type": "compaction"}]}, NODES[6]]
    read = read_lake({"a/traces.jsonl": lines(episode({**TRACE, "nodes": taken}))})
    assert [one.header.trainable for one in read.trajectories] == [True, True]


def test_trace_without_messages_is_a_trajectory_without_steps(read_lake):
    (trajectory,) = read_lake({"traces.jsonl": lines(episode({**TRACE, "nodes": []}))}).trajectories
    assert (trajectory.steps, trajectory.header.reward) == ((), 1.25)


def test_unusable_traces_are_set_aside(read_lake):
    bad = [
        {**TRACE, "nodes": None},
        {**TRACE, "nodes": [{"parent": 0, "message": NODES[0]["message"]}]},
        {**TRACE, "nodes": [{"parent": None, "message": "x"}]},
        {**TRACE, "rewards": {"a": {"score": "maybe"}}},
    ]
    read = read_lake({"traces.jsonl": lines(episode(*bad), {**EPISODE, "traces": []})})
    assert [(one.record_key, one.reason) for one in read.bad] == [
        ("line:1/trace:0", QuarantineReason.MISSING_MESSAGES),
        ("line:1/trace:1", QuarantineReason.INVALID_MESSAGE),
        ("line:1/trace:2", QuarantineReason.INVALID_MESSAGE),
        ("line:1/trace:3", QuarantineReason.INVALID_REWARD),
        ("line:2", QuarantineReason.MISSING_MESSAGES),
    ]


def native_message(message):
    calls = [{"id": call.call_id, "name": call.name, "arguments": call.arguments_json} for call in message.calls]
    native = {"role": message.role, "content": message.content}
    if calls:
        native["tool_calls"] = calls
    if message.role == "tool":
        native["tool_call_id"] = message.tool_call_id
    return native


@settings(max_examples=80)
@given(st.lists(conversations(), min_size=1, max_size=3))
def test_messages_rebuilt_from_the_rows_are_the_messages_read(branches):
    nodes = [{"parent": None, "message": {"role": "system", "content": "root"}}]
    for conversation in branches:
        for place, message in enumerate(conversation):
            nodes.append({"parent": 0 if place == 0 else len(nodes) - 1, "message": native_message(message)})
    raw = lines(episode({**TRACE, "nodes": nodes, "calls": []})).encode()
    unit = SourceUnit("k", "traces.jsonl", "verifiers_traces", "1", len(raw), "ab")
    rollouts = list(VerifiersTracesAdapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings()))
    found = {rollout.header.branch_index: [said(one) for one in rebuilt(rollout, unit)][1:] for rollout in rollouts}
    assert found == {index: [said(one) for one in branch] for index, branch in enumerate(branches)}
