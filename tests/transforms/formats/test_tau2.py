import io
import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.table_rows import Rows, conversations, rebuilt, said, told_rows
from transforms.formats.tau2 import Tau2Adapter
from transforms.reading.outline import outline_of_head

CALL = {"id": "c1", "name": "get_line", "arguments": {"line": 7}, "requestor": "assistant"}
USER_CALL = {"id": "u1", "name": "reboot", "arguments": {}, "requestor": "user"}
MESSAGES = [
    {"role": "assistant", "content": "Hi! How can I help?", "turn_idx": 0, "cost": 0.0, "is_audio": False},
    {"role": "user", "content": "No signal", "turn_idx": 1, "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [CALL],
        "timestamp": "2026-01-02T03:04:05",
        "cost": 0.25,
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        "raw_data": {"id": "chat-1"},
        "generation_time_seconds": 1.5,
    },
    {"role": "tool", "id": "c1", "content": "ok", "requestor": "assistant", "error": False},
    {"role": "assistant", "content": "Please reboot", "usage": {"prompt_tokens": 130, "completion_tokens": 4}},
    {"role": "user", "content": None, "tool_calls": [USER_CALL, {**USER_CALL, "id": "u2", "name": "look"}]},
    {
        "role": "tool",
        "tool_messages": [
            {"role": "tool", "id": "u1", "content": "No such button", "requestor": "user", "error": True},
            {"role": "tool", "id": "u2", "content": "bars: 4", "requestor": "user", "error": False},
        ],
    },
    {"role": "user", "content": "Works. ###STOP###"},
]
SIMULATION = {
    "id": "sim-1",
    "task_id": "7",
    "timestamp": "2026-01-02T03:05:00",
    "start_time": "2026-01-02T03:04:00",
    "end_time": "2026-01-02T03:05:00",
    "duration": 60.0,
    "termination_reason": "user_stop",
    "agent_cost": 0.25,
    "user_cost": 0.125,
    "reward_info": {
        "reward": 1.0,
        "db_check": {"db_match": True, "db_reward": 1.0},
        "action_checks": [{"action_match": False}],
        "reward_basis": ["ENV_ASSERTION"],
        "reward_breakdown": {"ENV_ASSERTION": 1.0},
    },
    "messages": MESSAGES,
    "trial": 2,
}
HEAD = {
    "timestamp": "2026-01-02T03:00:00",
    "info": {
        "git_commit": "abc",
        "num_trials": 4,
        "agent_info": {"implementation": "llm_agent", "llm": "m-1", "llm_args": {"temperature": 0.0}},
        "user_info": {"implementation": "user_simulator", "llm": "m-2"},
        "environment_info": {"domain_name": "telecom", "policy": "Be kind.", "tool_defs": [{"name": "get_line"}]},
    },
    "tasks": [
        {"id": "7", "user_scenario": {"instructions": {"reason_for_call": "No signal.", "known_info": "Line 7"}}}
    ],
}
ROWS = Rows(
    {
        "native_id": "sim-1",
        "task_id": "telecom/7",
        "task_source": "tau2-bench",
        "rollout_index": 2,
        "source_format": "tau2",
        "record_key": "item:0",
        "adapter": "tau2",
        "adapter_version": "4",
        "lost_fields": [
            "messages[].raw_data",
            "info.environment_info.policy",
            "info.user_info",
            "reward_info.action_checks",
            "user_cost",
            "info.git_commit",
            "info.num_trials",
            "reward_info.db_check.db_reward",
            "timestamp",
        ],
        "env_type": "dialog",
        "env_name": "telecom",
        "agent_name": "llm_agent",
        "model_name": "m-1",
        "sampling_json": '{"temperature":0.0}',
        "reward": 1.0,
        "reward_raw": "1.0",
        "reward_name": "reward",
        "reward_components": [("env_assertion", 1.0)],
        "scored": True,
        "reward_valid": True,
        "termination": "finished",
        "termination_raw": "user_stop",
        "truncated": False,
        "num_steps": 6,
        "num_agent_steps": 3,
        "num_tool_calls": 3,
        "num_tool_errors": 1,
        "prompt_tokens": 230,
        "completion_tokens": 24,
        "cost_usd": 0.25,
        "cost_source": "reported",
        "duration_s": 60.0,
        "started_at": "2026-01-02T03:04:00+00:00",
        "ended_at": "2026-01-02T03:05:00+00:00",
        "instruction": "No signal.\nLine 7",
        "tools_json": '[{"name":"get_line"}]',
    },
    [
        {
            "step_id": 1,
            "source": "agent",
            "message": "Hi! How can I help?",
            "message_state": "text",
            "num_calls": 0,
            "cost_usd": 0.0,
            "sampled": False,
            "extra_json": '{"turn_idx":0}',
        },
        {
            "step_id": 2,
            "source": "user",
            "message": "No signal",
            "message_state": "text",
            "num_calls": 0,
            "prompt_tokens": 5,
            "completion_tokens": 2,
            "sampled": False,
            "extra_json": '{"turn_idx":1}',
        },
        {
            "step_id": 3,
            "source": "agent",
            "message_state": "null",
            "num_calls": 1,
            "tool_name": "get_line",
            "obs_text": "ok",
            "obs_bytes": 2,
            "is_error": False,
            "timestamp": "2026-01-02T03:04:05+00:00",
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "cost_usd": 0.25,
            "latency_s": 1.5,
            "sampled": True,
        },
        {
            "step_id": 4,
            "source": "agent",
            "message": "Please reboot",
            "message_state": "text",
            "num_calls": 0,
            "prompt_tokens": 130,
            "completion_tokens": 4,
            "sampled": True,
        },
        {
            "step_id": 5,
            "source": "user",
            "message_state": "null",
            "num_calls": 2,
            "tool_name": "reboot",
            "obs_text": "No such button\nbars: 4",
            "obs_bytes": 22,
            "is_error": True,
            "sampled": False,
        },
        {
            "step_id": 6,
            "source": "user",
            "message": "Works. ###STOP###",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
    ],
    [
        {
            "step_id": 3,
            "call_index": 0,
            "call_id": "c1",
            "call_id_raw": "c1",
            "tool_name": "get_line",
            "tool_kind": "other",
            "arguments_json": '{"line":7}',
            "arguments_state": "ok",
            "result_state": "ok",
            "is_error": False,
            "result_bytes": 2,
            "paired_by": "id",
            "requestor": "assistant",
        },
        {
            "step_id": 5,
            "call_index": 0,
            "call_id": "u1",
            "call_id_raw": "u1",
            "tool_name": "reboot",
            "tool_kind": "other",
            "arguments_json": "{}",
            "arguments_state": "ok",
            "result_text": "No such button",
            "result_state": "ok",
            "is_error": True,
            "result_bytes": 14,
            "paired_by": "id",
            "requestor": "user",
        },
        {
            "step_id": 5,
            "call_index": 1,
            "call_id": "u2",
            "call_id_raw": "u2",
            "tool_name": "look",
            "tool_kind": "other",
            "arguments_json": "{}",
            "arguments_state": "ok",
            "result_text": "bars: 4",
            "result_state": "ok",
            "is_error": False,
            "result_bytes": 7,
            "paired_by": "id",
            "requestor": "user",
        },
    ],
)


def whole(*simulations):
    return {**HEAD, "simulations": list(simulations)}


def test_whole_results_file_gives_these_rows(read_lake):
    read = read_lake({"run/results.json": whole(SIMULATION)})
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS
    assert (len(read.trajectories), read.bad) == (1, [])


def test_results_that_cannot_be_read_are_told_of_the_simulation_beside_them(read_lake):
    read = read_lake({"run/results.json": '{"info": {"cut', "run/simulations/sim-1.json": SIMULATION})
    (one,) = read.trajectories
    assert "unreadable_sidecar" in one.parse_warnings


def test_both_layouts_give_the_same_trajectories(read_lake, folder_of, read_folder):
    index = [{"id": "sim-1", "task_id": "7", "trial": 2, "reward": 1.0}]
    parted = {**HEAD, "simulation_index": index, "format_version": 2}
    read = read_lake({"run/results.json": parted, "run/simulations/sim-1.json": SIMULATION})
    assert [(unit.uri, unit.adapter, unit.sidecars) for unit in read.units] == [
        ("run/results.json", "tau2", ("run/simulations/sim-1.json",)),
        ("run/simulations/sim-1.json", "tau2", ("run/results.json",)),
    ]
    rows = told_rows(read.trajectories[0], read.units[1])
    lost = sorted([*ROWS.trajectory["lost_fields"], "format_version"])
    rows.trajectory["lost_fields"].sort()
    assert rows == Rows({**ROWS.trajectory, "record_key": "document", "lost_fields": lost}, ROWS.steps, ROWS.calls)
    assert (len(read.trajectories), read.bad) == (1, [])
    (alone,) = read_folder(folder_of({"results.json": whole(SIMULATION)}, "alone")).trajectories
    assert alone.traj_id == read.trajectories[0].traj_id


def test_simulation_that_the_index_names_but_no_file_holds_is_told(read_lake):
    parted = {**HEAD, "simulation_index": [{"id": "sim-1"}, {"id": "../../x"}]}
    read = read_lake({"results.json": parted, "simulations/sim-1.json": json.dumps(SIMULATION, indent=1)})
    assert len(read.trajectories) == 1
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("index:1", QuarantineReason.MISSING_MESSAGES)]


