import json

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks
from transforms.store.rows import calls_table

TRAJECTORY = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s1",
    "trajectory_id": "t1",
    "agent": {
        "name": "terminus-2",
        "version": "2.0",
        "model_name": "m1",
        "tool_definitions": [{"type": "function", "function": {"name": "bash"}}],
        "extra": {"parser": "json"},
    },
    "steps": [
        {"step_id": 1, "timestamp": "2026-01-05T10:00:00Z", "source": "system", "message": "Rules"},
        {"step_id": 2, "timestamp": "2026-01-05T10:00:01Z", "source": "user", "message": "Count the files"},
        {
            "step_id": 3,
            "timestamp": "2026-01-05T10:00:05Z",
            "source": "agent",
            "model_name": "m1",
            "reasoning_effort": "high",
            "message": "Listing.",
            "reasoning_content": "Two ways.",
            "tool_calls": [
                {"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}},
                {"tool_call_id": "b", "function_name": "ask", "arguments": {}, "extra": {"raw": "not json {"}},
            ],
            "observation": {
                "results": [
                    {
                        "source_call_id": "b",
                        "content": [
                            {"type": "text", "text": "see picture"},
                            {"type": "image", "source": {"path": "a.png"}},
                        ],
                        "subagent_trajectory_ref": [{"trajectory_id": "t2"}],
                    },
                    {"source_call_id": "a", "content": "x y"},
                ]
            },
            "metrics": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "cached_tokens": 60,
                "cost_usd": 0.5,
                "completion_token_ids": [1, 2],
                "extra": {"ttft_ms": 7},
            },
            "llm_call_count": 1,
        },
        {"step_id": 4, "source": "agent", "message": "Two.", "llm_call_count": 0, "extra": {"note": 1}},
    ],
    "notes": "a note",
    "final_metrics": {"total_prompt_tokens": 100, "total_completion_tokens": 20, "total_cost_usd": 0.5},
    "extra": {"instance_id": "i1", "other": 1},
    "subagent_trajectories": [
        {
            "schema_version": "ATIF-v1.7",
            "agent": {"name": "helper", "version": "1"},
            "steps": [
                {"step_id": 1, "source": "user", "message": "Look"},
                {"step_id": 2, "source": "agent", "message": "Seen"},
            ],
        }
    ],
}


def test_trajectory_gives_these_rows(read_lake):
    read = read_lake({"a.json": TRAJECTORY})
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED
    main, inner = read.trajectories
    assert (main.header.parent_traj_id, inner.header.parent_traj_id) == (None, main.traj_id)


def trajectory(*steps, **fields):
    return {"schema_version": "ATIF-v1.0", "session_id": "s", "agent": {"name": "a", "version": "1"}} | {
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        **fields,
    }


USER = {"source": "user", "message": "Do it"}


def read_one(read_lake, *steps, **fields):
    (one,) = read_lake({"a.json": trajectory(*steps, **fields)}).trajectories
    return one


@pytest.mark.parametrize("version", [f"ATIF-v1.{minor}" for minor in range(9)])
@pytest.mark.parametrize("shape", [json.dumps, lambda value: json.dumps(value, indent=2), lambda v: json.dumps([v])])
def test_every_version_and_shape_is_claimed(read_lake, version, shape):
    read = read_lake({"a.json": shape(trajectory(USER, schema_version=version))})
    assert [(one.header.source_format, one.parse_warnings) for one in read.trajectories] == [
        ("atif", ("no_agent_action",))
    ]


@pytest.mark.parametrize("version", ["ATIF-v2.0", "ATIF-v1.9", None])
def test_other_version_is_read_and_told(read_lake, version):
    assert read_one(read_lake, USER, schema_version=version).parse_warnings == (
        "unknown_schema_version",
        "no_agent_action",
    )


def test_copied_context_is_neither_sampled_nor_lost(read_lake):
    copied = {"source": "agent", "message": "Old", "is_copied_context": True}
    one = read_one(read_lake, {**USER, "is_copied_context": True}, copied, {"source": "agent", "message": "New"})
    assert [(step.message, step.is_copied_context, step.sampled) for step in one.steps] == [
        ("Do it", True, None),
        ("Old", True, False),
        ("New", False, True),
    ]


