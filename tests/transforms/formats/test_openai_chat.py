import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.settings.ingest import FieldMapSettings, IngestSettings
from tests.transforms.formats.harness_rows import rows_of
from tests.transforms.formats.row_talks import chat_form, read_rows, rebuilt, talks

MESSAGES = [
    {"role": "user", "content": "Fix it"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c0", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c0", "content": "a.py"},
]
ROW = {"trajectory_id": "r0", "task_id": 7, "messages": MESSAGES, "reward": 1}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(*rows):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), sink)
    return sink.getvalue()


def seen(read):
    return [
        (one.native_id, one.header.task_id, one.header.reward, [(s.source, s.message, s.obs_text) for s in one.steps])
        for one in read.trajectories
    ]


EXPECTED = [("r0", "7", 1.0, [("user", "Fix it", None), ("agent", None, "a.py")])]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", lines(ROW)),
        ("a.jsonl", b"\xef\xbb\xbf" + lines(ROW)),
        ("a.jsonl.gz", gzip.compress(lines(ROW))),
        ("a.jsonl.zst", zstandard.compress(lines(ROW))),
        ("a.json", json.dumps([ROW]).encode()),
        ("a.json", json.dumps(ROW, indent=1).encode()),
        ("a.jsonl", lines({**ROW, "messages": json.dumps(MESSAGES)})),
        ("a.parquet", parquet(ROW)),
        ("a.parquet", parquet({**ROW, "messages": json.dumps(MESSAGES)})),
        ("oddly.named", lines(ROW)),
    ],
)
def test_every_packing_gives_the_same_rollout(read_lake, name, content):
    read = read_lake({name: content})
    assert (seen(read), read.bad) == (EXPECTED, [])


def test_doubled_key_in_messages_given_as_text_is_told(read_lake):
    doubled = json.dumps(MESSAGES).replace('"content": "Fix it"', '"content": "gone", "content": "Fix it"')
    for content in (lines({**ROW, "messages": doubled}), parquet({**ROW, "messages": doubled})):
        read = read_lake({"a": content})
        assert (seen(read), read.trajectories[0].parse_warnings) == (EXPECTED, ("duplicate_key",))


def test_mapped_fields_fill_the_header(read_lake):
    row = {
        **ROW,
        "reward_components": {"unit_test_pass": 1.0},
        "tools": [{"type": "function"}],
        "problem_statement": "State it",
        "env_type": "terminal",
        "environment": "repo",
        "model": "m1",
        "global_step": 12,
        "trial": 3,
        "exit_status": "max_steps",
        "started_at": "2026-01-05T10:00:00Z",
        "repo": "a/b",
        "cost_usd": 0.25,
        "failure_reason": "x",
        "raw_log": "x" * 5000,
    }
    (trajectory,) = read_lake({"a.jsonl": lines(row)}).trajectories
    header = trajectory.header
    assert (header.task_text, header.env_type, header.env_name) == ("State it", EnvType.TERMINAL, "repo")
    assert (header.model_name, header.policy_step, header.rollout_index, header.repo) == ("m1", 12, 3, "a/b")
    assert (header.termination, header.truncated, header.cost_usd) == (Termination.MAX_STEPS, True, 0.25)
    assert (header.reward_components, header.tools_json) == ({"unit_test_pass": 1.0}, '[{"type":"function"}]')
    assert header.started_at.isoformat() == "2026-01-05T10:00:00+00:00"
    assert (header.extra_json, trajectory.lost_fields) == ('{"failure_reason":"x"}', ("raw_log",))


def test_field_map_is_configurable_and_reaches_into_objects(read_lake):
    fields = FieldMapSettings(messages=["dialog"], task_id=["extra_info.task"], reward=["extra_info.ok"])
    row = {"dialog": MESSAGES, "extra_info": {"task": "t1", "ok": "yes"}}
    (trajectory,) = read_lake({"a.jsonl": lines(row)}, settings=IngestSettings(fields=fields)).trajectories
    assert (trajectory.header.task_id, trajectory.header.reward) == ("t1", 1.0)


