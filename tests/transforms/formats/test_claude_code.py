import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.claude_sessions import AGENT, as_lines, call, line, result, run, said, text, told, user
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import talks

AT = "2026-01-05T10:00:0{}Z"


USAGE = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10, "output_tokens": 1}
HEAD = {"version": "2.1.0", "cwd": "/w", "gitBranch": "main"}
SESSION = [
    {"type": "summary", "summary": "A title", "leafUuid": "a5"},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    user("u0", None, "<command-name>/clear</command-name>", timestamp=AT.format(0), **HEAD),
    user("u1", "u0", "Fix it", timestamp=AT.format(1), **HEAD),
    said("a1", "u1", "m_1", {"type": "thinking", "thinking": "Hm.", "signature": "x"}, usage=USAGE,
         timestamp=AT.format(2)),
    said("a2", "a1", "m_1", text("I look."), usage=USAGE, timestamp=AT.format(3)),
    said("a3", "a2", "m_1", call("c1", command="ls"), usage=USAGE, timestamp=AT.format(4)),
    said("a4", "a3", "m_1", call("c2", prompt="explore"), usage=USAGE | {"output_tokens": 9}, stop_reason="tool_use",
         timestamp=AT.format(4)),
    user("r1", "a3", [result("c1", "Exit code 2\nno", is_error=True)], timestamp=AT.format(5), toolUseResult="no"),
    user("r2", "a4", [result("c2", [text("Seen.")])], timestamp=AT.format(6), toolUseResult={"agentId": "x7"}),
    line("system", "y1", "r2", subtype="turn_duration", durationMs=5),
    said("a5", "y1", "m_2", text("Done."), usage={"output_tokens": 2}, stop_reason="end_turn", timestamp=AT.format(8)),
]  # fmt: skip
# fmt: off
EXPECTED = [
    (
        {
            'native_id': 's1', 'session_id': 's1', 'source_format': 'claude_code', 'record_key': 'document',
            'record_offset': 0, 'adapter': 'claude_code', 'adapter_version': '3', 'env_type': 'terminal',
            'lost_fields': ["lines[file-history-snapshot]", "lines[summary]", "lines[system/turn_duration]",
                            "thinking.signature", "user.toolUseResult",
                            "lines[].message.stop_reason", "lines[].message.usage.cache_creation_input_tokens",
                            "lines[].message.usage.output_tokens", "lines[].timestamp",],
            'agent_name': 'claude-code', 'agent_version': '2.1.0', 'model_name': 'm1', 'scored': False,
            'termination': 'finished', 'termination_raw': 'end_turn', 'truncated': False, 'num_steps': 4,
            'num_agent_steps': 2, 'num_tool_calls': 2, 'num_tool_errors': 1, 'prompt_tokens': 33,
            'completion_tokens': 11, 'cached_tokens': 20, 'started_at': '2026-01-05T10:00:00+00:00',
            'ended_at': '2026-01-05T10:00:08+00:00', 'instruction': 'Fix it',
            'extra_json': {'cwd': '/w', 'gitBranch': 'main'},
        },
        [
            {
                'step_id': 1, 'source': 'user', 'timestamp': '2026-01-05T10:00:00+00:00',
                'message': '<command-name>/clear</command-name>', 'message_state': 'text',
            },
            {
                'step_id': 2, 'source': 'user', 'timestamp': '2026-01-05T10:00:01+00:00', 'message': 'Fix it',
                'message_state': 'text',
            },
            {
                'step_id': 3, 'source': 'agent', 'timestamp': '2026-01-05T10:00:02+00:00', 'message': 'I look.',
                'message_state': 'text', 'reasoning': 'Hm.', 'num_calls': 2, 'tool_name': 'Bash', 'command': 'ls',
                'obs_text': 'Exit code 2\nno\nSeen.', 'obs_bytes': 20, 'is_error': True, 'exit_code': 2,
                'prompt_tokens': 33, 'completion_tokens': 9, 'cached_tokens': 20, 'sampled': True,
                'extra_json': {'trajsift:messages': {'0': {'timestamp': '2026-01-05T10:00:05+00:00'},
                                                     '1': {'timestamp': '2026-01-05T10:00:06+00:00'}}},
            },
            {
                'step_id': 4, 'source': 'agent', 'timestamp': '2026-01-05T10:00:08+00:00', 'message': 'Done.',
                'message_state': 'text', 'completion_tokens': 2, 'sampled': True,
            },
        ],
        [
            {
                'step_id': 3, 'call_id': 'c1', 'call_id_raw': 'c1', 'tool_name': 'Bash', 'tool_kind': 'shell',
                'arguments_json': {'command': 'ls'}, 'result_text': 'Exit code 2\nno', 'result_state': 'ok',
                'is_error': True, 'exit_code': 2, 'result_bytes': 14, 'paired_by': 'id',
            },
            {
                'step_id': 3, 'call_index': 1, 'call_id': 'c2', 'call_id_raw': 'c2', 'tool_name': 'Bash',
                'tool_kind': 'shell', 'arguments_json': {'prompt': 'explore'}, 'result_text': 'Seen.',
                'result_state': 'ok', 'result_bytes': 5, 'paired_by': 'id',
            },
        ],
    ),
    (
        {
            'native_id': 's1/agent-x7', 'session_id': 's1', 'source_format': 'claude_code',
            'record_key': 'document/agent-x7', 'adapter': 'claude_code', 'adapter_version': '3',
            'env_type': 'terminal', 'agent_name': 'claude-code', 'model_name': 'm1', 'scored': False,
            'termination': 'unknown', 'num_steps': 2, 'num_agent_steps': 1, 'completion_tokens': 4,
            'instruction': 'explore', 'extra_json': {'agentType': 'Explore'},
        },
        [
            {'step_id': 1, 'source': 'user', 'message': 'explore', 'message_state': 'text'},
            {
                'step_id': 2, 'source': 'agent', 'message': 'Seen.', 'message_state': 'text',
                'completion_tokens': 4, 'sampled': True,
            },
        ],
        [],
    ),
]
# fmt: on