def test_simulation_without_its_results_file_is_read_with_what_it_says(read_lake):
    (trajectory,) = read_lake({"simulations/sim-1.json": SIMULATION}).trajectories
    header = trajectory.header
    assert (header.task_id, header.env_name, header.model_name, header.task_text) == ("7", None, None, "No signal")


def test_run_that_was_not_evaluated_is_not_scored(read_lake):
    (trajectory,) = read_lake({"results.json": whole({**SIMULATION, "reward_info": None})}).trajectories
    assert (trajectory.header.reward, trajectory.header.reward_raw, trajectory.header.reward_name) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("reason", "termination", "is_valid"),
    [
        ("user_stop", Termination.FINISHED, True),
        ("agent_stop", Termination.FINISHED, True),
        ("max_steps", Termination.MAX_STEPS, True),
        ("timeout", Termination.TIMEOUT_AGENT, True),
        ("too_many_errors", Termination.AGENT_ERROR, True),
        ("agent_error", Termination.AGENT_ERROR, True),
        ("user_error", Termination.USER_ERROR, False),
        ("infrastructure_error", Termination.INFRA_ERROR, False),
        ("context_window_exceeded", Termination.MAX_TOKENS_CONTEXT, True),
        ("unexpected_error", Termination.INFRA_ERROR, False),
    ],
)
def test_termination_reason(read_lake, reason, termination, is_valid):
    (trajectory,) = read_lake({"results.json": whole({**SIMULATION, "termination_reason": reason})}).trajectories
    assert (trajectory.header.termination, trajectory.header.reward_valid) == (termination, is_valid)


