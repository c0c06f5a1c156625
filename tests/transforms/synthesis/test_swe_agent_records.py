import json

from transforms.synthesis.actions import Phase
from transforms.synthesis.episodes import Episode, Turn
from transforms.synthesis.planting import Planted, plan_task
from transforms.synthesis.swe_agent_records import action_text, run_folder, swe_agent_files

EPISODE = Episode(
    task_text="repair it",
    turns=(
        Turn(Phase.EDIT, "change", "edit_file", {"path": "a.py", "lines": "1:2", "text": "x = 1\n"}, "a.py changed"),
        Turn(Phase.FINISH, "done", "submit", {"summary": "s"}, "submitted"),
    ),
    tests_passed=8,
    tests_total=9,
    components=(0.8889, 1.0, 1.0),
    loop=None,
    secret=None,
)
TASK = plan_task(0, 1, num_rollouts=8)
PLAN = TASK.rollouts[0]._replace(is_success=False)


def test_a_call_is_written_as_tool_and_values():
    assert [action_text(turn) for turn in EPISODE.turns] == ["edit_file a.py 1:2 x = 1\n", "submit"]


def test_the_run_folder_starts_with_the_model():
    folder = run_folder(PLAN, rollout_index=3)
    assert folder == f"{PLAN.model_name}__sample__default__t-0.70__p-0.95__c-3.00__install-1___run-03"


def test_a_trajectory_holds_every_step_twice_and_its_report_counts_tests():
    files = swe_agent_files(0, TASK, PLAN, EPISODE, source_index=0)
    trajectory = json.loads(files.trajectory)
    assert list(trajectory) == ["trajectory", "history", "info", "replay_config", "environment"]
    assert [entry["observation"] for entry in trajectory["trajectory"]] == ["a.py changed", "submitted"]
    assert [message["role"] for message in trajectory["history"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]
    call, answer = trajectory["history"][2:4]
    assert answer["tool_call_ids"] == [call["tool_calls"][0]["id"]]
    assert trajectory["info"]["exit_status"] == "submitted"
    assert trajectory["info"]["submission"] == "--- a/a.py\n+++ b/a.py\n+x = 1\n"
    assert files.report is not None
    report = json.loads(files.report)
    assert report["resolved"] is False
    assert files.reward == 0.0
    tests = report["tests_status"]
    assert {name: (len(part["success"]), len(part["failure"])) for name, part in tests.items()} == {
        "FAIL_TO_PASS": (3, 1),
        "PASS_TO_PASS": (5, 0),
    }


def test_no_report_where_nothing_was_judged():
    plan = PLAN._replace(kind=Planted.UNSCORED, is_success=None)
    files = swe_agent_files(0, TASK, plan, EPISODE, source_index=0)
    assert (files.report, files.reward) == (None, None)


def test_an_infrastructure_failure_says_so():
    plan = PLAN._replace(kind=Planted.INFRA, is_success=None, infra_cause="http_5xx", infra_reward=0.0)
    files = swe_agent_files(0, TASK, plan, EPISODE, source_index=0)
    info = json.loads(files.trajectory)["info"]
    assert (info["exit_status"], info["submission"]) == ("exit_api", None)
    assert files.reward == 0.0
