import json

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks


def response(number, *calls, content="", **message):
    written = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
               for call_id, name, arguments in calls]  # fmt: skip
    return {
        "id": f"r{number}",
        "choices": [{"message": {"role": "assistant", "content": content, "tool_calls": written, **message}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    }


def named(call_id, name, model_response):
    return {"tool_call_id": call_id, "function_name": name, "model_response": model_response}


BOTH = response(1, ("a", "execute_bash", '{"command": "ls"}'), ("b", "think", '{"thought": "hm"}'), content="Look")
HISTORY = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "Rules", "tools": [{"type": "function"}]}},
    {"id": 1, "source": "user", "message": "Fix it", "action": "message", "args": {"content": "Fix it"}},
    {"id": 2, "source": "user", "action": "recall", "args": {"query": "Fix it"}},
    {"id": 3, "source": "environment", "observation": "recall", "content": "Added context", "cause": 2},
    {
        "id": 4, "timestamp": "2026-01-05T10:00:00", "source": "agent", "message": "Running: ls", "action": "run",
        "args": {"command": "ls", "thought": "Look"}, "tool_call_metadata": named("a", "execute_bash", BOTH),
    },
    {
        "id": 5, "source": "agent", "action": "think", "args": {"thought": "hm"},
        "tool_call_metadata": named("b", "think", BOTH),
    },
    {
        "id": 6, "source": "agent", "observation": "think", "content": "Logged.", "cause": 5,
        "tool_call_metadata": named("b", "think", BOTH),
    },
    {
        "id": 7, "source": "agent", "observation": "run", "content": "nothing", "cause": 4,
        "extras": {"command": "ls", "metadata": {"exit_code": 2}},
        "tool_call_metadata": named("a", "execute_bash", BOTH),
    },
    {"id": 8, "source": "agent", "action": "finish", "args": {"final_thought": "Done", "outputs": {}}},
]  # fmt: skip
ROW = {
    "instance_id": "django__django-1",
    "instruction": "Fix it",
    "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m1"}, "max_iterations": 30},
    "history": HISTORY,
    "git_patch": "diff",
    "metrics": {"accumulated_cost": 0.5, "accumulated_token_usage": {"prompt_tokens": 20, "completion_tokens": 6}},
    "error": None,
    "test_result": {"report": {"resolved": True, "empty_generation": False, "error_eval": False}},
}
FILES = {"evals/run_1/output.jsonl": json.dumps(ROW) + "\n"}

# fmt: off
EXPECTED = [
    (
        {
            'task_id': 'django__django-1', 'run_id': 'run_1', 'source_format': 'openhands', 'record_key': 'line:1',
            'record_offset': 0, 'adapter': 'openhands', 'adapter_version': '4',
            'lost_fields': ["history[].extras", "history[].message", "history[action=recall]",
                            "history[observation=recall]", "metadata",
                            "test_result.report.empty_generation"],
            'env_type': 'code_repo', 'repo': 'django/django', 'agent_name': 'CodeActAgent', 'model_name': 'm1',
            'reward': 1.0, 'reward_raw': 'true', 'reward_name': 'resolved', 'success': True, 'scored': True,
            'termination': 'finished', 'termination_raw': 'finish', 'truncated': False, 'submission': 'diff',
            'num_steps': 4, 'num_agent_steps': 2, 'num_tool_calls': 3, 'num_tool_errors': 1, 'prompt_tokens': 20,
            'completion_tokens': 6, 'cost_usd': 0.5, 'cost_source': 'reported', 'instruction': 'Fix it',
            'tools_json': [{'type': 'function'}],
        },
        [
            {'step_id': 1, 'source': 'system', 'message': 'Rules', 'message_state': 'text'},
            {'step_id': 2, 'source': 'user', 'message': 'Fix it', 'message_state': 'text'},
            {
                'step_id': 3, 'source': 'agent', 'timestamp': '2026-01-05T10:00:00+00:00', 'message': 'Look',
                'message_state': 'text', 'num_calls': 2, 'tool_name': 'execute_bash', 'command': 'ls',
                'obs_text': 'nothing\nLogged.', 'obs_bytes': 15, 'is_error': True, 'exit_code': 2,
                'prompt_tokens': 10, 'completion_tokens': 3, 'sampled': True,
            },
            {
                'step_id': 4, 'source': 'agent', 'message_state': 'missing', 'num_calls': 1, 'tool_name': 'finish',
                'sampled': True,
            },
        ],
        [
            {
                'step_id': 3, 'call_id': 'a', 'call_id_raw': 'a', 'tool_name': 'execute_bash',
                'tool_kind': 'shell', 'arguments_json': {'command': 'ls'}, 'arguments_raw': '{"command": "ls"}',
                'result_text': 'nothing', 'result_state': 'ok', 'is_error': True, 'exit_code': 2,
                'result_bytes': 7, 'paired_by': 'id',
            },
            {
                'step_id': 3, 'call_index': 1, 'call_id': 'b', 'call_id_raw': 'b', 'tool_name': 'think',
                'tool_kind': 'think', 'arguments_json': {'thought': 'hm'}, 'arguments_raw': '{"thought": "hm"}',
                'result_text': 'Logged.', 'result_state': 'ok', 'result_bytes': 7, 'paired_by': 'id',
            },
            {
                'step_id': 4, 'call_id': 'event_8', 'call_id_raw': 'event_8', 'tool_name': 'finish',
                'tool_kind': 'finish', 'arguments_json': {'final_thought': 'Done', 'outputs': {}},
                'result_state': 'missing',
            },
        ],
    ),
]
# fmt: on


