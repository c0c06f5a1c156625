import json

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason, Termination
from schemas.records import BadRecord
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks
from transforms.formats.responses_conversation import item_messages

INPUT = [
    {"role": "system", "content": "Rules"},
    {"role": "user", "content": "Book a seat"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Which day?"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "Monday"}]},
]
OUTPUT = [
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Think"}]},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Booking", "annotations": []}],
    },
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "book", "arguments": '{"day": "Monday"}'},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "pay", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c2", "output": "paid"},
    {"type": "function_call_output", "call_id": "c1", "output": "booked"},
]
ROW = {
    "responses_create_params": {"input": INPUT, "tools": [{"type": "function", "name": "book"}], "temperature": 1.0},
    "response": {
        "id": "resp_1",
        "model": "m1",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "usage": {"input_tokens": 10, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 4}},
        "output": OUTPUT,
    },
    "reward": 0.5,
    "_ng_task_index": 3,
    "_ng_rollout_index": 1,
    "agent_ref": {"name": "travel_agent"},
    "task_source": "travel",
    "ground_truth": [],
}


def header(row):
    (rollout,) = read_rows("openai_responses", row)
    return rollout.header


def test_rollout_becomes_rows(read_lake):
    read = read_lake({"rollouts.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("openai_responses", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "native_id": "resp_1",
            "task_id": "travel/3",
            "rollout_index": 1,
            "source_format": "openai_responses",
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "openai_responses",
            "adapter_version": "1",
            "lost_fields": [
                "ground_truth",
                "items[].id",
                "response.output[].id",
                "response.output[].status",
                "response.status",
            ],
            "env_type": "other",
            "env_name": "travel",
            "agent_name": "travel_agent",
            "model_name": "m1",
            "sampling_json": '{"temperature":1.0}',
            "reward": 0.5,
            "reward_raw": "0.5",
            "reward_name": "reward",
            "scored": True,
            "reward_valid": True,
            "termination": "max_tokens_context",
            "termination_raw": "max_output_tokens",
            "truncated": True,
            "num_steps": 5,
            "num_agent_steps": 2,
            "num_tool_calls": 2,
            "num_tool_errors": 0,
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "cached_tokens": 4,
            "instruction": "Book a seat",
            "tools_json": '[{"name":"book","type":"function"}]',
        },
        "steps": [
            {"step_id": 1, "source": "system", "message": "Rules", "message_state": "text", "num_calls": 0},
            {"step_id": 2, "source": "user", "message": "Book a seat", "message_state": "text", "num_calls": 0},
            {
                "step_id": 3,
                "source": "agent",
                "message": "Which day?",
                "message_state": "text",
                "is_copied_context": True,
                "num_calls": 0,
            },
            {"step_id": 4, "source": "user", "message": "Monday", "message_state": "text", "num_calls": 0},
            {
                "step_id": 5,
                "source": "agent",
                "message": "Booking",
                "message_state": "text",
                "reasoning": "Think",
                "sampled": True,
                "num_calls": 2,
                "tool_name": "book",
                "obs_text": "booked\npaid",
                "obs_bytes": 11,
            },
        ],
        "calls": [
            {
                "step_id": 5,
                "call_index": 0,
                "call_id": "c1",
                "call_id_raw": "c1",
                "tool_name": "book",
                "tool_kind": "other",
                "arguments_json": '{"day":"Monday"}',
                "arguments_raw": '{"day": "Monday"}',
                "arguments_state": "ok",
                "result_text": "booked",
                "result_state": "ok",
                "result_bytes": 6,
                "paired_by": "id",
                "requestor": "assistant",
            },
            {
                "step_id": 5,
                "call_index": 1,
                "call_id": "c2",
                "call_id_raw": "c2",
                "tool_name": "pay",
                "tool_kind": "other",
                "arguments_json": "{}",
                "arguments_state": "ok",
                "result_text": "paid",
                "result_state": "ok",
                "result_bytes": 4,
                "paired_by": "id",
                "requestor": "assistant",
            },
        ],
    }


@pytest.mark.parametrize("reason", ["transient", "judge_failed", "environment_server_failed"])
def test_harness_failure_is_no_failure_of_the_policy(reason):
    found = header({**ROW, "reward": 0.0, "_ng_failure_class": reason, "_ng_failure_terminal": True})
    assert (found.reward_valid, found.termination, found.error_type) == (False, Termination.INFRA_ERROR, reason)


def test_failure_without_a_response_is_a_rollout_without_answer():
    row = {"responses_create_params": {"input": "Hi"}, "_ng_failure_class": "transient", "_ng_task_index": 0}
    (rollout,) = read_rows("openai_responses", row)
    assert [(message.role, message.content) for message in rollout.messages] == [("user", "Hi")]
    assert (rollout.header.reward, rollout.header.reward_valid) == (None, False)


def test_masked_sample_is_not_trained_on():
    (rollout,) = read_rows("openai_responses", {**ROW, "mask_sample": True})
    assert (rollout.header.trainable, rollout.header.reward_valid) == (False, False)
    assert rollout.parse_warnings == ("masked_sample",)


def test_index_without_a_source_is_told_apart_by_its_input():
    plain = {name: value for name, value in ROW.items() if name != "task_source"}
    other = {**plain, "responses_create_params": {"input": "Another task"}}
    same, again, different = (header(row).task_id for row in (plain, {**plain, "_ng_rollout_index": 2}, other))
    assert same == again != different