def test_session_with_its_subagent_is_one_unit_and_gives_these_rows(read_lake):
    files = {
        "p/s1.jsonl": as_lines(*SESSION),
        "p/s1/subagents/agent-x7.jsonl": as_lines(*AGENT),
        "p/s1/subagents/agent-x7.meta.json": {"agentType": "Explore"},
    }
    read = read_lake(files)
    (unit,) = read.units
    assert (unit.uri, unit.sidecars) == ("p/s1.jsonl", tuple(sorted(files)[1:]))
    assert [tuple(rows_of(one, unit)) for one in read.trajectories] == EXPECTED
    assert [one.header.parent_traj_id for one in read.trajectories] == [None, read.trajectories[0].traj_id]
    (joined,) = read.trajectories[0].subagents
    called = [call.call_id for step in read.trajectories[0].steps if step.step_id == joined[0] for call in step.calls]
    assert (called[joined[1]], joined[2]) == ("c2", read.trajectories[1].traj_id)


def test_what_cannot_be_read_beside_a_subagent_is_told_of_it_alone(read_lake):
    files = {
        "p/s1.jsonl": as_lines(*SESSION),
        "p/s1/subagents/agent-x7.jsonl": as_lines(*AGENT),
        "p/s1/subagents/agent-x7.meta.json": '{"agentType": "cut',
    }
    told = ["unreadable_sidecar" in one.parse_warnings for one in read_lake(files).trajectories]
    assert told == [False, True]


def test_result_written_before_its_call_is_linked():
    (one,) = run(
        user("u1", None, "x"),
        said("a1", "u1", "m_1", call("c1")),
        user("r2", "a1", [result("c2", "2")]),
        said("a2", "a1", "m_1", call("c2")),
        user("r1", "a1", [result("c1", "1")]),
        said("a3", "r1", "m_2", text("end")),
    )
    assert [words for _, words, _ in told(one)] == ["x", ["c1", "c2"], "2", "1", "end"]


def test_result_of_no_known_call_is_kept():
    (one,) = run(user("u1", None, "x"), user("r1", "u1", [result("c0", "lost"), text("and")]))
    assert told(one) == [("user", "x", False), ("tool", "lost", False), ("user", "and", False)]


def test_usage_and_lines_that_stand_twice_count_once():
    again = said("a1", "u1", "m_1", text("one"), usage={"output_tokens": 5})
    (one,) = run(user("u1", None, "x"), again, again)
    assert (told(one), one.header.completion_tokens, one.parse_warnings) == (
        [("user", "x", False), ("assistant", "one", False)], 5, ("repeated_line",),
    )  # fmt: skip