def test_rows_without_usable_messages_are_set_aside(read_lake):
    rows = [
        {**ROW, "messages": None},
        {"task_id": 1},
        {**ROW, "messages": 3},
        {**ROW, "messages": "junk"},
        {**ROW, "messages": [{"role": "alien", "content": "x"}]},
        {**ROW, "messages": [{"role": "user", "content": 3}]},
        {**ROW, "reward": "maybe"},
        ROW,
    ]
    read = read_lake({"a.jsonl": lines(*rows)})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("line:1", QuarantineReason.MISSING_MESSAGES),
        ("line:2", QuarantineReason.MISSING_MESSAGES),
        ("line:3", QuarantineReason.INVALID_MESSAGE),
        ("line:4", QuarantineReason.INVALID_JSON),
        ("line:5", QuarantineReason.INVALID_MESSAGE),
        ("line:6", QuarantineReason.INVALID_MESSAGE),
        ("line:7", QuarantineReason.INVALID_REWARD),
    ]
    assert seen(read) == EXPECTED


def test_conversation_without_messages_is_a_trajectory_without_steps(read_lake):
    (trajectory,) = read_lake({"a.jsonl": lines({**ROW, "messages": []})}).trajectories
    assert trajectory.steps == ()


def test_huge_ids_stay_apart(read_lake):
    text = '{"task_id": 12345678901234567890123, "messages": []}\n{"task_id": 12345678901234567890124, "messages": []}'
    read = read_lake({"a.jsonl": text})
    assert [one.header.task_id for one in read.trajectories] == ["12345678901234567890123", "12345678901234567890124"]


def test_rwd_03_missing_reward_is_not_scored(read_lake):
    rows = [{**ROW, "trajectory_id": f"r{n}"} for n in range(8)]
    for row in rows[5:]:
        del row["reward"]
    read = read_lake({"a.jsonl": lines(*rows)})
    assert [one.header.reward for one in read.trajectories] == [1.0] * 5 + [None] * 3
    assert [one.header.reward_raw for one in read.trajectories[5:]] == [None] * 3


def test_idn_02_same_id_and_content_counts_once(shared_dir, read_folder):
    read = read_folder(shared_dir / "cases" / "inputs" / "IDN-02" / "data")
    assert [(one.record_key, one.native_id) for one in read.trajectories] == [
        ("line:1", "idn-r0"),
        ("line:2", "idn-r0"),
        ("line:4", None),
        ("line:5", None),
        ("line:6", "idn-r3"),
    ]
    assert len({one.traj_id for one in read.trajectories}) == 5
    assert [(repeat.record_key, repeat.traj_id) for repeat in read.repeats] == [
        ("line:3", read.trajectories[0].traj_id)
    ]


def test_mal_01_cut_line_is_one_bad_record(shared_dir, read_folder):
    read = read_folder(shared_dir / "cases" / "inputs" / "MAL-01" / "data")
    assert (len(read.trajectories), [bad.reason for bad in read.bad]) == (5, [QuarantineReason.TRUNCATED])


@pytest.mark.parametrize(
    ("case", "accepted", "bad"),
    [
        ("MAL-08", 3, [QuarantineReason.INVALID_JSON]),
        ("MAL-11", 1, [QuarantineReason.DUPLICATE_KEY] * 2),
        ("MAL-18", 5, []),
        ("SCH-01", 9, []),
        ("SCH-03", 4, []),
        ("SCH-05", 4, []),
        ("SCH-07", 120, []),
    ],
)
def test_hard_cases_are_read(shared_dir, read_folder, case, accepted, bad):
    read = read_folder(shared_dir / "cases" / "inputs" / case / "data")
    assert (len(read.trajectories), [one.reason for one in read.bad]) == (accepted, bad)