def test_row_of_v0_events_gives_these_rows(read_lake):
    read = read_lake(FILES)
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def run(read_lake, *events, **fields):
    read = read_lake({"r/output.jsonl": json.dumps({**ROW, "history": list(events), **fields}) + "\n"})
    assert read.bad == []
    return read.trajectories


TASK = {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it"}}


def act(number, thought="t", **args):
    return {"id": number, "source": "agent", "action": "run", "args": {"thought": thought, **args}}


def saw(number, cause, content):
    return {"id": number, "source": "agent", "observation": "run", "content": content, "cause": cause}


def test_observations_are_linked_by_cause_whatever_their_order(read_lake):
    events = [TASK, act(2, command="one"), act(3, command="two"), saw(4, 3, "second"), saw(5, 2, "first")]
    (one,) = run(read_lake, *events)
    assert [(step.command, step.obs_text, step.calls[0].paired_by) for step in one.steps[1:]] == [
        ("one", "first", "id"),
        ("two", "second", "id"),
    ]


def test_observation_without_a_known_cause_is_a_step_of_its_own(read_lake):
    note = {"id": 2, "source": "environment", "observation": "error", "content": "lost", "cause": None}
    (one,) = run(read_lake, TASK, note)
    assert [(step.source, step.message, step.is_error) for step in one.steps[1:]] == [("environment", "lost", True)]


def test_observation_of_an_unknown_cause_is_told_when_its_place_alone_gives_it_to_a_call(read_lake):
    (one,) = run(read_lake, TASK, act(2, command="ls"), saw(3, 99, "lost"), act(4, command="pwd"), saw(5, 4, "/"))
    assert [(step.obs_text, step.calls[0].paired_by) for step in one.steps[1:]] == [("lost", "position"), ("/", "id")]
    assert one.parse_warnings == ("unknown_result_id",)


def test_history_of_pairs_is_read_alike(read_lake):
    pairs = [
        [TASK, {"id": 9, "observation": "null", "content": "", "cause": 1}],
        [act(2, command="ls"), saw(3, 2, "a")],
    ]
    (one,) = run(read_lake, *pairs)
    assert [(step.source, step.command, step.obs_text) for step in one.steps] == [
        ("user", None, None),
        ("agent", "ls", "a"),
    ]
    assert "history[observation=null]" in one.lost_fields


def test_command_that_has_not_ended_is_no_error(read_lake):
    open_end = {**saw(3, 2, "…"), "extras": {"metadata": {"exit_code": -1}}}
    (one,) = run(read_lake, TASK, act(2, command="sleep 9"), open_end)
    assert (one.steps[1].is_error, one.steps[1].exit_code) == (None, None)


def test_condensation_splits_the_run_into_what_the_model_saw(read_lake):
    condensed = {
        "id": 4, "source": "agent", "action": "condensation",
        "args": {"forgotten_events_start_id": 2, "forgotten_events_end_id": 3, "summary": "Ran one",
                 "summary_offset": 1},
    }  # fmt: skip
    last, first = run(read_lake, TASK, act(2, command="one"), saw(3, 2, "1"), condensed, act(5, command="two"))
    assert [(step.message, step.is_copied_context, step.sampled) for step in last.steps] == [
        ("Fix it", True, None),
        ("Ran one", False, None),
        ("t", False, True),
    ]
    assert [(step.message, step.command) for step in first.steps] == [("Fix it", None), ("t", "one")]
    assert (last.header.reward, first.header.reward, first.header.task_id) == (1.0, None, last.header.task_id)
    assert first.header.parent_traj_id == last.traj_id
    assert "condensed_context" in last.parse_warnings


@pytest.mark.parametrize(
    ("report", "reward", "valid", "warnings"),
    [
        ({"resolved": True}, 1.0, True, ()),
        ({"resolved": False, "empty_generation": True}, 0.0, True, ()),
        ({"resolved": False, "failed_apply_patch": True}, 0.0, True, ()),
        ({"resolved": True, "failed_apply_patch": True}, None, True, ("conflicting_label",)),
        ({"resolved": False, "error_eval": True}, 0.0, False, ("evaluation_error",)),
        ({"resolved": False, "test_timeout": True}, 0.0, False, ("evaluation_error",)),
        (None, None, True, ()),
    ],
)
def test_report(read_lake, report, reward, valid, warnings):
    (one,) = run(read_lake, TASK, act(2), test_result={"report": report})
    assert (one.header.reward, one.header.reward_valid, one.parse_warnings) == (reward, valid, warnings)


@pytest.mark.parametrize(
    ("error", "termination", "valid"),
    [
        ("RuntimeError: Agent reached maximum iteration. Current iteration: 30", Termination.MAX_STEPS, True),
        ("AgentStuckInLoopError: Agent got stuck in a loop", Termination.AGENT_ERROR, True),
        ("litellm.InternalServerError: AnthropicException", Termination.INFRA_ERROR, False),
        ("AgentRuntimeDisconnectedError: container is gone", Termination.INFRA_ERROR, False),
        ("litellm.BadRequestError: prompt is too long: 250000 tokens", Termination.MAX_TOKENS_CONTEXT, True),
        ("ValueError: x", Termination.AGENT_ERROR, True),
    ],
)
def test_error_tells_the_ending(read_lake, error, termination, valid):
    (one,) = run(read_lake, TASK, act(2), error=error)
    assert (one.header.termination, one.header.reward_valid) == (termination, valid)
    assert one.header.error_message == error


def test_report_of_the_run_is_joined_and_a_different_answer_is_a_conflict(read_lake):
    rows = [{**ROW, "instance_id": name, "test_result": result} for name, result in
            (("a__a-1", {}), ("a__a-2", {"report": {"resolved": True}}))]  # fmt: skip
    report = {"resolved_ids": ["a__a-1"], "unresolved_ids": ["a__a-2"]}
    read = read_lake({"r/output.jsonl": "\n".join(map(json.dumps, rows)), "r/output.report.json": report})
    assert [unit.sidecars for unit in read.units] == [("r/output.report.json",)]
    assert [(one.header.reward, one.parse_warnings) for one in read.trajectories] == [
        (1.0, ()),
        (None, ("conflicting_label",)),
    ]


def test_run_without_events_is_its_outcome(read_lake):
    (one,) = run(read_lake, error="RuntimeError: container is gone")
    assert (one.steps, one.header.reward_valid, one.header.task_id) == ((), False, "django__django-1")


def test_equal_rows_of_two_runs_are_two_rollouts(read_lake):
    read = read_lake({f"run_{number}/output.jsonl": json.dumps(ROW) for number in (1, 2)})
    assert len({one.traj_id for one in read.trajectories}) == 2


def test_unusable_rows_are_set_aside(read_lake):
    rows = [ROW, {**ROW, "history": None}, {**ROW, "history": [3]}]
    read = read_lake({"output.jsonl": "\n".join(map(json.dumps, rows))})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("line:2", QuarantineReason.MISSING_MESSAGES),
        ("line:3", QuarantineReason.INVALID_MESSAGE),
    ]


