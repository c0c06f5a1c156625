from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks
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
FILES = {
    "gpt4__data__config/django__django-1/django__django-1.traj": TEXT_MODE,
    "gpt4__data__config/django__django-1/report.json": REPORT,
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


def test_what_stands_beside_attempts_is_lost_only_where_no_attempt_says_it(read_lake):
    chosen = {**TEXT_MODE, "info": {**TEXT_MODE["info"], "review": "good"}}
    other = {**TEXT_MODE, "history": [{"role": "user", "content": "other words"}], "info": {}}
    without = {name: value for name, value in TEXT_MODE.items() if name != "attempts"}
    read = read_lake({"r/a.traj": {**chosen, "attempts": [without, other]}, "r/b.traj": without})
    *attempts, single = (one.lost_fields for one in read.trajectories)
    assert attempts[1] == (*(name for name in single if name in TEXT_MODE), "info.review")


def test_report_judges_the_attempts_that_made_the_chosen_submission(read_lake):
    attempts = [
        {**TEXT_MODE, "info": {"exit_status": "submitted", "submission": patch}} for patch in ("bad", "good", "good")
    ]
    retry = {**TEXT_MODE, "info": {"exit_status": "submitted", "submission": "good"}, "attempts": [*attempts, 3]}
    read = read_lake({"run/django__django-1/django__django-1.traj": retry, "run/django__django-1/report.json": REPORT})
    assert [(one.header.rollout_index, one.header.reward, one.parse_warnings) for one in read.trajectories] == [
        (0, None, ("report_of_another_attempt",)),
        (1, 1.0, ()),
        (2, 1.0, ()),
    ]
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("attempt:3", QuarantineReason.NOT_AN_OBJECT)]


def test_own_turns_are_sampled_and_demonstrations_are_not(read_lake):
    shown = {"role": "assistant", "content": "shown", "action": "ls\n", "thought": "shown", "is_demo": True}
    run = {**TEXT_MODE, "history": [shown, *TEXT_MODE["history"]]}
    (trajectory,) = read_lake({"r/a.traj": run}).trajectories
    assert [(step.source, step.is_demo, step.sampled) for step in trajectory.steps] == [
        ("agent", True, None),
        ("system", False, None),
        ("user", True, None),
        ("user", False, None),
        ("agent", False, True),
        ("agent", False, True),
    ]


@pytest.mark.parametrize(
    ("state", "config"), [("{}", {"agent": {"model": {"name": "m1"}}}), ({}, '{"agent": {"model": {"name": "m1"}}}')]
)
@pytest.mark.parametrize("prompt", ["query", "messages"])
def test_fields_that_changed_between_versions_are_read_alike(read_lake, state, config, prompt):
    steps = [{**step, "state": state or {"open_file": "a"}, prompt: [{"x": 1}]} for step in TEXT_MODE["trajectory"]]
    run = {**TEXT_MODE, "trajectory": steps, "replay_config": config}
    (trajectory,) = read_lake({"r/a.traj": run}).trajectories
    assert trajectory.header.model_name == "m1"
    assert trajectory.lost_fields == ("environment", "replay_config", f"trajectory[].{prompt}", "trajectory[].state")


def test_message_fields_without_a_column_are_told(read_lake):
    history = [{**item, "cache_control": {"type": "ephemeral"}, "tags": []} for item in CALLING["history"]]
    (trajectory,) = read_lake({"r/a.traj": {**CALLING, "history": history}}).trajectories
    assert trajectory.lost_fields == ("history[].cache_control",)


