import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks
from transforms.formats.mini_swe_agent import MiniSweAgentAdapter

INFO = {
    "model_stats": {"instance_cost": 0.5, "api_calls": 2},
    "config": {
        "agent": {"step_limit": 9},
        "agent_type": "minisweagent.agents.default.DefaultAgent",
        "model": {"model_name": "p/m1", "model_kwargs": {"temperature": 0.0}},
        "environment": {"image": "img:1"},
    },
    "mini_version": "2.4.6",
    "exit_status": "Submitted",
    "submission": "diff",
}
EXIT = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}}
TASK = [{"role": "system", "content": "Rules"}, {"role": "user", "content": "Fix it"}]
CALLING = {
    "info": INFO,
    "messages": [
        *TASK,
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Look first.",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
            ],
            "extra": {
                "actions": [{"command": "ls", "tool_call_id": "t1"}],
                "response": {"id": "r1", "usage": {"prompt_tokens": 10, "completion_tokens": 3}},
                "cost": 0.25,
                "timestamp": 1767607200.0,
            },
        },
        {
            "role": "tool",
            "tool_call_id": "t1",
            "content": "<returncode>2</returncode>\n<output>\nno such file\n</output>",
            "extra": {
                "raw_output": "no such file\n",
                "returncode": 2,
                "timestamp": 1767607201.0,
                "exception_info": "",
            },
        },
        EXIT,
    ],
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "django__django-1",
}
REPORT = {
    "django__django-1": {
        "resolved": True,
        "patch_successfully_applied": True,
        "tests_status": {"FAIL_TO_PASS": {"success": ["a"], "failure": []}},
    }
}
FILES = {
    "run/django__django-1/django__django-1.traj.json": CALLING,
    "run/django__django-1/report.json": REPORT,
}

# fmt: off
EXPECTED = [
    (
        {
            'task_id': 'django__django-1', 'run_id': 'run', 'source_format': 'mini_swe_agent',
            'record_key': 'line:1', 'record_offset': 0, 'adapter': 'mini_swe_agent', 'adapter_version': '4',
            'lost_fields': ["info.config", "messages[].extra.response",
                            "info.model_stats.api_calls", "report.tests_status.FAIL_TO_PASS"],
            'env_type': 'code_repo', 'repo': 'django/django', 'image': 'img:1', 'agent_name': 'mini-swe-agent',
            'agent_version': '2.4.6', 'model_name': 'p/m1', 'sampling_json': {'temperature': 0.0}, 'reward': 1.0,
            'reward_raw': 'true', 'reward_name': 'resolved', 'success': True, 'tests_passed': 1, 'tests_failed': 0,
            'scored': True, 'termination': 'submitted', 'termination_raw': 'Submitted', 'truncated': False,
            'submission': 'diff', 'num_steps': 3, 'num_agent_steps': 1, 'num_tool_calls': 1, 'num_tool_errors': 1,
            'cost_usd': 0.5, 'cost_source': 'reported', 'started_at': '2026-01-05T10:00:00+00:00',
            'ended_at': '2026-01-05T10:00:01+00:00', 'instruction': 'Fix it',
        },
        [
            {'step_id': 1, 'source': 'system', 'message': 'Rules', 'message_state': 'text'},
            {'step_id': 2, 'source': 'user', 'message': 'Fix it', 'message_state': 'text'},
            {
                'step_id': 3, 'source': 'agent', 'timestamp': '2026-01-05T10:00:00+00:00', 'message_state': 'null',
                'reasoning': 'Look first.', 'num_calls': 1, 'tool_name': 'bash', 'command': 'ls',
                'obs_text': '<returncode>2</returncode>\n<output>\nno such file\n</output>', 'obs_bytes': 58,
                'is_error': True, 'exit_code': 2, 'prompt_tokens': 10, 'completion_tokens': 3, 'cost_usd': 0.25,
                'sampled': True,
                'extra_json': {'trajsift:messages': {'0': {'timestamp': '2026-01-05T10:00:01+00:00'}}},
            },
        ],
        [
            {
                'step_id': 3, 'call_id': 't1', 'call_id_raw': 't1', 'tool_name': 'bash', 'tool_kind': 'shell',
                'arguments_json': {'command': 'ls'}, 'arguments_raw': '{"command": "ls"}', 'result_state': 'ok',
                'is_error': True, 'exit_code': 2, 'result_bytes': 58, 'paired_by': 'id',
            },
        ],
    ),
]
# fmt: on


@pytest.mark.parametrize("indent", [None, 2])
def test_run_with_its_report_gives_these_rows(read_lake, indent):
    read = read_lake({**FILES, next(iter(FILES)): json.dumps(CALLING, indent=indent)})
    (unit,) = read.units
    assert (unit.adapter, unit.sidecars) == ("mini_swe_agent", ("run/django__django-1/report.json",))
    (row, steps, calls) = rows_of(read.trajectories[0], unit)
    assert [(row | {"record_key": "line:1", "record_offset": 0}, steps, calls)] == EXPECTED


