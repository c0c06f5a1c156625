import io
import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.eval_archives import archive
from tests.transforms.formats.table_rows import Rows, conversations, rebuilt, said, told_rows
from transforms.formats.inspect_eval import InspectAdapter

LONG = "a very long answer"
HASH = "0123456789abcdef0123456789abcdef"
HEAD = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "ctf",
        "task_version": 0,
        "run_id": "r1",
        "eval_id": "e1",
        "model": "openai/m-1",
        "model_generate_config": {"temperature": 0.5},
    },
    "plan": {"steps": [{"solver": "basic_agent"}], "config": {"max_tokens": 100}},
}
SAMPLE = {
    "id": 7,
    "epoch": 2,
    "input": "Find the flag",
    "target": "flag",
    "messages": [
        {"id": "m0", "role": "system", "content": "Work."},
        {"role": "user", "content": "Find the flag", "source": "input"},
        {"role": "assistant", "content": "Like this?", "source": "input"},
        {
            "role": "assistant",
            "source": "generate",
            "model": "m-1",
            "content": [{"type": "reasoning", "reasoning": "look"}, {"type": "text", "text": "Looking"}],
            "tool_calls": [
                {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"},
                {"id": "c2", "function": "bash", "arguments": {}, "type": "function", "parse_error": "bad JSON"},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": f"attachment://{HASH}"},
        {
            "role": "tool",
            "tool_call_id": "c2",
            "function": "bash",
            "content": "",
            "error": {"type": "parsing", "message": "bad JSON"},
        },
        {"role": "assistant", "source": "generate", "content": "flag"},
    ],
    "output": {"model": "m-1", "choices": [{"message": {}, "stop_reason": "stop"}]},
    "scores": {"includes": {"value": "C", "answer": "flag", "explanation": "is in it"}},
    "metadata": {},
    "store": {},
    "events": [{"event": "model"}],
    "model_usage": {
        "openai/m-1": {"input_tokens": 50, "output_tokens": 9, "input_tokens_cache_read": 40},
        "grader": {"input_tokens": 999, "output_tokens": 999},
    },
    "started_at": "2026-01-02T03:04:05+00:00",
    "completed_at": "2026-01-02T03:05:05+00:00",
    "total_time": 60.0,
    "working_time": 50.0,
    "uuid": "s-1",
    "attachments": {HASH: LONG},
    "limit": None,
    "error": None,
    "invalidation": None,
}


def log(*samples, **head):
    return {**HEAD, **head, "samples": list(samples)}


def eval_file(*samples, head=HEAD):
    members = [(f"samples/{item['id']}_epoch_{item['epoch']}.json", item) for item in samples]
    return archive([*members, ("summaries.json", []), ("header.json", head)])


ROWS = Rows(
    {
        "native_id": "s-1",
        "task_id": "ctf/7",
        "task_source": "ctf",
        "rollout_index": 2,
        "run_id": "r1",
        "source_format": "inspect",
        "record_key": "member:0",
        "adapter": "inspect",
        "adapter_version": "3",
        "lost_fields": [
            "events",
            "target",
            "working_time",
            "eval.eval_id",
            "eval.task_version",
            "model_usage.grader",
            "scores.includes.explanation",
        ],
        "env_type": "other",
        "env_name": "ctf",
        "agent_name": "basic_agent",
        "model_name": "openai/m-1",
        "model_provider": "openai",
        "sampling_json": '{"max_tokens":100,"temperature":0.5}',
        "reward": 1.0,
        "reward_raw": "C",
        "reward_name": "includes",
        "success": True,
        "reward_components": [("includes", 1.0)],
        "scored": True,
        "reward_valid": True,
        "termination": "finished",
        "termination_raw": "stop",
        "truncated": False,
        "answer": "flag",
        "num_steps": 5,
        "num_agent_steps": 3,
        "num_tool_calls": 2,
        "num_tool_errors": 1,
        "prompt_tokens": 50,
        "completion_tokens": 9,
        "cached_tokens": 40,
        "duration_s": 60.0,
        "started_at": "2026-01-02T03:04:05+00:00",
        "ended_at": "2026-01-02T03:05:05+00:00",
        "instruction": "Find the flag",
    },
    [
        {
            "step_id": 1,
            "source": "system",
            "message": "Work.",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
            "extra_json": '{"id":"m0"}',
        },
        {
            "step_id": 2,
            "source": "user",
            "message": "Find the flag",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
            "extra_json": '{"source":"input"}',
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "Like this?",
            "message_state": "text",
            "num_calls": 0,
            "is_copied_context": True,
            "sampled": False,
            "extra_json": '{"source":"input"}',
        },
        {
            "step_id": 4,
            "source": "agent",
            "message": "Looking",
            "message_state": "parts",
            "parts_json": '[{"reasoning":"look","type":"reasoning"},{"text":"Looking","type":"text"}]',
            "reasoning": "look",
            "num_calls": 2,
            "tool_name": "bash",
            "command": "ls",
            "obs_text": "a very long answer\n",
            "obs_bytes": 19,
            "is_error": True,
            "sampled": True,
            "extra_json": (
                '{"model":"m-1","source":"generate","tool_call_details":{"1":{"parse_error":"bad JSON"}},'
                '"trajsift:messages":{"1":{"extra_json":'
                '"{\\"tool_error\\":{\\"message\\":\\"bad JSON\\",\\"type\\":\\"parsing\\"}}"}}}'
            ),
        },
        {
            "step_id": 5,
            "source": "agent",
            "message": "flag",
            "message_state": "text",
            "num_calls": 0,
            "sampled": True,
            "extra_json": '{"source":"generate"}',
        },
    ],
    [
        {
            "step_id": 4,
            "call_index": 0,
            "call_id": "c1",
            "call_id_raw": "c1",
            "tool_name": "bash",
            "tool_kind": "shell",
            "arguments_json": '{"cmd":"ls"}',
            "arguments_state": "ok",
            "result_text": "a very long answer",
            "result_state": "ok",
            "is_error": False,
            "result_bytes": 18,
            "paired_by": "id",
            "requestor": "assistant",
        },
        {
            "step_id": 4,
            "call_index": 1,
            "call_id": "c2",
            "call_id_raw": "c2",
            "tool_name": "bash",
            "tool_kind": "shell",
            "arguments_json": "{}",
            "arguments_state": "unparsed",
            "result_text": "",
            "result_state": "ok",
            "is_error": True,
            "result_bytes": 0,
            "paired_by": "id",
            "requestor": "assistant",
        },
    ],
)


def told(read):
    return told_rows(read.trajectories[0], read.units[0])


def test_archive_gives_these_rows(read_lake):
    read = read_lake({"a.eval": eval_file(SAMPLE)})
    assert told(read) == ROWS
    assert (len(read.trajectories), read.bad) == (1, [])


def test_both_layouts_give_the_same_trajectories(read_lake, folder_of, read_folder):
    read = read_lake({"a.json": log(SAMPLE)})
    assert told(read) == Rows({**ROWS.trajectory, "record_key": "item:0"}, ROWS.steps, ROWS.calls)
    packed = read_folder(folder_of({"a.eval": eval_file(SAMPLE)}, "packed"))
    assert packed.trajectories[0].traj_id == read.trajectories[0].traj_id


def test_epochs_are_rollouts_of_one_sample(read_lake):
    second = {**SAMPLE, "epoch": 1, "uuid": "s-2"}
    read = read_lake({"a.eval": eval_file(SAMPLE, second)})
    assert [(one.header.task_id, one.header.rollout_index) for one in read.trajectories] == [
        ("ctf/7", 2),
        ("ctf/7", 1),
    ]


@pytest.mark.parametrize(
    ("limit", "termination"),
    [
        ("context", Termination.MAX_TOKENS_CONTEXT),
        ("token", Termination.MAX_TOKENS_CONTEXT),
        ("time", Termination.TIMEOUT_AGENT),
        ("working", Termination.TIMEOUT_AGENT),
        ("message", Termination.MAX_STEPS),
        ("turn", Termination.MAX_STEPS),
        ("cost", Termination.MAX_COST),
        ("operator", Termination.KILLED),
        ("custom", Termination.UNKNOWN),
    ],
)
def test_limit_is_the_ending(read_lake, limit, termination):
    (trajectory,) = read_lake({"a.json": log({**SAMPLE, "limit": {"type": limit, "limit": 5}})}).trajectories
    header = trajectory.header
    assert (header.termination, header.termination_raw, header.truncated) == (termination, limit, True)
    assert (header.reward, header.reward_valid) == (1.0, True)


def test_error_of_the_run_and_invalidation_make_the_reward_invalid(read_lake):
    failed = {**SAMPLE, "error": {"message": "sandbox is gone", "traceback": "..."}, "uuid": "s-2"}
    marked = {**SAMPLE, "invalidation": {"author": "me", "reason": "wrong tool"}}
    read = read_lake({"a.json": log(failed, marked)})
    assert [
        (one.header.termination, one.header.reward_valid, one.header.error_message, one.parse_warnings)
        for one in read.trajectories
    ] == [
        (Termination.INFRA_ERROR, False, "sandbox is gone", ()),
        (Termination.FINISHED, False, None, ("invalidated",)),
    ]


def test_attachment_that_is_not_there_is_told(read_lake):
    (trajectory,) = read_lake({"a.json": log({**SAMPLE, "attachments": {}})}).trajectories
    assert trajectory.parse_warnings == ("attachment_missing",)
    assert trajectory.steps[3].calls[0].result_text == f"attachment://{HASH}"


def test_attachments_that_unfold_too_far_are_set_aside(read_lake):
    messages = [{"role": "user", "content": f"attachment://{HASH}"}] * 20
    bomb = {**SAMPLE, "messages": messages, "attachments": {HASH: "x" * 60_000}}
    read = read_lake({"a.json": log(bomb, SAMPLE)}, settings=IngestSettings(max_record_mb=1))
    assert [(one.record_key, one.reason) for one in read.bad] == [("item:0", QuarantineReason.TOO_LARGE)]
    assert len(read.trajectories) == 1


def test_members_that_cannot_be_used_are_set_aside(read_lake):
    samples = [
        ("samples/1_epoch_1.json", {**SAMPLE, "uuid": "a"}),
        ("samples/2_epoch_1.json", b'{"id": 1, '),
        ("samples/3_epoch_1.json", []),
        ("samples/4_epoch_1.json", b'{"messages": "' + b"x" * 1_100_000 + b'"}'),
        ("samples/1_epoch_1.json", {**SAMPLE, "uuid": "b"}),
        ("samples/5_epoch_1.json", {**SAMPLE, "messages": None}),
        ("../../etc/passwd", b"no sample"),
        ("header.json", HEAD),
    ]
    read = read_lake({"a.eval": archive(samples)}, settings=IngestSettings(max_record_mb=1))
    assert [one.native_id for one in read.trajectories] == ["a"]
    assert [(one.record_key, one.reason) for one in read.bad] == [
        ("member:1", QuarantineReason.INVALID_JSON),
        ("member:2", QuarantineReason.NOT_AN_OBJECT),
        ("member:3", QuarantineReason.TOO_LARGE),
        ("member:4", QuarantineReason.DUPLICATE_KEY),
        ("member:5", QuarantineReason.MISSING_MESSAGES),
    ]


def test_log_that_was_broken_off_is_read_with_its_journal(read_lake):
    start = {"version": 2, "eval": HEAD["eval"], "plan": HEAD["plan"]}
    read = read_lake({"a.eval": archive([("_journal/start.json", start), ("samples/7_epoch_2.json", SAMPLE)])})
    assert (read.trajectories[0].header.task_id, read.trajectories[0].header.model_name) == ("ctf/7", "openai/m-1")


def test_log_without_a_readable_head_says_so(read_lake):
    read = read_lake({"a.eval": archive([("header.json", b"{"), ("samples/7_epoch_2.json", SAMPLE)])})
    assert [(one.header.task_id, one.parse_warnings) for one in read.trajectories] == [("7", ("missing_header",))]


def test_archives_that_are_no_log_are_unknown_and_damaged_ones_unreadable(read_lake):
    whole = eval_file(SAMPLE)
    other = archive([("xl/workbook.json", {})])
    read = read_lake({"a.xlsx": other, "b.eval": whole[: len(whole) // 2], "c.json": log(SAMPLE)})
    assert [(unit.uri, unit.adapter) for unit in read.units] == [
        ("a.xlsx", "unknown"),
        ("b.eval", "unreadable"),
        ("c.json", "inspect"),
    ]
    assert len(read.trajectories) == 1


def native_message(message):
    native = {"role": message.role, "content": "" if message.content is None else message.content}
    if message.role == "tool":
        return {**native, "tool_call_id": message.tool_call_id, "function": "f"}
    calls = [
        {"id": call.call_id, "function": call.name, "arguments": orjson.loads(call.arguments_json), "type": "function"}
        for call in message.calls
    ]
    return {**native, "tool_calls": calls} if calls else native


def with_attachments(messages):
    texts = {f"{index:032x}": message["content"] for index, message in enumerate(messages)}
    return [{**one, "content": f"attachment://{name}"} for one, name in zip(messages, texts, strict=True)], texts


@settings(max_examples=80)
@given(conversations(), st.booleans())
def test_messages_rebuilt_from_the_rows_are_the_messages_read(conversation, is_attached):
    natives, texts = [native_message(message) for message in conversation], {}
    if is_attached:
        natives, texts = with_attachments(natives)
    raw = json.dumps(log({**SAMPLE, "messages": natives, "attachments": texts})).encode()
    unit = SourceUnit("k", "a.json", "inspect", "1", len(raw), "ab")
    (rollout,) = InspectAdapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    expected = [(role, content or "", calls, answers) for role, content, calls, answers in map(said, conversation)]
    assert [said(message) for message in rebuilt(rollout, unit)] == expected


def test_attachment_is_found_by_whatever_name_it_has(read_lake):
    messages = [{"role": "user", "content": "attachment://h 1"}, {"role": "user", "content": "attachment://h2"}]
    (trajectory,) = read_lake(
        {"a.json": log({**SAMPLE, "messages": messages, "attachments": {"h 1": "long text"}})}
    ).trajectories
    assert [step.message for step in trajectory.steps] == ["long text", "attachment://h2"]
    assert "attachment_missing" not in trajectory.parse_warnings
