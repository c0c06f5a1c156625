import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks

CONTENT = [
    {"class_": "text_observation", "content": "Rules", "source": "system"},
    {"class_": "text_observation", "content": "Fix it", "source": "user", "name": "bob"},
    {
        "class_": "code_action",
        "language": "bash",
        "content": "ls",
        "description": "Look",
        "tool_call_id": "c1",
        "reasoning_content": "hm",
        "reward": 0.5,
    },
    {"class_": "text_observation", "content": "a.py", "source": "environment", "tool_call_id": "c1"},
    {"class_": "api_action", "function": "finish", "kwargs": {"ok": True}, "description": None, "tool_call_id": "c2"},
    {"class_": "message_action", "content": "Done", "description": "Closing"},
]
ROW = {
    "schema_version": "1.2.0",
    "id": "t-1",
    "content": CONTENT,
    "available_custom_tools": ["finish"],
    "available_code_languages": ["bash"],
    "details": {"instance_id": "a__b-1", "resolved": "True", "model": "m1", "dataset": "x"},
}


def messages_of(*content):
    (rollout,) = read_rows("adp", {"id": "x", "content": list(content)})
    return rollout.messages


def test_trajectory_becomes_rows(read_lake):
    read = read_lake({"sample_std.json": [ROW]})
    assert (read.units[0].adapter, read.bad) == ("adp", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "native_id": "t-1",
            "task_id": "a__b-1",
            "source_format": "adp",
            "record_key": "item:0",
            "adapter": "adp",
            "adapter_version": "2",
            "lost_fields": [
                "available_code_languages",
                "details.dataset",
            ],
            "env_type": "other",
            "model_name": "m1",
            "reward": 1.0,
            "reward_raw": "True",
            "reward_name": "resolved",
            "scored": True,
            "reward_valid": True,
            "termination": "unknown",
            "num_steps": 5,
            "num_agent_steps": 3,
            "num_tool_calls": 2,
            "num_tool_errors": 0,
            "instruction": "Fix it",
            "tools_json": '["finish"]',
        },
        "steps": [
            {"step_id": 1, "source": "system", "message": "Rules", "message_state": "text", "num_calls": 0},
            {
                "step_id": 2,
                "source": "user",
                "message": "Fix it",
                "message_state": "text",
                "num_calls": 0,
                "extra_json": '{"name":"bob"}',
            },
            {
                "step_id": 3,
                "source": "agent",
                "message": "Look",
                "message_state": "text",
                "reasoning": "hm",
                "step_reward": 0.5,
                "num_calls": 1,
                "tool_name": "bash",
                "command": "ls",
                "obs_text": "a.py",
                "obs_bytes": 4,
                "extra_json": '{"class_":"code_action","trajsift:messages":{"0":{"role_raw":"environment"}}}',
            },
            {"step_id": 4, "source": "agent", "message_state": "null", "num_calls": 1, "tool_name": "finish"},
            {
                "step_id": 5,
                "source": "agent",
                "message": "Done",
                "message_state": "text",
                "num_calls": 0,
                "extra_json": '{"description":"Closing"}',
            },
        ],
        "calls": [
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "c1",
                "call_id_raw": "c1",
                "tool_name": "bash",
                "tool_kind": "shell",
                "arguments_json": '{"code":"ls"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 4,
                "paired_by": "id",
                "requestor": "assistant",
            },
            {
                "step_id": 4,
                "call_index": 0,
                "call_id": "c2",
                "call_id_raw": "c2",
                "tool_name": "finish",
                "tool_kind": "finish",
                "arguments_json": '{"ok":true}',
                "arguments_state": "ok",
                "result_state": "missing",
                "requestor": "assistant",
            },
        ],
    }


def test_last_call_without_an_observation_is_kept():
    call = messages_of(CONTENT[1], CONTENT[4])[-1]
    assert [(one.name, one.arguments_json) for one in call.calls] == [("finish", '{"ok":true}')]


@pytest.mark.parametrize("source", ["user", "system", "environment"])
def test_observation_right_behind_an_action_is_its_result(source):
    action = {"class_": "api_action", "function": "f", "kwargs": {}}
    result = messages_of(action, {"class_": "text_observation", "content": "r", "source": source})[-1]
    assert (result.role, result.role_raw, result.tool_call_id) == ("tool", source, None)