def as_v0(messages):
    """Write canonical messages as V0 events; the calls of one message share a response."""
    events = []
    for number, message in enumerate(messages):
        own = {"id": len(events), "source": "user"}
        if message.role == "system":
            events.append({**own, "action": "system", "args": {"content": message.content}})
        elif message.role == "tool":
            (cause,) = [e["id"] for e in events if e.get("call") == message.tool_call_id]
            events.append({**own, "observation": "run", "content": message.content, "cause": cause})
        elif not message.calls:
            source = "agent" if message.role == "assistant" else "user"
            events.append({**own, "source": source, "action": "message", "args": {"content": message.content}})
        written = [(call.call_id, call.name, call.arguments_json) for call in message.calls]
        model = response(number, *written, content=message.content, reasoning_content=message.reasoning)
        for call in message.calls:
            metadata = named(call.call_id, call.name, model)
            event = {"id": len(events), "source": "agent", "action": "run", "args": {"thought": message.content}}
            events.append({**event, "call": call.call_id, "tool_call_metadata": metadata})
    return events


@settings(max_examples=60)
@given(messages=talks())
def test_messages_come_back_as_they_were(messages):
    (rollout,) = read_files("openhands", {"a": {**ROW, "history": as_v0(messages)}}, run="r")
    expected = [
        (m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning if m.calls else None) for m in messages
    ]
    assert [(m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in rebuilt(rollout)] == expected