def test_row_without_indices_is_grouped_by_its_text():
    old = {name: value for name, value in ROW.items() if not name.startswith("_ng")}
    assert (header(old).task_id, header(old).task_text) == (None, "Book a seat")


@pytest.mark.parametrize(
    ("response", "termination", "truncated"),
    [
        ({"status": "completed"}, Termination.FINISHED, False),
        ({"status": "incomplete", "incomplete_details": None}, Termination.UNKNOWN, True),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, Termination.GAVE_UP, True),
        ({"status": "failed", "error": {"code": "server_error", "message": "503"}}, Termination.INFRA_ERROR, None),
        ({"status": "cancelled"}, Termination.KILLED, True),
        ({}, Termination.UNKNOWN, None),
    ],
)
def test_status_tells_the_ending(response, termination, truncated):
    found = header({**ROW, "response": {"output": OUTPUT, **response}})
    assert (found.termination, found.truncated) == (termination, truncated)


def test_bare_response_is_read():
    bare = {"object": "response", "id": "resp_2", "status": "completed", "model": "m", "output": OUTPUT[:2]}
    (rollout,) = read_rows("openai_responses", {**bare, "instructions": "Rules", "input": "Hi"})
    assert [(message.role, message.content) for message in rollout.messages] == [
        ("system", "Rules"),
        ("user", "Hi"),
        ("assistant", "Booking"),
    ]
    assert (rollout.native_id, rollout.header.model_name, rollout.lost_fields) == (
        "resp_2",
        "m",
        (
            "items[].id",
            "output[].id",
        ),
    )


def test_parts_given_as_json_text_are_read():
    columns = {name: json.dumps(ROW[name]) for name in ("responses_create_params", "response")}
    (plain,), (text,) = (read_rows("openai_responses", row) for row in (ROW, {**ROW, **columns}))
    assert text.messages == plain.messages


def test_text_behind_a_call_is_a_message_of_its_own():
    items = [OUTPUT[2], OUTPUT[1], {"type": "message", "role": "user", "content": "More"}]
    talk = item_messages(items, sampled=True)
    assert [(one.role, one.content, len(one.calls)) for one in talk.messages] == [
        ("assistant", None, 1),
        ("assistant", "Booking", 0),
        ("user", "More", 0),
    ]


def test_call_that_the_provider_ran_carries_its_result():
    items = [
        {
            "type": "mcp_call",
            "id": "m1",
            "name": "find",
            "arguments": '{"q": 1}',
            "output": "one",
            "server_label": "s",
        },
        {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "x"}},
        {"type": "custom_tool_call", "call_id": "x1", "name": "patch", "input": "diff"},
        {"type": "custom_tool_call_output", "call_id": "x1", "output": "done"},
    ]
    call, result, output = item_messages(items, sampled=True).messages
    assert [(one.name, one.arguments_json, one.call_id) for one in call.calls] == [
        ("find", '{"q":1}', "m1"),
        ("web_search", '{"action":{"query":"x"}}', "w1"),
        ("patch", '{"input":"diff"}', "x1"),
    ]
    assert json.loads(call.extra_json)["items"][0] == {"index": 0, "server_label": "s", "type": "mcp_call"}
    assert [(one.content, one.tool_call_id) for one in (result, output)] == [("one", "m1"), ("done", "x1")]


def test_unknown_item_is_named_and_tokens_are_lost_by_name():
    items = [{"type": "item_reference", "id": "x"}, {**OUTPUT[1], "generation_token_ids": [1]}]
    talk = item_messages(items, sampled=True)
    assert talk.warnings == ("unknown_item:item_reference",)
    assert (talk.lost, len(talk.messages)) == (("items[].generation_token_ids", "items[].id"), 1)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (None, QuarantineReason.MISSING_MESSAGES),
        ({"output": "x"}, QuarantineReason.MISSING_MESSAGES),
        ({"output": [3]}, QuarantineReason.INVALID_MESSAGE),
        ({"output": [{"type": "function_call"}]}, QuarantineReason.INVALID_MESSAGE),
        ({"output": [{"role": "alien", "content": ""}]}, QuarantineReason.INVALID_MESSAGE),
        ([], QuarantineReason.INVALID_MESSAGE),
    ],
)
def test_unusable_response_is_set_aside(response, reason):
    (bad,) = read_rows("openai_responses", {**ROW, "response": response})
    assert isinstance(bad, BadRecord)
    assert bad.reason is reason


def native(talk):
    items, number = [], 0
    for turn in talk:
        if turn.reasoning is not None:
            items.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": turn.reasoning}]})
        kind = "output_text" if turn.role == "assistant" else "input_text"
        items.append({"type": "message", "role": turn.role, "content": [{"type": kind, "text": turn.text}]})
        ids = [f"c{number + index}" for index in range(len(turn.calls))]
        number += len(ids)
        for (name, arguments), call_id in zip(turn.calls, ids, strict=True):
            text = json.dumps(arguments)
            items.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": text})
        for result, call_id in reversed(list(zip(turn.results, ids, strict=True))):
            items.append({"type": "function_call_output", "call_id": call_id, "output": result})
    return {"responses_create_params": {"input": items[:2]}, "response": {"output": items[2:]}}


@settings(max_examples=60)
@given(talk=talks(reasoning=True))
def test_conversations_come_back_from_the_tables(talk):
    assert rebuilt("openai_responses", native(talk)) == talk
