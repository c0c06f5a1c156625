import json

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks

CONVERSATION = [
    {"from": "human", "value": "Weather in Jinan?"},
    {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Jinan"}}'},
    {"from": "observation", "value": '{"sky": "clear"}'},
    {"from": "gpt", "value": "Clear."},
]
ROW = {
    "conversations": CONVERSATION,
    "system": "Rules",
    "tools": '[{"name": "weather"}]',
    "kto_tag": True,
    "images": ["a.png"],
}


def only(row):
    (rollout,) = read_rows("sharegpt", row)
    return rollout


def test_row_becomes_rows(read_lake):
    read = read_lake({"train.json": [ROW]})
    assert (read.units[0].adapter, read.bad) == ("sharegpt", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "source_format": "sharegpt",
            "record_key": "item:0",
            "adapter": "sharegpt",
            "adapter_version": "3",
            "lost_fields": ["images"],
            "env_type": "other",
            "reward": 1.0,
            "reward_raw": "true",
            "reward_name": "kto_tag",
            "success": True,
            "scored": True,
            "reward_valid": True,
            "termination": "unknown",
            "num_steps": 4,
            "num_agent_steps": 2,
            "num_tool_calls": 1,
            "num_tool_errors": 0,
            "instruction": "Weather in Jinan?",
            "tools_json": '[{"name":"weather"}]',
        },
        "steps": [
            {"step_id": 1, "source": "system", "message": "Rules", "message_state": "text", "num_calls": 0},
            {
                "step_id": 2,
                "source": "user",
                "role_raw": "human",
                "message": "Weather in Jinan?",
                "message_state": "text",
                "num_calls": 0,
            },
            {
                "step_id": 3,
                "source": "agent",
                "role_raw": "function_call",
                "message_state": "missing",
                "num_calls": 1,
                "tool_name": "weather",
                "obs_text": '{"sky": "clear"}',
                "obs_bytes": 16,
                "extra_json": '{"trajsift:messages":{"0":{"role_raw":"observation"}}}',
            },
            {
                "step_id": 4,
                "source": "agent",
                "role_raw": "gpt",
                "message": "Clear.",
                "message_state": "text",
                "num_calls": 0,
            },
        ],
        "calls": [
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "call_3_0",
                "id_generated": True,
                "tool_name": "weather",
                "tool_kind": "other",
                "arguments_json": '{"city":"Jinan"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 16,
                "paired_by": "position",
                "requestor": "assistant",
            }
        ],
    }


@pytest.mark.parametrize(
    ("value", "calls", "warnings"),
    [
        ('[{"name": "a", "arguments": "{\\"x\\": 1}"}, {"name": "b"}]', [("a", '{"x":1}'), ("b", None)], ()),
        ({"name": "a", "parameters": {"x": 1}}, [("a", '{"x":1}')], ()),
        ("call a please", [("function_call", None)], ("unparsed_function_call",)),
        ('{"arguments": {}}', [("function_call", '{"arguments":{}}')], ("unparsed_function_call",)),
        ("[]", [("function_call", None)], ("unparsed_function_call",)),
    ],
)
def test_function_call_values(value, calls, warnings):
    turns = [CONVERSATION[0], {"from": "function_call", "value": value}]
    rollout = only({"conversations": turns})
    assert [(call.name, call.arguments_json) for call in rollout.messages[1].calls] == calls
    assert rollout.parse_warnings == warnings


def test_call_that_is_no_json_is_kept_as_written():
    (call,) = only({"conversations": [{"from": "function_call", "value": "call a"}]}).messages[0].calls
    assert (call.arguments_state, call.arguments_raw) == ("unparsed", "call a")


def test_word_function_is_a_call_or_a_result_by_its_value():
    turns = [
        CONVERSATION[0],
        {"from": "function", "value": '{"name": "a", "arguments": {}}'},
        {"from": "function", "value": '{"sky": "clear"}'},
    ]
    assert [one.role for one in only({"conversations": turns}).messages] == ["user", "assistant", "tool"]


def test_ranking_row_is_two_rollouts_that_share_their_beginning():
    row = {
        "conversations": [CONVERSATION[0], CONVERSATION[3], {"from": "human", "value": "Sure?"}],
        "chosen": {"from": "gpt", "value": "Yes."},
        "rejected": {"from": "gpt", "value": "No."},
    }
    chosen, rejected = read_rows("sharegpt", row)
    assert [(one.record_key, one.header.reward, one.header.reward_raw) for one in (chosen, rejected)] == [
        ("item:0/chosen", 1.0, "chosen"),
        ("item:0/rejected", 0.0, "rejected"),
    ]
    assert chosen.header.group_id == rejected.header.group_id
    assert chosen.canonical_sha256 != rejected.canonical_sha256
    assert (chosen.header.reward_name, chosen.header.success) == ("ranking", None)
    assert chosen.parse_warnings == ("relative_label",)
    assert [(one.content, one.sampled, one.is_copied_context) for one in chosen.messages] == [
        ("Weather in Jinan?", None, False),
        ("Clear.", False, True),
        ("Sure?", None, False),
        ("Yes.", True, False),
    ]


def test_rows_of_a_ranking_are_told_apart_in_the_lake(read_lake):
    row = {"id": "r1", "conversations": CONVERSATION[:1], "chosen": "Yes", "rejected": {"from": "gpt", "value": "No"}}
    read = read_lake({"a.jsonl": json.dumps(row)})
    assert [one.steps[-1].message for one in read.trajectories] == ["Yes", "No"]
    assert (len({one.traj_id for one in read.trajectories}), read.repeats) == (2, [])