def test_mal_05_byte_order_mark_changes_nothing(shared_dir, read_folder):
    folder = shared_dir / "cases" / "inputs" / "MAL-05" / "data"
    plain, marked = (read_folder(folder / name) for name in ("without_bom", "with_bom"))
    assert [one.traj_id for one in plain.trajectories] == [one.traj_id for one in marked.trajectories]
    assert len(plain.trajectories) == 4


def test_sch_01_calls_have_no_argument_they_did_not_carry(shared_dir, read_folder):
    read = read_folder(shared_dir / "cases" / "inputs" / "SCH-01" / "data")
    calls = {}
    for one in read.trajectories:
        for step in one.steps:
            for call in step.calls:
                calls.setdefault(call.tool_name, set()).add((call.arguments_json, call.arguments_state))
    assert calls["ls"] == {('{"path":"."}', "ok")}
    assert calls["grep"] == {('{"flags":["-r"],"pattern":"x"}', "ok")}
    assert calls["move"] == {('{"dst":"b","force":null,"src":"a"}', "ok"), ('{"dst":"b","src":"a"}', "ok")}
    assert calls["bash"] == {('{"command":"ls"}', "ok"), ('{"command":"ls"}', "double_encoded"), (None, "unparsed")}


def test_sch_05_rewards_keep_their_fractions(shared_dir, read_folder):
    read = read_folder(shared_dir / "cases" / "inputs" / "SCH-05" / "data")
    assert [one.header.reward for one in read.trajectories] == [1.0, 0.0, 0.5, 0.3]


def test_rwd_04_infrastructure_endings_are_not_valid(shared_dir, read_folder):
    read = read_folder(shared_dir / "cases" / "inputs" / "RWD-04" / "data")
    assert [one.header.reward_valid for one in read.trajectories] == [
        True,
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_a_second_list_of_messages_is_told_unless_it_says_the_same(read_lake):
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    rows = [
        {"messages": talk, "conversation": talk, "trajectory": talk[:1]},
        {"messages": [], "conversation": talk},
    ]
    read = read_lake({"a.json": rows})
    assert [one.lost_fields for one in read.trajectories] == [("trajectory",), ()]
    assert [len(one.steps) for one in read.trajectories] == [2, 2]


def test_content_blocks_of_calls_and_results_are_calls_and_results(read_lake):
    talk = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a.py"}]},
    ]
    (trajectory,) = read_lake({"a.json": [{"messages": talk}]}).trajectories
    (call,) = trajectory.steps[1].calls
    assert (call.tool_name, call.result_text, call.paired_by) == ("ls", "a.py", "id")


