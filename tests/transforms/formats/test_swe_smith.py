import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings

from schemas.reasons import QuarantineReason
from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks
from transforms.formats.text_actions import function_block

TEXT_MESSAGES = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "<uploaded_files>\n/testbed\n</uploaded_files>\nIt fails"},
    {"role": "assistant", "content": "Look\n\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"},
    {"role": "user", "content": "OBSERVATION:\na.py"},
    {"role": "assistant", "content": "<function=submit>\n</function>"},
]
ROW = {
    "messages": json.dumps(TEXT_MESSAGES),
    "instance_id": "pydantic__pydantic.acb0f10f.pr_8316",
    "resolved": True,
    "model": "claude-3-7-sonnet",
    "traj_id": "pydantic__pydantic.acb0f10f.pr_8316.e1",
    "patch": "diff of another run",
}
NATIVE_MESSAGES = [
    TEXT_MESSAGES[0],
    TEXT_MESSAGES[1],
    {
        "role": "assistant",
        "content": "Look",
        "thought": "Look",
        "action": "ls",
        "tool_calls": [{"id": "t1", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}],
    },
    {"role": "tool", "content": "OBSERVATION:\na.py", "tool_call_ids": ["t1"]},
]


def test_text_row_becomes_rows(read_lake):
    read = read_lake({"train.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("swe_smith", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "native_id": "pydantic__pydantic.acb0f10f.pr_8316.e1",
            "task_id": "pydantic__pydantic.acb0f10f.pr_8316",
            "task_source": "swe-smith",
            "source_format": "swe_smith",
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "swe_smith",
            "adapter_version": "2",
            "lost_fields": ["patch"],
            "env_type": "code_repo",
            "repo": "pydantic/pydantic",
            "base_commit": "acb0f10f",
            "agent_name": "swe-agent",
            "model_name": "claude-3-7-sonnet",
            "reward": 1.0,
            "reward_raw": "true",
            "reward_name": "resolved",
            "success": True,
            "scored": True,
            "reward_valid": True,
            "termination": "unknown",
            "num_steps": 4,
            "num_agent_steps": 2,
            "num_tool_calls": 2,
            "num_tool_errors": 0,
            "instruction": TEXT_MESSAGES[1]["content"],
        },
        "steps": [
            {
                "step_id": 1,
                "source": "system",
                "message": "You are a helpful assistant.",
                "message_state": "text",
                "num_calls": 0,
            },
            {
                "step_id": 2,
                "source": "user",
                "message": TEXT_MESSAGES[1]["content"],
                "message_state": "text",
                "num_calls": 0,
            },
            {
                "step_id": 3,
                "source": "agent",
                "message": "Look",
                "message_state": "text",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "bash",
                "command": "ls",
                "obs_text": "OBSERVATION:\na.py",
                "obs_bytes": 17,
                "extra_json": '{"trajsift:messages":{"0":{"role_raw":"user"}}}',
            },
            {
                "step_id": 4,
                "source": "agent",
                "message_state": "text",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "submit",
            },
        ],
        "calls": [
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "call_3_0",
                "id_generated": True,
                "tool_name": "bash",
                "tool_kind": "shell",
                "arguments_json": '{"command":"ls"}',
                "arguments_state": "ok",
                "result_state": "ok",
                "result_bytes": 17,
                "paired_by": "position",
                "requestor": "assistant",
            },
            {
                "step_id": 4,
                "call_index": 0,
                "call_id": "call_4_0",
                "id_generated": True,
                "tool_name": "submit",
                "tool_kind": "finish",
                "arguments_json": "{}",
                "arguments_state": "ok",
                "result_state": "missing",
                "requestor": "assistant",
            },
        ],
    }


def test_native_calls_are_paired_by_their_id_lists():
    (rollout,) = read_rows("swe_smith", {**ROW, "messages": json.dumps(NATIVE_MESSAGES)})
    *_, call, result = rollout.messages
    assert (call.content, [one.call_id for one in call.calls], result.tool_call_id) == ("Look", ["t1"], "t1")


def test_patch_of_another_run_is_never_the_submission():
    (rollout,) = read_rows("swe_smith", ROW)
    assert (rollout.header.submission, rollout.lost_fields) == (None, ("patch",))


def test_parquet_columns_tell_the_format(read_lake):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([ROW]), sink)
    read = read_lake({"train.parquet": sink.getvalue()})
    assert (read.units[0].adapter, [len(one.steps) for one in read.trajectories]) == ("swe_smith", [4])


def test_cut_block_is_told_and_unusable_rows_are_set_aside():
    cut = json.dumps([{"role": "assistant", "content": "x <function=bash>\n<parameter=command>ls"}])
    rollout, no_json, no_list, no_messages = read_rows(
        "swe_smith", *({**ROW, "messages": raw} for raw in (cut, "junk", '{"a": 1}', None))
    )
    assert (rollout.parse_warnings, rollout.messages[0].calls) == (("unparsed_action",), ())
    assert [bad.reason for bad in (no_json, no_list, no_messages)] == [
        QuarantineReason.INVALID_JSON,
        QuarantineReason.INVALID_MESSAGE,
        QuarantineReason.MISSING_MESSAGES,
    ]


def native(talk):
    messages = []
    for turn in talk:
        blocks = "\n".join(function_block(name, arguments) for name, arguments in turn.calls)
        text = f"{turn.text}\n{blocks}" if turn.calls else turn.text
        messages.append({"role": turn.role, "content": text})
        messages += [{"role": "user", "content": result} for result in turn.results]
    return {**ROW, "messages": json.dumps(messages)}


def as_observations(talk):
    return tuple(turn._replace(results=tuple(f"OBSERVATION:\n{text}" for text in turn.results)) for turn in talk)


@settings(max_examples=60)
@given(talk=talks(one_result=True))
def test_conversations_come_back_from_the_tables(talk):
    talk = as_observations(talk)
    assert rebuilt("swe_smith", native(talk)) == talk