def test_same_response_under_another_parent_is_a_copy():
    words = {"usage": {"output_tokens": 5}}
    main, branch = run(
        user("u1", None, "x"),
        said("a1", "u1", "m_1", text("one"), **words),
        user("u2", None, "x again"),
        said("a2", "u2", "m_1", text("one"), **words),
    )
    assert [(m.content, m.is_copied_context, m.sampled, m.completion_tokens) for m in main.messages[1:]] == [
        ("one", True, False, None)
    ]
    assert branch.header.completion_tokens == 5


@pytest.mark.parametrize(
    ("words", "termination", "is_valid"),
    [
        ("API Error: 529 overloaded", Termination.INFRA_ERROR, False),
        ("Prompt is too long", Termination.MAX_TOKENS_CONTEXT, True),
    ],
)
def test_words_of_the_harness_are_not_sampled_and_tell_the_ending(words, termination, is_valid):
    (one,) = run(
        user("u1", None, "x"),
        said("a0", "u1", "m_1", call("c1")),
        said("a1", "a0", "m_2", text(words), model="<synthetic>", isApiErrorMessage=True),
    )
    assert [message.sampled for message in one.messages] == [None, True, False]
    assert (one.header.termination, one.header.reward_valid, one.header.model_name) == (termination, is_valid, "m1")


def test_interruption_is_the_ending():
    (one,) = run(
        user("u1", None, "x"), said("a1", "u1", "m_1", call("c1")), user("u2", "a1", "[Request interrupted by user]")
    )
    assert one.header.termination is Termination.KILLED


def test_queued_message_is_the_users_and_other_attachments_are_lost_by_name():
    (one,) = run(
        user("u1", None, "x"),
        line("attachment", "t1", "u1", attachment={"type": "hook_success", "content": "ok"}),
        line("attachment", "t2", "t1", attachment={"type": "queued_command", "prompt": "and this"}),
        said("a1", "t2", "m_1", text("both")),
    )
    assert [(message.content, message.role_raw) for message in one.messages] == [
        ("x", None), ("and this", "queued_command"), ("both", None),
    ]  # fmt: skip
    assert one.lost_fields == ("attachment[hook_success]",)


def test_lines_of_unknown_types_are_told():
    (one,) = run(user("u1", None, "x"), {"type": "hologram", "sessionId": "s1"})
    assert (one.lost_fields, one.parse_warnings) == (("lines[hologram]",), ("unknown_line:hologram",))


def test_calls_of_the_provider_stand_with_their_results():
    search = {"type": "server_tool_use", "id": "w1", "name": "web_search", "input": {"query": "q"}}
    seen = {"type": "web_search_tool_result", "tool_use_id": "w1", "content": [{"type": "web_search_result"}]}
    (one,) = run(user("u1", None, "x"), said("a1", "u1", "m_1", search, seen, text("found")))
    assert [(m.role, m.role_raw, m.tool_call_id) for m in one.messages[1:]] == [
        ("assistant", None, None), ("tool", "web_search_tool_result", "w1"),
    ]  # fmt: skip
    assert one.messages[2].parts_json == '[{"type":"web_search_result"}]'


def test_unreadable_line_is_set_aside_and_the_session_says_so(read_lake):
    read = read_lake({"s1.jsonl": as_lines(user("u1", None, "x")) + b'{"cut\n' + as_lines(user("u3", "u2", "y"))})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("line:2", QuarantineReason.INVALID_JSON)]
    (one,) = read.trajectories
    assert one.parse_warnings == ("unreadable_lines", "unknown_parent", "no_agent_action")
    assert [step.message for step in one.steps] == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (as_lines({"type": "summary", "summary": "s", "leafUuid": "u"}), QuarantineReason.MISSING_MESSAGES),
        (as_lines({**user("u1", None, "x"), "message": 3}), QuarantineReason.INVALID_MESSAGE),
        (as_lines(user("u1", None, 3)), QuarantineReason.INVALID_MESSAGE),
        (as_lines(said("a1", None, "m", {"type": "tool_use", "id": "c"})), QuarantineReason.INVALID_MESSAGE),
    ],
)
def test_session_that_cannot_be_read_is_one_bad_record(read_lake, content, reason):
    read = read_lake({"s1.jsonl": content})
    assert ([unit.adapter for unit in read.units], read.trajectories) == (["claude_code"], [])
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("document", reason)]