def test_result_of_another_step_finds_its_call(read_lake):
    call = {"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "sleep 9"}}
    late = {"results": [{"source_call_id": "a", "content": "done"}]}
    one = read_one(
        read_lake,
        USER,
        {"source": "agent", "message": "", "tool_calls": [call]},
        {"source": "agent", "message": "Waiting", "observation": late},
    )
    assert [(step.message, step.obs_text) for step in one.steps[1:]] == [("", "done"), ("Waiting", None)]


def test_result_without_a_call_is_the_observation_and_a_second_one_is_kept(read_lake):
    results = {"results": [{"content": "one"}, {"content": "two"}, {"content": None}]}
    one = read_one(read_lake, USER, {"source": "agent", "message": "Look", "observation": results})
    assert [(step.source, step.message, step.message_state, step.obs_text) for step in one.steps[1:]] == [
        ("agent", "Look", "text", "one"),
        ("environment", "two", "text", None),
        ("environment", None, "null", None),
    ]


def test_cost_under_its_other_name_is_read(read_lake):
    one = read_one(read_lake, {"source": "agent", "message": "x", "metrics": {"cost": 0.25}})
    assert one.steps[0].cost_usd == 0.25


def test_step_numbers_that_leave_some_out_are_told(read_lake):
    one = read_one(read_lake, USER, {**USER, "step_id": 3})
    assert one.parse_warnings == ("step_ids_not_sequential", "no_agent_action")


def test_unusable_trajectories_are_set_aside(read_lake):
    lines = [
        trajectory(USER, steps=None),
        trajectory({"source": "robot", "message": "x"}),
        trajectory({"source": "agent", "message": "x", "tool_calls": [{"arguments": {}}]}),
        trajectory(USER, subagent_trajectories=[3]),
    ]
    read = read_lake({"a.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("line:1", QuarantineReason.MISSING_MESSAGES),
        ("line:2", QuarantineReason.INVALID_MESSAGE),
        ("line:3", QuarantineReason.INVALID_MESSAGE),
        ("line:4/subagent:0", QuarantineReason.NOT_AN_OBJECT),
    ]
    assert [one.record_key for one in read.trajectories] == ["line:4"]


def as_steps(messages):
    """Write canonical messages as ATIF steps: results go into the observation of the step before."""
    steps = []
    for message in messages:
        if message.role == "tool":
            result = {"source_call_id": message.tool_call_id, "content": message.content}
            steps[-1].setdefault("observation", {"results": []})["results"].append(result)
            continue
        source = "agent" if message.role == "assistant" else message.role
        step = {"source": source, "message": message.content, "step_id": len(steps) + 1}
        if message.calls:
            step["tool_calls"] = [
                {"tool_call_id": c.call_id, "function_name": c.name, "arguments": json.loads(c.arguments_json)}
                for c in message.calls
            ]
        if message.reasoning is not None:
            step["reasoning_content"] = message.reasoning
        steps.append(step)
    return steps


@settings(max_examples=60)
@given(messages=talks())
def test_messages_come_back_as_they_were(messages):
    (rollout,) = read_files("atif", {"a.json": trajectory(steps=as_steps(messages))})
    assert rebuilt(rollout) == tuple(messages)
    assert rollout.lost_fields == ()


# fmt: off
EXPECTED = [
    (
        {
            'native_id': 't1', 'task_id': 'i1', 'session_id': 's1', 'source_format': 'atif',
            'record_key': 'line:1', 'record_offset': 0, 'adapter': 'atif', 'adapter_version': '3',
            'lost_fields': ["agent.extra", "extra.other", "notes", "steps[].metrics.completion_token_ids",],
            'env_type': 'other', 'agent_name': 'terminus-2', 'agent_version': '2.0', 'model_name': 'm1',
            'scored': False, 'termination': 'unknown', 'num_steps': 4, 'num_agent_steps': 2, 'num_tool_calls': 2,
            'prompt_tokens': 100, 'completion_tokens': 20, 'cost_usd': 0.5, 'cost_source': 'reported',
            'started_at': '2026-01-05T10:00:00+00:00', 'ended_at': '2026-01-05T10:00:05+00:00',
            'instruction': 'Count the files', 'tools_json': [{'function': {'name': 'bash'}, 'type': 'function'}],
        },
        [
            {
                'step_id': 1, 'source': 'system', 'timestamp': '2026-01-05T10:00:00+00:00', 'message': 'Rules',
                'message_state': 'text',
            },
            {
                'step_id': 2, 'source': 'user', 'timestamp': '2026-01-05T10:00:01+00:00',
                'message': 'Count the files', 'message_state': 'text',
            },
            {
                'step_id': 3, 'source': 'agent', 'timestamp': '2026-01-05T10:00:05+00:00', 'message': 'Listing.',
                'message_state': 'text', 'reasoning': 'Two ways.', 'num_calls': 2, 'tool_name': 'bash',
                'command': 'ls', 'obs_text': 'x y\nsee picture', 'obs_bytes': 15, 'prompt_tokens': 100,
                'completion_tokens': 20, 'cached_tokens': 60, 'cost_usd': 0.5, 'sampled': True,
                'llm_call_count': 1,
                'extra_json': {'metrics': {'extra': {'ttft_ms': 7}},
                     'reasoning_effort': 'high',
                     'tool_calls': [{}, {'extra': {'raw': 'not json {'}}],
                     'trajsift:messages': {'1': {'content_state': 'parts',
                                                 'extra_json': {'subagent_trajectory_ref': [{'trajectory_id': 't2'}]},
                                                 'parts_json': [{'text': 'see picture', 'type': 'text'},
                                                                {'source': {'path': 'a.png'},
                                                                 'type': 'image'}]}}},
            },
            {
                'step_id': 4, 'source': 'agent', 'message': 'Two.', 'message_state': 'text', 'sampled': False,
                'llm_call_count': 0, 'extra_json': {'extra': {'note': 1}},
            },
        ],
        [
            {
                'step_id': 3, 'call_id': 'a', 'call_id_raw': 'a', 'tool_name': 'bash', 'tool_kind': 'shell',
                'arguments_json': {'command': 'ls'}, 'result_text': 'x y', 'result_state': 'ok', 'result_bytes': 3,
                'paired_by': 'id',
            },
            {
                'step_id': 3, 'call_index': 1, 'call_id': 'b', 'call_id_raw': 'b', 'tool_name': 'ask',
                'tool_kind': 'other', 'arguments_json': {}, 'result_text': 'see picture', 'result_state': 'ok',
                'result_bytes': 11, 'paired_by': 'id',
            },
        ],
    ),
    (
        {
            'native_id': 't1/subagent:0', 'source_format': 'atif', 'record_key': 'line:1/subagent:0',
            'record_offset': 0, 'adapter': 'atif', 'adapter_version': '3', 'env_type': 'other',
            'agent_name': 'helper', 'agent_version': '1', 'scored': False,
            'termination': 'unknown',
            'num_steps': 2, 'num_agent_steps': 1, 'instruction': 'Look',
        },
        [
            {'step_id': 1, 'source': 'user', 'message': 'Look', 'message_state': 'text'},
            {'step_id': 2, 'source': 'agent', 'message': 'Seen', 'message_state': 'text', 'sampled': True},
        ],
        [
        ],
    ),
]
# fmt: on


@pytest.mark.parametrize(
    "observation", ["out", ["out"], [{"content": "out"}], {"results": {"content": "out"}}, {"results": "out"}]
)
def test_results_written_in_other_ways_are_results(read_lake, observation):
    call = {"tool_call_id": "a", "function_name": "bash", "arguments": {}}
    one = read_one(read_lake, USER, {"source": "agent", "tool_calls": [call], "observation": observation})
    assert [(each.result_text, each.paired_by) for each in one.steps[1].calls] == [("out", "position")]


def test_values_that_no_column_can_hold_are_kept_as_written(read_lake):
    call = {"tool_call_id": ["a"], "function_name": "bash", "arguments": {}}
    result = {"source_call_id": ["a"], "content": "out"}
    odd = {"reasoning_content": ["hm"], "metrics": [1]}
    step = {"source": "agent", "tool_calls": [call], "observation": {"results": [result]}, **odd}
    (_, step) = read_one(read_lake, USER, step).steps
    extra = json.loads(step.extra_json)
    left = extra.pop("trajsift:messages")
    assert extra == {**odd, "tool_calls": [{"tool_call_id": ["a"]}]}
    assert left == {"0": {"extra_json": '{"source_call_id":["a"]}'}}


def test_call_is_joined_with_the_trajectory_of_the_subagent_it_ran(read_lake):
    def acting(*answers):
        calls = [{"tool_call_id": name, "function_name": "ask", "arguments": {}} for name, _ in answers]
        results = [
            {"source_call_id": name, "content": "x", "subagent_trajectory_ref": ref and [ref]} for name, ref in answers
        ]
        return {"source": "agent", "message": "", "tool_calls": calls, "observation": {"results": results}}

    step = acting(
        ("a", None), ("b", {"trajectory_id": "t2"}), ("c", {"session_id": "s3"}), ("d", {"session_id": "no"})
    )
    inner = [trajectory(USER, session_id="s2", trajectory_id="t2"), trajectory(USER, session_id="s3")]
    read = read_lake({"a.json": trajectory(USER, step, subagent_trajectories=inner)})
    main, second, third = read.trajectories
    assert main.subagents == ((2, 1, second.traj_id), (2, 2, third.traj_id))
    assert calls_table([second, main])["subagent_traj_id"].to_pylist() == [None, second.traj_id, third.traj_id, None]


def test_bad_record_among_subagents_stays_in_its_place(read_lake):
    call = {"tool_call_id": "a", "function_name": "ask", "arguments": {}}
    result = {"source_call_id": "a", "content": "x", "subagent_trajectory_ref": [{"trajectory_id": "t2"}]}
    step = {"source": "agent", "message": "", "tool_calls": [call], "observation": {"results": [result]}}
    inner = [3, trajectory(USER, trajectory_id="t2")]
    lines = [trajectory(USER, step, subagent_trajectories=inner), trajectory(USER, session_id="other")]
    read = read_lake({"a.jsonl": "".join(json.dumps(each) + "\n" for each in lines)})
    assert [one.record_key for one in read.trajectories] == ["line:1", "line:1/subagent:1", "line:2"]
    assert [one.subagents for one in read.trajectories] == [((2, 0, read.trajectories[1].traj_id),), (), ()]
    assert [bad.record_key for bad in read.bad] == ["line:1/subagent:0"]