# fmt: off
EXPECTED = [
    (
        {
            'task_id': 'django__django-1', 'run_id': 'gpt4__data__config', 'source_format': 'swe_agent',
            'record_key': 'document', 'record_offset': 0, 'adapter': 'swe_agent', 'adapter_version': '4',
            'lost_fields': ["environment", "report.tests_status.FAIL_TO_PASS"],
            'env_type': 'code_repo', 'repo': 'django/django',
            'agent_name': 'swe-agent', 'model_name': 'gpt4', 'reward': 1.0, 'reward_raw': 'true',
            'reward_name': 'resolved', 'success': True, 'tests_passed': 2, 'tests_failed': 1, 'scored': True,
            'termination': 'max_cost', 'termination_raw': 'submitted (exit_cost)', 'truncated': True,
            'submission': 'diff', 'num_steps': 5, 'num_agent_steps': 2, 'num_tool_calls': 2, 'prompt_tokens': 10,
            'completion_tokens': 3, 'cost_usd': 0.5, 'cost_source': 'reported', 'instruction': 'Issue: it fails',
        },
        [
            {'step_id': 1, 'source': 'system', 'actor': 'primary', 'message': 'SETTING', 'message_state': 'text'},
            {
                'step_id': 2, 'source': 'user', 'actor': 'primary', 'message': 'A demonstration',
                'message_state': 'text', 'is_demo': True,
            },
            {
                'step_id': 3, 'source': 'user', 'actor': 'primary', 'message': 'Issue: it fails',
                'message_state': 'text',
            },
            {
                'step_id': 4, 'source': 'agent', 'actor': 'primary', 'message': 'Look\n', 'message_state': 'text',
                'num_calls': 1, 'tool_name': 'bash', 'command': 'ls', 'obs_text': 'a.py\n(Open file: n/a)',
                'obs_bytes': 21, 'sampled': True,
                'extra_json': {'trajsift:messages': {'0': {'actor': 'primary', 'role_raw': 'user'}}},
            },
            {
                'step_id': 5, 'source': 'agent', 'actor': 'primary', 'message': 'Done\n', 'message_state': 'text',
                'num_calls': 1, 'tool_name': 'submit', 'command': 'submit', 'obs_text': 'diff', 'obs_bytes': 4,
                'sampled': True,
            },
        ],
        [
            {
                'step_id': 4, 'call_id': 'call_4_0', 'id_generated': True, 'tool_name': 'bash',
                'tool_kind': 'shell', 'arguments_json': {'command': 'ls'}, 'result_state': 'ok',
                'result_bytes': 21, 'paired_by': 'position',
            },
            {
                'step_id': 5, 'call_id': 'call_5_0', 'id_generated': True, 'tool_name': 'submit',
                'tool_kind': 'finish', 'arguments_json': {'command': 'submit'}, 'result_state': 'ok',
                'result_bytes': 4, 'paired_by': 'position',
            },
        ],
    ),
]
# fmt: on


def test_run_gives_these_rows(read_lake):
    read = read_lake(FILES)
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def as_history(messages):
    """Write canonical messages as tool calling does."""
    for message in messages:
        native = {"role": message.role, "content": message.content, "agent": "main"}
        if message.role == "tool":
            native |= {"content": [{"type": "text", "text": message.content}], "tool_call_ids": [message.tool_call_id]}
        if message.calls:
            native["tool_calls"] = [
                {"id": c.call_id, "function": {"name": c.name, "arguments": c.arguments_json}} for c in message.calls
            ]
        if message.reasoning is not None:
            native["thinking_blocks"] = [{"type": "thinking", "thinking": message.reasoning, "signature": "s"}]
        yield native


@settings(max_examples=60)
@given(attempts=st.lists(talks(), min_size=1, max_size=3))
def test_messages_of_every_attempt_come_back_as_they_were(attempts):
    files = {"i.traj": {"info": {}, "attempts": [{"history": list(as_history(messages))} for messages in attempts]}}
    rollouts = read_files("swe_agent", files, instance_id="i", run="r")
    assert [
        [(m.role, m.content, m.reasoning, m.calls, m.tool_call_id, m.sampled) for m in rebuilt(one)]
        for one in rollouts
    ] == [
        [(m.role, m.content, m.reasoning, m.calls, m.tool_call_id, m.sampled) for m in messages]
        for messages in attempts
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
