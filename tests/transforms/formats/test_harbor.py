import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks
from tests.transforms.formats.test_atif import as_steps

RESULT = {
    "id": "6f0c",
    "task_name": "count-files",
    "trial_name": "count-files__aB3",
    "trial_uri": "file:///x",
    "task_id": {"path": "tasks/count-files"},
    "task_checksum": "c0ffee",
    "source": "terminal-bench",
    "config": {"job_id": "j1"},
    "agent_info": {"name": "terminus-2", "version": "2.0", "model_info": {"name": "m1", "provider": "p1"}},
    "agent_result": {"n_input_tokens": 100, "n_cache_tokens": 60, "n_output_tokens": 20, "cost_usd": 0.5},
    "verifier_result": {"rewards": {"reward": 1.0, "style": 0.25}},
    "exception_info": None,
    "started_at": "2026-01-05T10:00:00Z",
    "finished_at": "2026-01-05T10:09:00Z",
    "agent_execution": {"started_at": "2026-01-05T10:01:00Z", "finished_at": "2026-01-05T10:03:00Z"},
    "step_results": None,
    "reward_valid": True,
}
AGENT = {"name": "terminus-2", "version": "2.0", "model_name": "p1/m1"}


def atif(*steps, **fields):
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, start=1)]
    return {"schema_version": "ATIF-v1.6", "session_id": "s1", "agent": AGENT, "steps": numbered, **fields}