@pytest.mark.parametrize(
    ("field", "warning"),
    [
        ({"review": {"critical_user_error": True}}, "critical_user_error"),
        ({"hallucination_check": {"hallucination_found": True}}, "user_hallucination"),
    ],
)
def test_fault_of_the_simulated_user_makes_the_reward_invalid(read_lake, field, warning):
    (trajectory,) = read_lake({"results.json": whole({**SIMULATION, **field})}).trajectories
    assert (trajectory.header.reward_valid, trajectory.parse_warnings) == (False, (warning,))


def test_database_check_counts_only_where_the_reward_rests_on_it(read_lake):
    reward_info = {**SIMULATION["reward_info"], "reward_basis": ["DB"], "reward_breakdown": {"DB": 1.0}}
    (trajectory,) = read_lake({"results.json": whole({**SIMULATION, "reward_info": reward_info})}).trajectories
    assert trajectory.header.reward_components == {"db": 1.0, "db_match": 1.0}


def test_unusable_simulations_are_set_aside(read_lake):
    voice = {**SIMULATION, "messages": None, "ticks": [{}]}
    read = read_lake({"results.json": whole(SIMULATION, 7, voice, {**SIMULATION, "reward_info": {"reward": "maybe"}})})
    assert len(read.trajectories) == 1
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("item:1", QuarantineReason.NOT_AN_OBJECT),
        ("item:2", QuarantineReason.MISSING_MESSAGES),
        ("item:3", QuarantineReason.INVALID_REWARD),
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("content", [whole(SIMULATION), SIMULATION, {**HEAD, "simulation_index": []}])
def test_told_by_content(content, indent):
    outline = outline_of_head(json.dumps(content, indent=indent).encode(), is_complete=True)
    assert Tau2Adapter().claims(outline, IngestSettings())


def native_message(message):
    if message.role == "tool":
        return {"role": "tool", "id": message.tool_call_id, "content": message.content, "requestor": message.requestor}
    calls = [
        {
            "id": call.call_id,
            "name": call.name,
            "arguments": orjson.loads(call.arguments_json),
            "requestor": message.role,
        }
        for call in message.calls
    ]
    return {"role": message.role, "content": message.content, "tool_calls": calls or None}


def grouped(messages, *, is_grouped):
    natives = []
    for message in messages:
        native = native_message(message)
        if is_grouped and message.role == "tool" and natives and "tool_messages" in natives[-1]:
            natives[-1]["tool_messages"].append(native)
        else:
            natives.append(
                {"role": "tool", "tool_messages": [native]} if is_grouped and message.role == "tool" else native
            )
    return natives


@settings(max_examples=80)
@given(conversations(callers=("assistant", "user")), st.booleans())
def test_messages_rebuilt_from_the_rows_are_the_messages_read(conversation, is_grouped):
    native = {**SIMULATION, "messages": grouped(conversation, is_grouped=is_grouped)}
    raw = json.dumps(whole(native)).encode()
    unit = SourceUnit("k", "results.json", "tau2", "1", len(raw), "ab")
    (rollout,) = Tau2Adapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    assert [said(message) for message in rebuilt(rollout, unit)] == [said(message) for message in conversation]