WHOLE = {
    "trajectory_id": "r0",
    "task_id": 7,
    "run_id": "run-1",
    "model": "m-1",
    "reward": 0.5,
    "reward_components": {"tests": 0.5},
    "tools": [{"type": "function", "function": {"name": "bash"}}],
    "note": "kept",
    "conversation": [{"role": "user", "content": "Other"}],
    "messages": [
        {"role": "system", "content": "Rules"},
        {"role": "user", "content": "Fix it"},
        {
            "role": "assistant",
            "content": None,
            "reasoning": "Look first.",
            "tool_calls": [
                {"id": "c0", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}},
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "bash", "arguments": "{bad"},
                    "result": "inline",
                },
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "", "error": "cannot parse"},
        {"role": "tool", "tool_call_id": "c0", "content": "a.py"},
        {"role": "assistant", "content": None, "refusal": "I cannot.", "step_reward": 0.25},
    ],
}
# fmt: off
WHOLE_ROWS = (
    {
        'native_id': 'r0', 'task_id': '7', 'run_id': 'run-1', 'source_format': 'openai_chat',
        'record_key': 'line:1', 'record_offset': 0, 'adapter': 'openai_chat', 'adapter_version': '2',
        'lost_fields': ['conversation'], 'env_type': 'other', 'model_name': 'm-1', 'reward': 0.5,
        'reward_raw': '0.5', 'reward_name': 'reward', 'reward_components': [('tests', 0.5)], 'scored': True,
        'termination': 'unknown', 'num_steps': 4, 'num_agent_steps': 2, 'num_tool_calls': 2,
        'num_tool_errors': 1, 'instruction': 'Fix it',
        'tools_json': [{'function': {'name': 'bash'}, 'type': 'function'}], 'extra_json': {'note': 'kept'},
    },
    [
        {'step_id': 1, 'source': 'system', 'message': 'Rules', 'message_state': 'text'},
        {'step_id': 2, 'source': 'user', 'message': 'Fix it', 'message_state': 'text'},
        {
            'step_id': 3, 'source': 'agent', 'message_state': 'null', 'reasoning': 'Look first.', 'num_calls': 2,
            'tool_name': 'bash', 'command': 'ls', 'obs_text': 'a.py\n', 'obs_bytes': 5, 'is_error': True,
            'extra_json': {
                'tool_call_details': {'1': {'result': 'inline'}},
                'trajsift:messages': {'1': {'extra_json': {'error': 'cannot parse'}}},
            },
        },
        {
            'step_id': 4, 'source': 'agent', 'message': 'I cannot.', 'message_state': 'text', 'step_reward': 0.25,
            'extra_json': {'refusal': 'I cannot.'},
        },
    ],
    [
        {
            'step_id': 3, 'call_id': 'c0', 'call_id_raw': 'c0', 'tool_name': 'bash', 'tool_kind': 'shell',
            'arguments_json': {'command': 'ls'}, 'arguments_raw': '{"command": "ls"}', 'result_text': 'a.py',
            'result_state': 'ok', 'result_bytes': 4, 'paired_by': 'id',
        },
        {
            'step_id': 3, 'call_index': 1, 'call_id': 'c1', 'call_id_raw': 'c1', 'tool_name': 'bash',
            'tool_kind': 'shell', 'arguments_raw': '{bad', 'arguments_state': 'unparsed', 'result_text': '',
            'result_state': 'ok', 'is_error': True, 'result_bytes': 0, 'paired_by': 'id',
        },
    ],
)
# fmt: on


def test_row_gives_these_rows(read_lake):
    read = read_lake({"a.jsonl": lines(WHOLE)})
    assert tuple(rows_of(read.trajectories[0], read.units[0])) == WHOLE_ROWS


def block_form(talk):
    """Return a conversation as chat messages with content blocks of the Anthropic API."""
    messages = []
    for number, turn in enumerate(talk):
        thoughts = [{"type": "thinking", "thinking": turn.reasoning}] if turn.reasoning is not None else []
        calls = [
            {"type": "tool_use", "id": f"c{number}_{index}", "name": name, "input": arguments}
            for index, (name, arguments) in enumerate(turn.calls)
        ]
        blocks = [*thoughts, {"type": "text", "text": turn.text}, *calls]
        messages.append({"role": turn.role, "content": blocks if turn.role == "assistant" else turn.text})
        results = [
            {"type": "tool_result", "tool_use_id": f"c{number}_{index}", "content": result}
            for index, result in enumerate(turn.results)
        ]
        messages += [{"role": "user", "content": results}] if results else []
    return messages


@pytest.mark.parametrize("write", [chat_form, block_form])
@settings(max_examples=60)
@given(talk=talks(reasoning=True), reward=st.floats(0, 1))
def test_conversations_come_back_from_the_tables(write, talk, reward):
    native = {"id": "r", "messages": write(talk), "reward": reward}
    assert rebuilt("openai_chat", native) == talk
    (rollout,) = read_rows("openai_chat", native)
    assert (rollout.header.reward, rollout.lost_fields, rollout.parse_warnings) == (reward, (), ())