USER = {"source": "user", "message": "Count the files"}
ACT = {
    "source": "agent",
    "message": "",
    "tool_calls": [{"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}}],
    "observation": {"results": [{"source_call_id": "a", "content": "x y"}]},
}
TRIAL = {"jobs/j/t1/result.json": RESULT, "jobs/j/t1/agent/trajectory.json": atif(USER, ACT)}

# fmt: off
EXPECTED = [
    (
        {
            'native_id': '6f0c', 'task_id': 'count-files', 'task_source': 'terminal-bench', 'run_id': 'j1',
            'session_id': 's1', 'source_format': 'harbor', 'record_key': 'document', 'record_offset': 0,
            'adapter': 'harbor', 'adapter_version': '3',
            'lost_fields': ["config", "trial_uri", "agent.model_name", "finished_at",
                                         "started_at", "task_id.path", "trial_name"],
            'env_type': 'terminal', 'task_checksum': 'c0ffee', 'agent_name': 'terminus-2', 'agent_version': '2.0',
            'model_name': 'm1', 'model_provider': 'p1', 'reward': 1.0, 'reward_raw': '1.0',
            'reward_name': 'reward', 'reward_components': [('reward', 1.0), ('style', 0.25)], 'scored': True,
            'termination': 'unknown', 'num_steps': 2, 'num_agent_steps': 1, 'num_tool_calls': 1,
            'prompt_tokens': 100, 'completion_tokens': 20, 'cached_tokens': 60, 'cost_usd': 0.5,
            'cost_source': 'reported', 'duration_s': 120.0, 'started_at': '2026-01-05T10:01:00+00:00',
            'ended_at': '2026-01-05T10:03:00+00:00', 'instruction': 'Count the files',
        },
        [
            {'step_id': 1, 'source': 'user', 'message': 'Count the files', 'message_state': 'text'},
            {
                'step_id': 2, 'source': 'agent', 'message': '', 'message_state': 'text', 'num_calls': 1,
                'tool_name': 'bash', 'command': 'ls', 'obs_text': 'x y', 'obs_bytes': 3, 'sampled': True,
            },
        ],
        [
            {
                'step_id': 2, 'call_id': 'a', 'call_id_raw': 'a', 'tool_name': 'bash', 'tool_kind': 'shell',
                'arguments_json': {'command': 'ls'}, 'result_state': 'ok', 'result_bytes': 3, 'paired_by': 'id',
            },
        ],
    ),
]
# fmt: on


def test_trial_gives_these_rows(read_lake):
    read = read_lake(TRIAL)
    assert [(unit.uri, unit.adapter, unit.sidecars) for unit in read.units] == [
        ("jobs/j/t1/result.json", "harbor", ("jobs/j/t1/agent/trajectory.json",))
    ]
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def trial(read_lake, trajectory=None, **fields):
    files = {"t/result.json": {**RESULT, **fields}}
    if trajectory is not None:
        files["t/agent/trajectory.json"] = trajectory
    return read_lake(files)


def test_trials_of_a_task_are_told_apart_and_share_its_name(read_lake):
    files = {}
    for number in (1, 2, 3):
        files[f"t{number}/result.json"] = {**RESULT, "id": None, "trial_name": f"count-files__{number}"}
        files[f"t{number}/agent/trajectory.json"] = atif(USER, ACT)
    trajectories = read_lake(files).trajectories
    assert {one.header.task_id for one in trajectories} == {"count-files"}
    assert len({one.traj_id for one in trajectories}) == 3


@pytest.mark.parametrize(
    ("fields", "reward", "name", "valid", "warnings"),
    [
        ({"verifier_result": None}, None, None, True, ()),
        ({"verifier_result": {"rewards": None}}, None, None, True, ()),
        ({"verifier_result": {"rewards": {"score": 0.5}}}, 0.5, "score", True, ()),
        ({"verifier_result": {"rewards": {"a": 1, "b": 0}}}, None, None, True, ("no_total_reward",)),
        ({"reward_valid": False}, 1.0, "reward", False, ()),
    ],
)
def test_rewards(read_lake, fields, reward, name, valid, warnings):
    (one,) = trial(read_lake, atif(USER, ACT), **fields).trajectories
    assert (one.header.reward, one.header.reward_name, one.header.reward_valid) == (reward, name, valid)
    assert one.parse_warnings == warnings


@pytest.mark.parametrize(
    ("exception", "termination", "valid"),
    [
        ("AgentTimeoutError", Termination.TIMEOUT_AGENT, True),
        ("VerifierTimeoutError", Termination.INFRA_ERROR, False),
        ("EnvironmentStartTimeoutError", Termination.INFRA_ERROR, False),
        ("AgentSetupTimeoutError", Termination.INFRA_ERROR, False),
        ("RewardFileNotFoundError", Termination.INFRA_ERROR, False),
        ("NonZeroAgentExitCodeError", Termination.AGENT_ERROR, True),
        ("CancelledError", Termination.KILLED, True),
    ],
)
def test_exception_tells_the_ending_and_whether_the_reward_counts(read_lake, exception, termination, valid):
    fault = {"exception_type": exception, "exception_message": "it broke", "exception_traceback": "…"}
    (one,) = trial(read_lake, atif(USER, ACT), exception_info=fault).trajectories
    assert (one.header.termination, one.header.reward_valid) == (termination, valid)
    assert (one.header.error_type, one.header.error_message) == (exception, "it broke")
    assert "exception_info.exception_traceback" in one.lost_fields


def test_trial_without_a_trajectory_is_its_outcome(read_lake):
    (one,) = trial(read_lake).trajectories
    assert (one.steps, one.header.reward, one.header.model_name) == ((), 1.0, "m1")
    assert one.parse_warnings == ("no_trajectory",)


def test_agent_that_never_acted_has_no_valid_reward(read_lake):
    fault = {"exception_type": "RuntimeError", "exception_message": "it broke"}
    (one,) = trial(read_lake, atif(USER), exception_info=fault, agent_result=None).trajectories
    assert (one.header.termination, one.header.reward_valid) == (Termination.AGENT_ERROR, False)


def test_cut_trajectory_sets_the_trial_aside(read_lake):
    read = read_lake({"t/result.json": RESULT, "t/agent/trajectory.json": json.dumps(atif(USER))[:90]})
    assert read.trajectories == []
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("file:trajectory.json", QuarantineReason.TRUNCATED)]


def test_continued_run_is_scored_once_in_its_last_context(read_lake):
    old = {"source": "agent", "message": "Old"}
    files = {
        **{"t/result.json": RESULT},
        "t/agent/trajectory.json": atif(USER, old, continued_trajectory_ref="trajectory.cont-1.json"),
        "t/agent/trajectory.cont-1.json": atif({**USER, "is_copied_context": True}, {**old, "message": "New"}),
        "t/agent/trajectory.summarization-1.json": atif({"source": "user", "message": "Sum up"}, session_id="s2"),
    }
    read = read_lake(files)
    (unit,) = read.units
    assert (unit.uri, len(unit.sidecars)) == ("t/result.json", 3)
    main, earlier, helper = read.trajectories
    assert [
        (one.record_key, one.header.task_id, one.header.reward, one.header.branch_index, one.steps[-1].message)
        for one in read.trajectories
    ] == [
        ("document", "count-files", 1.0, None, "New"),
        ("document/context:0", "count-files", None, 0, "Old"),
        ("document/subagent:trajectory.summarization-1.json", None, None, None, "Sum up"),
    ]
    assert {earlier.header.parent_traj_id, helper.header.parent_traj_id} == {main.traj_id}
    assert (main.header.task_text, main.lost_fields) == (
        "Count the files",
        (
            "config",
            "trial_uri",
            "agent.model_name",
            "finished_at",
            "started_at",
            "task_id.path",
            "trial_name",
        ),
    )
    assert earlier.lost_fields == ("continued_trajectory_ref",)


def test_trajectory_elsewhere_is_a_unit_of_its_own(read_lake):
    read = read_lake({**TRIAL, "other/trajectory.json": atif(USER)})
    assert [(unit.uri, unit.adapter) for unit in read.units] == [
        ("jobs/j/t1/result.json", "harbor"),
        ("other/trajectory.json", "atif"),
    ]


@settings(max_examples=30)
@given(messages=talks(), reward=st.none() | st.floats(-10, 10))
def test_messages_and_reward_come_back_as_they_were(messages, reward):
    result = {**RESULT, "verifier_result": None if reward is None else {"rewards": {"reward": reward}}}
    trajectory = {**atif(), "steps": as_steps(messages)}
    (rollout,) = read_files("harbor", {"result.json": result, "agent/trajectory.json": trajectory})
    assert rebuilt(rollout) == tuple(messages)
    assert rollout.header.reward == reward


def test_call_is_joined_with_the_subagent_whose_file_its_result_names(read_lake):
    ref = {"trajectory_path": "agent/trajectory.helper-1.json"}
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": "c1", "function_name": "ask", "arguments": {}}],
        "observation": {"results": [{"source_call_id": "c1", "content": "x", "subagent_trajectory_ref": [ref]}]},
    }
    files = {
        "t/result.json": RESULT,
        "t/agent/trajectory.json": atif(USER, step),
        "t/agent/trajectory.helper-1.json": atif(USER, session_id="s2"),
    }
    main, helper = read_lake(files).trajectories
    assert main.subagents == ((2, 0, helper.traj_id),)