RENAMED = {
    "dialog": [
        {"speaker": "usr", "text": "Weather?"},
        {"speaker": "call", "text": '{"name": "weather", "arguments": {}}'},
        {"speaker": "result", "text": "clear"},
        {"speaker": "bot", "text": "Clear."},
    ],
    "prompt": "Rules",
    "liked": False,
}
INFO = {
    "other": {"file_name": "b.json"},
    "mine": {
        "file_name": "sub/a.json",
        "formatting": "sharegpt",
        "columns": {"messages": "dialog", "system": "prompt", "kto_tag": "liked"},
        "tags": {
            "role_tag": "speaker",
            "content_tag": "text",
            "user_tag": "usr",
            "assistant_tag": "bot",
            "observation_tag": "result",
            "function_tag": "call",
            "system_tag": "sys",
        },
    },
}


def test_renamed_tags_are_taken_from_dataset_info(read_lake):
    files = {"data/sub/a.json": [RENAMED], "data/dataset_info.json": INFO}
    read = read_lake(files, settings=IngestSettings(format="sharegpt"), include=("data/sub/*",))
    (trajectory,) = read.trajectories
    assert read.units[0].sidecars == ("data/dataset_info.json",)
    assert [(one.source, one.role_raw, one.message, one.obs_text) for one in trajectory.steps] == [
        ("system", None, "Rules", None),
        ("user", "usr", "Weather?", None),
        ("agent", "call", None, "clear"),
        ("agent", "bot", "Clear.", None),
    ]
    assert (trajectory.header.reward, trajectory.header.reward_name) == (0.0, "liked")
    assert trajectory.lost_fields == ()


def test_dataset_info_that_cannot_be_read_is_told(read_lake):
    (one,) = read_lake({"data/a.json": [ROW], "data/dataset_info.json": '{"cut'}).trajectories
    assert "unreadable_sidecar" in one.parse_warnings


def test_dataset_info_beside_plain_rows_is_no_unit(read_lake):
    read = read_lake({"a.json": [ROW], "dataset_info.json": INFO})
    assert [(unit.uri, unit.sidecars) for unit in read.units] == [("a.json", ("dataset_info.json",))]


def test_renamed_rows_without_dataset_info_are_set_aside(read_lake):
    read = read_lake({"a.json": [RENAMED]}, settings=IngestSettings(format="sharegpt"))
    assert [bad.reason for bad in read.bad] == [QuarantineReason.MISSING_MESSAGES]


def test_roles_of_the_chat_form_are_read_when_named():
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [{"name": "f"}]}]
    messages = only({"conversations": turns}).messages
    assert [(one.role, one.role_raw, len(one.calls)) for one in messages] == [
        ("user", None, 0),
        ("assistant", None, 1),
    ]


def test_order_that_does_not_alternate_is_told():
    turns = [CONVERSATION[0], CONVERSATION[0], CONVERSATION[3]]
    rollout = only({"conversations": turns})
    assert (rollout.parse_warnings, len(rollout.messages)) == (("roles_out_of_order",), 3)


def test_system_turn_overrides_the_system_column():
    turns = [{"from": "system", "value": "Other rules"}, *CONVERSATION]
    rollout = only({**ROW, "conversations": turns})
    assert [one.content for one in rollout.messages if one.role == "system"] == ["Other rules"]
    assert rollout.lost_fields == ("images", "system")


def test_tools_that_are_no_json_are_lost_by_name():
    rollout = only({**ROW, "tools": "a weather tool"})
    assert (rollout.header.tools_json, rollout.lost_fields) == (None, ("images", "tools"))


def test_loss_flags_say_what_is_trained_on():
    turns = [CONVERSATION[0], {**CONVERSATION[3], "weight": 0}, CONVERSATION[0], {**CONVERSATION[3], "loss": True}]
    assert [one.sampled for one in only({"conversations": turns}).messages] == [None, False, None, True]


@pytest.mark.parametrize("turns", [[3], [{"from": "alien", "value": "x"}], [{"from": "human", "value": 3}]])
def test_unusable_turn_is_set_aside(turns):
    (bad,) = read_rows("sharegpt", {"conversations": turns})
    assert bad.reason is QuarantineReason.INVALID_MESSAGE
    assert bad.message.count("message 0") == 1


def test_call_turn_without_a_value_is_a_call_without_arguments():
    (message,) = only({"conversations": [{"from": "function_call"}]}).messages
    assert [(call.arguments_json, call.arguments_state) for call in message.calls] == [(None, "missing")]


def native(talk):
    turns = []
    for turn in talk:
        if turn.calls:
            calls = [{"name": name, "arguments": arguments} for name, arguments in turn.calls]
            turns.append({"from": "function_call", "value": json.dumps(calls)})
        else:
            turns.append({"from": {"user": "human", "assistant": "gpt"}.get(turn.role, turn.role), "value": turn.text})
        turns += [{"from": "observation", "value": result} for result in turn.results]
    return {"conversations": turns}


@settings(max_examples=60)
@given(talk=talks())
def test_conversations_come_back_from_the_tables(talk):
    said = tuple(turn._replace(text=None) if turn.calls else turn for turn in talk)
    assert rebuilt("sharegpt", native(talk)) == said


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        ({"chosen": "Yes"}, ("chosen",)),
        ({"chosen": 3, "rejected": "No"}, ("chosen", "rejected")),
        ({"system": 5}, ("system",)),
        ({"messages": [{"from": "human", "value": "other"}]}, ("messages",)),
        ({"messages": CONVERSATION}, ()),
        ({"chosen": None, "system": ""}, ()),
    ],
)
def test_columns_that_are_not_read_are_lost_by_name(fields, lost):
    assert only({"conversations": CONVERSATION, **fields}).lost_fields == lost
