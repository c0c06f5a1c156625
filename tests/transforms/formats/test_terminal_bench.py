import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rows_of
from tests.transforms.formats.talks import read_files, texts, words

TRIAL = {
    "id": "11aa",
    "trial_name": "count-files.2-of-5.run7",
    "task_id": "count-files",
    "instruction": "Count the files",
    "is_resolved": False,
    "failure_mode": "agent_timeout",
    "parser_results": {"test_count": "failed", "test_file": "passed"},
    "recording_path": "run7/count-files/sessions/agent.cast",
    "total_input_tokens": 100,
    "total_output_tokens": 20,
    "trial_started_at": "2026-01-05T10:00:00+00:00",
    "trial_ended_at": "2026-01-05T10:09:00+00:00",
    "agent_started_at": "2026-01-05T10:01:00+00:00",
    "agent_ended_at": "2026-01-05T10:03:00+00:00",
}
RUN = {"run_id": "run7", "dataset_name": "terminal-bench-core", "agent_name": "terminus", "model_name": "m1"}
FILES = {
    "runs/run7/results.json": {"results": [TRIAL], "pass_at_k": {"5": 0.2}},
    "runs/run7/run_metadata.json": RUN,
}

# fmt: off
EXPECTED = [
    (
        {
            'native_id': '11aa', 'task_id': 'count-files', 'task_source': 'terminal-bench-core',
            'rollout_index': 2, 'run_id': 'run7', 'source_format': 'terminal_bench', 'record_key': 'item:0',
            'adapter': 'terminal_bench', 'adapter_version': '1',
            'lost_fields': ["recording_path", "steps", "parser_results.test_count",
                                         "parser_results.test_file", "pass_at_k", "trial_ended_at", "trial_name",
                                         "trial_started_at"],
            'env_type': 'terminal', 'agent_name': 'terminus', 'model_name': 'm1', 'reward': 0.0,
            'reward_raw': 'false', 'reward_name': 'is_resolved', 'success': False, 'tests_passed': 1,
            'tests_failed': 1, 'scored': True, 'termination': 'timeout_agent', 'termination_raw': 'agent_timeout',
            'truncated': True, 'prompt_tokens': 100, 'completion_tokens': 20, 'duration_s': 120.0,
            'started_at': '2026-01-05T10:01:00+00:00', 'ended_at': '2026-01-05T10:03:00+00:00',
            'instruction': 'Count the files',
        },
        [
        ],
        [
        ],
    ),
]
# fmt: on


def test_trial_gives_these_rows(read_lake):
    read = read_lake(FILES)
    assert [(unit.uri, unit.sidecars) for unit in read.units] == [
        ("runs/run7/results.json", ("runs/run7/run_metadata.json",))
    ]
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def trial(read_lake, **fields):
    (one,) = read_lake({"results.json": {"results": [{**TRIAL, **fields}]}}).trajectories
    return one.header


@pytest.mark.parametrize(
    ("mode", "termination", "valid"),
    [
        ("unset", Termination.FINISHED, True),
        ("none", Termination.FINISHED, True),
        ("unknown", Termination.UNKNOWN, True),
        ("test_timeout", Termination.INFRA_ERROR, False),
        ("agent_timeout", Termination.TIMEOUT_AGENT, True),
        ("unknown_agent_error", Termination.AGENT_ERROR, True),
        ("parse_error", Termination.INFRA_ERROR, False),
        ("fatal_llm_parse_error", Termination.FORMAT_ERROR, True),
        ("context_length_exceeded", Termination.MAX_TOKENS_CONTEXT, True),
        ("output_length_exceeded", Termination.MAX_TOKENS_CONTEXT, True),
        ("agent_installation_failed", Termination.INFRA_ERROR, False),
    ],
)
def test_failure_mode_tells_the_ending_and_whether_the_reward_counts(read_lake, mode, termination, valid):
    header = trial(read_lake, failure_mode=mode)
    assert (header.termination, header.termination_raw, header.reward_valid) == (termination, mode, valid)
    assert header.reward == 0.0


def test_agent_error_without_any_output_was_no_try(read_lake):
    header = trial(read_lake, failure_mode="unknown_agent_error", total_output_tokens=0)
    assert header.reward_valid is False


@pytest.mark.parametrize(
    ("resolved", "reward", "success"), [(True, 1.0, True), (False, 0.0, False), (None, None, None)]
)
def test_unresolved_is_not_unscored(read_lake, resolved, reward, success):
    header = trial(read_lake, is_resolved=resolved)
    assert (header.reward, header.success) == (reward, success)


def test_results_of_the_run_and_of_its_trials_are_counted_once(read_lake):
    read = read_lake({**FILES, "runs/run7/count-files/trial/results.json": TRIAL})
    assert [unit.sidecars for unit in read.units] == [("runs/run7/run_metadata.json",)] * 2
    assert len({one.traj_id for one in read.trajectories}) == 1


def test_unreadable_metadata_is_told(read_lake):
    read = read_lake({**FILES, "runs/run7/run_metadata.json": "{"})
    assert [one.parse_warnings for one in read.trajectories] == [("unreadable_run_metadata",)]


def test_unusable_trials_are_set_aside(read_lake):
    read = read_lake({"results.json": {"results": [TRIAL, 7, {**TRIAL, "is_resolved": "perhaps"}]}})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("item:1", QuarantineReason.NOT_AN_OBJECT),
        ("item:2", QuarantineReason.INVALID_REWARD),
    ]


trials = st.fixed_dictionaries(
    {"trial_name": words, "task_id": words, "is_resolved": st.none() | st.booleans()},
    optional={
        "instruction": texts,
        "parser_results": st.dictionaries(words, st.sampled_from(["passed", "failed"]), min_size=1, max_size=3),
        "total_output_tokens": st.integers(0, 10**9),
    },
)


@settings(max_examples=40)
@given(natives=st.lists(trials, max_size=4))
def test_every_trial_and_outcome_comes_back(natives):
    rollouts = read_files("terminal_bench", {"results.json": {"results": natives}})
    assert [
        (one.header.task_id, one.header.success, one.header.task_text, one.header.completion_tokens)
        for one in rollouts
    ] == [
        (each["task_id"], each["is_resolved"], each.get("instruction"), each.get("total_output_tokens"))
        for each in natives
    ]
    counted = [
        sum(result == "passed" for result in each["parser_results"].values()) if "parser_results" in each else None
        for each in natives
    ]
    assert [one.header.tests_passed for one in rollouts] == counted
    assert all(one.messages == () and "steps" in one.lost_fields for one in rollouts)