def one_run(read_lake, *messages, **info):
    run = {**CALLING, "messages": [*TASK, *messages], "info": {**INFO, **info}}
    (one,) = read_lake({"run.traj.json": run}).trajectories
    return one


TEXT = "I will look.\n\n```mswea_bash_command\nls -la\n```"
OBSERVED = {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py</output>"}


@pytest.mark.parametrize(
    ("said", "observed"),
    [
        ({"extra": {"actions": [{"command": "ls -la"}]}}, {"extra": {"returncode": 0, "raw_output": "a.py"}}),
        ({}, {}),
    ],
)
def test_text_mode_block_is_a_call_and_the_next_user_message_its_result(read_lake, said, observed):
    one = one_run(read_lake, {"role": "assistant", "content": TEXT, **said}, {**OBSERVED, **observed}, EXIT)
    step = one.steps[-1]
    assert (step.message, step.command, step.sampled) == ("I will look.\n\n", "ls -la", True)
    assert (step.obs_text, step.exit_code, step.is_error) == (OBSERVED["content"], 0, False)
    assert step.calls[0].id_generated


def test_answer_without_an_action_is_followed_by_a_user_message(read_lake):
    complaint = {"role": "user", "content": "No action found", "extra": {"interrupt_type": "FormatError"}}
    one = one_run(read_lake, {"role": "assistant", "content": "Hm", "extra": {"actions": []}}, complaint)
    assert [(step.source, step.message, len(step.calls)) for step in one.steps[2:]] == [
        ("agent", "Hm", 0),
        ("user", "No action found", 0),
    ]
    assert one.steps[-1].extra_json == '{"interrupt_type":"FormatError"}'


def test_responses_objects_are_messages_of_the_agent(read_lake):
    response = {
        "object": "response",
        "id": "r1",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Think."}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Both."}]},
            {"type": "function_call", "call_id": "f1", "name": "bash", "arguments": '{"command": "ls"}'},
            {"type": "function_call", "call_id": "f2", "name": "bash", "arguments": '{"command": "pwd"}'},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 3},
        "extra": {"actions": [{"command": "ls"}, {"command": "pwd"}], "cost": 0.25},
    }
    outputs = [
        {"type": "function_call_output", "call_id": call_id, "output": text, "extra": {"returncode": code}}
        for call_id, text, code in (("f2", "/w", 0), ("f1", "nothing", 1))
    ]
    step = one_run(read_lake, response, *outputs, EXIT).steps[-1]
    assert (step.message, step.reasoning, step.prompt_tokens, step.cost_usd) == ("Both.", "Think.", 10, 0.25)
    assert [(call.call_id, call.result_text, call.exit_code, call.paired_by) for call in step.calls] == [
        ("f1", "nothing", 1, "id"),
        ("f2", "/w", 0, "id"),
    ]
    assert step.extra_json is None


@pytest.mark.parametrize(
    ("status", "termination", "valid", "truncated"),
    [
        ("Submitted", Termination.SUBMITTED, True, False),
        ("LimitsExceeded", Termination.MAX_STEPS, True, True),
        ("TimeExceeded", Termination.TIMEOUT_AGENT, True, True),
        ("RepeatedFormatError", Termination.FORMAT_ERROR, True, False),
        ("ContextWindowExceededError", Termination.MAX_TOKENS_CONTEXT, True, True),
        ("APIConnectionError", Termination.INFRA_ERROR, False, False),
        ("AuthenticationError", Termination.INFRA_ERROR, False, False),
        ("Timeout", Termination.INFRA_ERROR, False, False),
        ("ValueError", Termination.AGENT_ERROR, True, False),
        ("KeyboardInterrupt", Termination.KILLED, True, True),
        ("", Termination.KILLED, True, True),
    ],
)
def test_exit_status_tells_the_ending(read_lake, status, termination, valid, truncated):
    header = one_run(read_lake, {"role": "assistant", "content": "x"}, exit_status=status).header
    assert (header.termination, header.reward_valid, header.truncated) == (termination, valid, truncated)
    assert header.termination_raw == status


def test_words_of_the_exit_note_stand_in_the_header(read_lake):
    note = {"role": "exit", "content": "the cost limit was reached", "extra": {"exit_status": "LimitsExceeded"}}
    one = one_run(read_lake, {"role": "assistant", "content": "x"}, note, exit_status=None, submission="")
    assert (one.header.error_message, one.header.termination) == (note["content"], Termination.MAX_STEPS)
    assert not any(name.startswith("messages") for name in one.lost_fields)


def test_output_that_the_message_cut_is_kept(read_lake):
    call = CALLING["messages"][2]
    result = {"role": "tool", "tool_call_id": "t1", "content": "a…z", "extra": {"raw_output": "a b z"}}
    (step,) = [step for step in one_run(read_lake, call, result).steps if step.calls]
    assert json.loads(step.extra_json)["trajsift:messages"]["0"]["extra_json"] == '{"raw_output":"a b z"}'