@pytest.mark.parametrize(
    ("source", "role"), [("user", "user"), ("agent", "assistant"), ("system", "system"), ("environment", "tool")]
)
def test_source_says_who_speaks(source, role):
    assert [one.role for one in messages_of({"class_": "text_observation", "content": "r", "source": source})] == [
        role
    ]


def test_observations_without_ids_behind_several_actions_are_told():
    action = {"class_": "api_action", "function": "f", "kwargs": {}}
    seen = {"class_": "text_observation", "content": "r", "source": "environment"}
    (rollout,) = read_rows("adp", {"id": "x", "content": [action, action, seen, seen]})
    assert rollout.parse_warnings == ("ambiguous_pairing",)


def test_pages_and_pictures_are_parts():
    page = {
        "class_": "web_observation",
        "html": "<p>x</p>",
        "axtree": "[1] x",
        "url": "http://x",
        "viewport_size": [1, 2],
        "image_observation": None,
    }
    picture = {"class_": "image_observation", "content": "a.png", "source": "user", "annotations": None}
    web, image = messages_of(page, picture)
    assert (web.role, web.content, web.content_state) == ("tool", "[1] x", "parts")
    assert json.loads(web.parts_json) == [
        {"html": "<p>x</p>", "text_from": "axtree", "type": "web", "url": "http://x", "viewport_size": [1, 2]}
    ]
    assert (image.role, image.content, json.loads(image.parts_json)) == (
        "user",
        "",
        [{"content": "a.png", "source": "user", "type": "image"}],
    )


def test_code_action_keeps_its_class_apart_from_an_api_of_the_same_name():
    api, code = messages_of(
        {"class_": "api_action", "function": "python", "kwargs": {"code": "1"}},
        {"class_": "code_action", "language": "python", "content": "1", "description": None},
    )
    assert (api.calls, api.extra_json, code.extra_json) == (code.calls, None, '{"class_":"code_action"}')


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, QuarantineReason.MISSING_MESSAGES),
        ([3], QuarantineReason.INVALID_MESSAGE),
        ([{"content": "x"}], QuarantineReason.INVALID_MESSAGE),
        ([{"class_": "gesture"}], QuarantineReason.INVALID_MESSAGE),
        ([{"class_": "api_action", "kwargs": {}}], QuarantineReason.INVALID_MESSAGE),
        ([{"class_": "text_observation", "content": "x", "source": "alien"}], QuarantineReason.INVALID_MESSAGE),
    ],
)
def test_unusable_content_is_set_aside(content, reason):
    (bad,) = read_rows("adp", {"id": "x", "content": content})
    assert bad.reason is reason


def test_parquet_columns_tell_the_format(read_lake):
    sink = io.BytesIO()
    row = {**ROW, "content": json.dumps(CONTENT), "details": json.dumps(ROW["details"])}
    pq.write_table(pa.Table.from_pylist([row]), sink)
    read = read_lake({"a.parquet": sink.getvalue()})
    assert (read.units[0].adapter, [len(one.steps) for one in read.trajectories]) == ("adp", [5])


def native(talk):
    content, number = [], 0
    for turn in talk:
        if turn.role != "assistant":
            content.append({"class_": "text_observation", "content": turn.text, "source": turn.role})
        elif not turn.calls:
            content.append({"class_": "message_action", "content": turn.text, "reasoning_content": turn.reasoning})
        for name, arguments in turn.calls:
            number += 1
            action = {"class_": "api_action", "function": name, "kwargs": arguments, "tool_call_id": f"c{number}"}
            content.append({**action, "description": turn.text, "reasoning_content": turn.reasoning})
        for result in turn.results:
            seen = {"class_": "text_observation", "content": result, "source": "environment"}
            content.append({**seen, "tool_call_id": f"c{number}"})
    return {**ROW, "content": content}


@settings(max_examples=60)
@given(talk=talks(max_calls=1, reasoning=True))
def test_conversations_come_back_from_the_tables(talk):
    assert rebuilt("adp", native(talk)) == talk
