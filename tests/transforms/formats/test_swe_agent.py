from collections import Counter

import pytest

from schemas.reasons import QuarantineReason, Termination
from transforms.formats.swe_agent import SweAgentAdapter

TEXT_MODE = {
    "environment": "swe_main",
    "trajectory": [
        {"action": "ls\n", "observation": "a.py", "response": "Look\n```\nls\n```", "thought": "Look\n"},
        {"action": "submit\n", "observation": "diff", "response": "submit", "thought": "Done\n"},
    ],
    "history": [
        {"role": "system", "content": "SETTING", "agent": "primary"},
        {"role": "user", "content": "A demonstration", "agent": "primary", "is_demo": True},
        {"role": "user", "content": "Issue: it fails", "agent": "primary"},
        {
            "role": "assistant",
            "content": "Look\n```\nls\n```",
            "thought": "Look\n",
            "action": "ls\n",
            "agent": "primary",
        },
        {"role": "user", "content": "a.py\n(Open file: n/a)", "agent": "primary"},
        {"role": "assistant", "content": "submit", "thought": "Done\n", "action": "submit\n", "agent": "primary"},
    ],
    "info": {
        "exit_status": "submitted (exit_cost)",
        "submission": "diff",
        "model_stats": {"instance_cost": 0.5, "tokens_sent": 10, "tokens_received": 3},
    },
}
CALLING = {
    "history": [
        {"role": "user", "content": [{"type": "text", "text": "Issue"}], "agent": "main"},
        {
            "role": "assistant",
            "content": "Look",
            "thought": "Look",
            "action": "ls",
            "agent": "main",
            "tool_calls": [{"id": "t1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
        },
        {"role": "tool", "content": [{"type": "text", "text": "a.py"}], "tool_call_ids": ["t1"], "agent": "main"},
    ],
    "trajectory": [],
    "info": {"exit_status": None},
}
REPORT = {
    "django__django-1": {
        "resolved": True,
        "patch_successfully_applied": True,
        "tests_status": {"FAIL_TO_PASS": {"success": ["a", "b"], "failure": ["c"]}},
    }
}


def test_text_mode_action_is_a_call_and_the_next_user_message_its_result(read_lake):
    (trajectory,) = read_lake({"gpt4__data__config/django__django-1.traj": TEXT_MODE}).trajectories
    header = trajectory.header
    assert (header.task_id, header.task_text, header.repo) == ("django__django-1", "Issue: it fails", "django/django")
    assert (header.model_name, header.run_id) == ("gpt4", "gpt4__data__config")
    assert (header.termination, header.truncated) == (Termination.MAX_COST, True)
    assert (header.cost_usd, header.prompt_tokens, header.completion_tokens) == (0.5, 10, 3)
    assert header.reward is None
    assert [
        (step.source, step.message, [call.tool_name for call in step.calls], step.obs_text, step.is_demo)
        for step in trajectory.steps
    ] == [
        ("system", "SETTING", [], None, False),
        ("user", "A demonstration", [], None, True),
        ("user", "Issue: it fails", [], None, False),
        ("agent", "Look\n", ["bash"], "a.py\n(Open file: n/a)", False),
        ("agent", "Done\n", ["submit"], "diff", False),
    ]


def test_tool_calls_are_paired_by_their_id_lists(read_lake):
    (trajectory,) = read_lake({"run/x/x.traj": CALLING}).trajectories
    step = trajectory.steps[-1]
    assert (step.command, step.obs_text, step.calls[0].paired_by) == ("ls", "a.py", "id")
    assert trajectory.header.run_id == "run"


@pytest.mark.parametrize(
    "place",
    [
        "run/django__django-1/report.json",
        "logs/run_evaluation/django__django-1/report.json",
        "logs/run_evaluation/r1/run/django__django-1/report.json",
    ],
)
def test_report_is_joined_and_is_no_unit(read_lake, place):
    read = read_lake({"run/django__django-1/django__django-1.traj": TEXT_MODE, place: REPORT})
    (trajectory,) = read.trajectories
    assert (len(read.units), read.units[0].sidecars) == (1, (place,))
    assert (trajectory.header.reward, trajectory.header.success, trajectory.header.reward_raw) == (1.0, True, "true")
    assert (trajectory.header.tests_passed, trajectory.header.tests_failed) == (2, 1)


def test_report_of_a_run_is_joined(read_lake):
    report = {"resolved_ids": ["a__a-1"], "unresolved_ids": ["b__b-1"], "error_ids": ["c__c-1"]}
    files = {f"run/{name}.traj": TEXT_MODE for name in ("a__a-1", "b__b-1", "c__c-1")}
    trajectories = read_lake({**files, "run/report.json": report}).trajectories
    assert [trajectory.header.reward for trajectory in trajectories] == [1.0, 0.0, None]
    assert [trajectory.parse_warnings for trajectory in trajectories] == [(), (), ("evaluation_error",)]


def test_resolved_without_an_applied_patch_is_a_conflict_and_not_scored(read_lake):
    report = {"resolved": True, "patch_successfully_applied": False}
    read = read_lake({"run/a__a-1/a__a-1.traj": TEXT_MODE, "run_evaluation/a__a-1/report.json": report})
    (trajectory,) = read.trajectories
    assert (trajectory.header.reward, trajectory.header.reward_raw) == (None, "true")
    assert trajectory.parse_warnings == ("conflicting_label",)


def test_report_elsewhere_is_not_guessed_to_belong_to_one_of_two_runs(read_lake):
    read = read_lake(
        {
            "m1/a__a-1.traj": TEXT_MODE,
            "m2/a__a-1.traj": TEXT_MODE,
            "run_evaluation/a__a-1/report.json": {"resolved": True},
            "run_evaluation/m2/a__a-1/report.json": {"resolved": True},
        }
    )
    assert [trajectory.header.reward for trajectory in read.trajectories] == [None, 1.0]
    assert [bad.reason for bad in read.bad] == [QuarantineReason.UNKNOWN_FORMAT]


def test_sidecar_changes_the_units_key(folder_of, read_folder):
    keys = [
        read_folder(folder_of({"r/a.traj": TEXT_MODE, "r/report.json": {"resolved_ids": ids}}, name)).units[0].unit_key
        for name, ids in (("one", []), ("two", ["a"]), ("three", []))
    ]
    assert keys[0] == keys[2] != keys[1]


def test_attempts_are_rollouts_of_their_own(read_lake):
    read = read_lake({"r/a.traj": {**TEXT_MODE, "attempts": [TEXT_MODE, {**TEXT_MODE, "history": []}]}})
    assert [(one.record_key, one.header.rollout_index, len(one.steps)) for one in read.trajectories] == [
        ("attempt:0", 0, 5),
        ("attempt:1", 1, 2),
    ]


def test_step_that_the_history_left_out_is_told(read_lake):
    history = [item for item in TEXT_MODE["history"] if item.get("action") != "ls\n"]
    (trajectory,) = read_lake({"r/a.traj": {**TEXT_MODE, "history": history}}).trajectories
    assert trajectory.parse_warnings == ("trajectory_history_differ",)
    assert trajectory.steps[-1].obs_text == "diff"


def test_cut_file_is_truncated(read_lake):
    read = read_lake({"r/a.traj": b'{"history": [{"role": "user", "content": "x"}, {"rol'})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("document", QuarantineReason.TRUNCATED)]


def test_path_facts_skip_the_folder_named_after_the_instance():
    facts = SweAgentAdapter().path_facts("a/run/x/x.traj")
    assert facts == (("instance_id", "x"), ("run", "run"))


def test_real_demonstrations_are_all_read(read_real):
    read = read_real("swe-agent-demos", "**/*.traj")
    assert (len(read.trajectories), read.bad, read.repeats) == (22, [], [])
    assert Counter(one.header.reward for one in read.trajectories) == {None: 22}
    assert all(one.steps[-1].source == "agent" and one.steps[-1].obs_text is not None for one in read.trajectories)


def test_real_reports_are_joined(read_real):
    read = read_real("swe-smith-testlogs", "**/*.traj")
    assert read.bad == []
    assert {
        one.header.task_id: (one.header.reward, one.header.reward_raw, one.parse_warnings) for one in read.trajectories
    } == {
        "pandas-dev__pandas.95280573.pr_53652": (None, "true", ("conflicting_label",)),
        "pandas-dev__pandas.95280573.pr_53856": (0.0, "false", ()),
        "pydantic__pydantic.acb0f10f.pr_8316": (None, "true", ("conflicting_label",)),
    }