def test_instance_is_the_records_else_the_folders(read_lake):
    facts = MiniSweAgentAdapter().path_facts
    assert facts("run/i1/i1.traj.json") == (("instance_id", "i1"), ("run", "run"))
    assert facts("out/last.traj.json.gz") == (("instance_id", ""), ("run", "out"))
    single = {name: value for name, value in CALLING.items() if name != "instance_id"}
    read = read_lake({"run/i1/i1.traj.json": single, "out/last.traj.json": single})
    assert [one.header.task_id for one in read.trajectories] == [None, "i1"]


def test_report_beside_a_run_speaks_of_its_instance_whatever_the_file_is_called(read_lake):
    report = {CALLING["instance_id"]: {"resolved": True}, "other__other-1": {"resolved": False}}
    read = read_lake({"out/last.traj.json": CALLING, "out/report.json": report})
    (one,) = read.trajectories
    assert (one.header.success, one.header.reward) == (True, 1.0)
    unnamed = {name: value for name, value in CALLING.items() if name != "instance_id"}
    read = read_lake({"out/last.traj.json": unnamed, "out/report.json": {"resolved": True}})
    assert [one.header.success for one in read.trajectories] == [None]


def test_unusable_runs_are_set_aside(read_lake):
    files = {
        "a.traj.json": {**CALLING, "messages": None},
        "b.traj.json": {**CALLING, "messages": [{"role": "alien", "content": "x"}]},
        "c.traj.json": b"",
    }
    assert [bad.reason for bad in read_lake(files).bad] == [
        QuarantineReason.MISSING_MESSAGES,
        QuarantineReason.INVALID_MESSAGE,
    ]


def as_calling(messages):
    """Write canonical messages as tool calling does."""
    for message in messages:
        native = {"role": message.role, "content": message.content}
        if message.calls:
            native["tool_calls"] = [
                {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": c.arguments_json}}
                for c in message.calls
            ]
        if message.reasoning is not None:
            native["reasoning_content"] = message.reasoning
        if message.role == "tool":
            native |= {"tool_call_id": message.tool_call_id, "extra": {"raw_output": message.content, "returncode": 0}}
        yield native


def as_responses(messages):
    """Write canonical messages as the Responses mode does."""
    for message in messages:
        if message.role == "assistant":
            output = [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": message.content}]}
            ]
            if message.reasoning is not None:
                output.insert(
                    0, {"type": "reasoning", "summary": [{"type": "summary_text", "text": message.reasoning}]}
                )
            output += [
                {"type": "function_call", "call_id": c.call_id, "name": c.name, "arguments": c.arguments_json}
                for c in message.calls
            ]
            yield {"object": "response", "output": output}
        elif message.role == "tool":
            output = {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
            yield {**output, "extra": {"returncode": 0}}
        else:
            yield {"role": message.role, "content": message.content}


@pytest.mark.parametrize("write", [as_calling, as_responses])
@settings(max_examples=40)
@given(messages=talks())
def test_messages_come_back_as_they_were(write, messages):
    (rollout,) = read_files("mini_swe_agent", {"a": {**CALLING, "messages": [*write(messages), EXIT]}})
    expected = [replace(m, exit_code=0, is_error=False) if m.role == "tool" else m for m in messages]
    assert rebuilt(rollout) == tuple(expected)
    assert set(rollout.lost_fields) == {
        "info.config",
        "info.model_stats.api_calls",
    }


@settings(max_examples=40)
@given(messages=talks(max_calls=0, has_reasoning=False))
def test_text_mode_comes_back_as_it_was(messages):
    native = []
    for number, message in enumerate(messages):
        text = message.content
        if message.role == "assistant":
            text += f"\n```mswea_bash_command\necho {number}\n```"
        native.append({"role": message.role, "content": text})
    (rollout,) = read_files("mini_swe_agent", {"a": {**CALLING, "messages": native}})
    said = [
        (m.role, m.content.removesuffix("\n") if m.calls else m.content, [c.arguments_json for c in m.calls])
        for m in rebuilt(rollout)
    ]
    assert said == [
        (m.role, m.content, [f'{{"command":"echo {number}"}}'] if m.role == "assistant" else [])
        for number, m in enumerate(messages)
    ]


def test_a_single_action_is_a_list_of_one(read_lake):
    said = {"role": "assistant", "content": "Hm", "extra": {"actions": {"command": "ls"}}}
    assert one_run(read_lake, said, EXIT).steps[-1].command == "ls"


def test_extras_that_no_column_can_hold_are_kept_or_told(read_lake):
    actions = [{"command": "ls", "why": "look"}]
    said = {"role": "assistant", "content": "Hm", "extra": {"actions": actions}}
    one = one_run(read_lake, said, {**OBSERVED, "extra": {"returncode": "none"}}, {**EXIT, "extra": "text"})
    extra = json.loads(one.steps[-1].extra_json)
    assert extra["actions"] == actions
    assert json.loads(extra["trajsift:messages"]["0"]["extra_json"]) == {"returncode": "none"}
    assert "messages[].extra" in one.lost_fields