def test_subagents_of_an_unreadable_session_stand_alone():
    bad, one = run(user("u1", None, 3), **{"agent-x7.jsonl": as_lines(*AGENT)})
    assert (bad.reason, one.record_key, one.parent_key) == (
        QuarantineReason.INVALID_MESSAGE, "document/agent-x7", None,
    )  # fmt: skip


def as_session(messages):
    """Write canonical messages as a session: a line per block, results beside each other."""
    parent = None
    for number, message in enumerate(messages):
        uuid = f"{number}"
        if message.role == "user":
            yield user(uuid, parent, message.content)
        elif message.role == "tool":
            yield user(uuid, parent, [result(message.tool_call_id, message.content)])
        else:
            blocks = [{"type": "thinking", "thinking": message.reasoning}] if message.reasoning else []
            blocks.append(text(message.content))
            blocks += [
                {"type": "tool_use", "id": each.call_id, "name": each.name, "input": json.loads(each.arguments_json)}
                for each in message.calls
            ]
            for place, block in enumerate(blocks):
                uuid = f"{number}.{place}"
                yield said(uuid, parent, f"m{number}", block)
                parent = uuid
        parent = uuid


@settings(max_examples=60)
@given(messages=talks(has_system=False))
def test_messages_come_back_as_they_were(messages):
    (rollout,) = run(*as_session(messages))
    assert [(m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in rebuilt(rollout)] == [
        (m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in messages
    ]
    assert rollout.parse_warnings == ()
    assert rollout.lost_fields == ()


@st.composite
def trees(draw):
    """Draw a session whose lines hang anywhere: forks, sidechains, compactions, calls and results in any order."""
    lines = []
    for number in range(draw(st.integers(1, 12))):
        parent = draw(st.none() | st.sampled_from([f"n{before}" for before in range(number)] or [None]))
        side = {"isSidechain": draw(st.booleans())} if draw(st.booleans()) else {}
        kind = draw(st.sampled_from(["user", "said", "call", "result", "boundary", "summary", "attached"]))
        uuid, name = f"n{number}", f"c{draw(st.integers(0, 3))}"
        response = f"m{draw(st.integers(0, 4))}"
        lines.append(
            {
                "user": user(uuid, parent, f"words {number}", **side),
                "said": said(uuid, parent, response, text(f"words {number}"), **side),
                "call": said(uuid, parent, response, call(name, n=number), **side),
                "result": user(uuid, parent, [result(name, f"words {number}")], **side),
                "boundary": line("system", uuid, None, subtype="compact_boundary",
                                 compactMetadata={"preservedMessages": {"uuids": [parent]}}),
                "summary": user(uuid, parent, f"words {number}", isCompactSummary=True, **side),
                "attached": line("attachment", uuid, parent, attachment={"type": "x"}),
            }[kind]
        )  # fmt: skip
    return lines


@settings(max_examples=300)
@given(lines=trees())
def test_every_message_call_and_result_is_said_once_over_all_parts(lines):
    written: Counter[str] = Counter()
    for each in lines:
        content = each.get("message", {}).get("content", [])
        for block in content if isinstance(content, list) else [text(content)]:
            written[json.dumps(block["input"]) if "input" in block else block.get("text", block.get("content"))] += 1
    read: Counter[str] = Counter()
    items = run(*lines)
    if not written:
        assert [item.reason for item in items] == [QuarantineReason.MISSING_MESSAGES]
        return
    for rollout in items:
        for message in rebuilt(rollout):
            if not message.is_copied_context:
                read.update((message.content or "").split("\n") if message.content else [])
                read.update(each.arguments_json.replace(":", ": ") for each in message.calls)
    assert read == written


def test_texts_among_blocks_are_said_and_what_is_no_block_is_told():
    blocks = ["plain", 5, None, {"type": "thinking", "thinking": {"x": 1}}]
    (one,) = run(user("u1", None, "x"), said("a1", "u1", "m_1", *blocks))
    assert told(one)[1] == ("assistant", "plain", False)
    assert one.lost_fields == (
        "content[int]",
        "thinking.thinking",
        "lines[].message.content[]",
    )


def test_error_flag_that_is_no_truth_value_is_kept():
    (one,) = run(
        user("u1", None, "x"), said("a1", "u1", "m_1", call("c1")), user("r1", "a1", [result("c1", "1", is_error="y")])
    )
    assert (one.messages[-1].is_error, one.messages[-1].extra_json) == (None, '{"is_error":"y"}')
