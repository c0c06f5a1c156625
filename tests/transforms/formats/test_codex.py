import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks

AT = "2026-01-05T10:00:0{}Z"
SURROUNDINGS = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"


def line(kind, payload, *, at=0):
    return {"timestamp": AT.format(at), "type": kind, "payload": payload}


def item(kind, *, at=0, **fields):
    return line("response_item", {"type": kind, **fields}, at=at)


def message(role, words, *, at=0):
    part = "output_text" if role == "assistant" else "input_text"
    return item("message", at=at, role=role, content=[{"type": part, "text": words}])


def call(call_id, *, at=0, name="shell", arguments='{"command":["ls"]}'):
    return item("function_call", at=at, name=name, arguments=arguments, call_id=call_id)


def output(call_id, words, *, at=0):
    return item("function_call_output", at=at, call_id=call_id, output=words)


def tokens(prompt, completion, cached):
    sums = {"input_tokens": prompt, "output_tokens": completion, "cached_input_tokens": cached}
    return line("event_msg", {"type": "token_count", "info": {"total_token_usage": sums, "last_token_usage": {}}})


def as_lines(*lines):
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


def run(*lines):
    return read_files("codex", {"rollout-1.jsonl": as_lines(*lines)})


META = line("session_meta", {
    "id": "s1", "timestamp": AT.format(0), "cwd": "/w", "originator": "codex_cli", "cli_version": "0.50.0",
    "model_provider": "openai", "base_instructions": {"text": "You are Codex."}, "memory_mode": "off",
    "git": {"commit_hash": "abc", "branch": "main", "repository_url": "https://example.org/o/r"},
})  # fmt: skip
SESSION = [
    META,
    line("turn_context", {"cwd": "/w", "model": "m1", "effort": "high", "approval_policy": "never"}),
    message("developer", "<permissions instructions>free</permissions instructions>", at=1),
    message("user", SURROUNDINGS, at=1),
    message("user", "Fix it", at=2),
    line("event_msg", {"type": "user_message", "message": "Fix it"}),
    item("reasoning", at=3, summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x"),
    message("assistant", "I look.", at=3),
    call("c1", at=4),
    item("custom_tool_call", at=4, call_id="c2", name="apply_patch", input="*** Begin", status="completed"),
    tokens(30, 5, 20),
    tokens(30, 5, 20),
    output("c1", '{"output":"a.py","metadata":{"exit_code":1}}', at=5),
    item("custom_tool_call_output", at=5, call_id="c2", output="Exit code: 0\nWall time: 1 seconds\nOutput:\nok"),
    message("assistant", "Done.", at=6),
    tokens(70, 8, 60),
    line("event_msg", {"type": "task_complete", "last_agent_message": "Done."}),
]

# fmt: off
EXPECTED = (
    {
        'native_id': 's1', 'session_id': 's1', 'source_format': 'codex', 'record_key': 'document',
        'record_offset': 0, 'adapter': 'codex', 'adapter_version': '2',
        'lost_fields': ["event_msg[user_message]", "items[].encrypted_content", "session_meta.memory_mode",
                        "turn_context.approval_policy", "lines[].payload.encrypted_content",
                        "lines[].payload.last_agent_message", "lines[].payload.status", "lines[].payload.timestamp",
                        "lines[].timestamp"],
        'env_type': 'terminal', 'repo': 'https://example.org/o/r', 'base_commit': 'abc', 'agent_name': 'codex',
        'agent_version': '0.50.0', 'model_name': 'm1', 'model_provider': 'openai', 'sampling_json': {'effort': 'high'},
        'scored': False, 'termination': 'finished', 'termination_raw': 'finished', 'truncated': False,
        'num_steps': 6, 'num_agent_steps': 2, 'num_tool_calls': 2, 'num_tool_errors': 1, 'prompt_tokens': 70,
        'completion_tokens': 8, 'cached_tokens': 60, 'started_at': '2026-01-05T10:00:01+00:00',
        'ended_at': '2026-01-05T10:00:06+00:00', 'instruction': 'Fix it',
        'extra_json': {'branch': 'main', 'cwd': '/w', 'originator': 'codex_cli'},
    },
    [
        {
            'step_id': 1, 'source': 'system', 'role_raw': 'base_instructions', 'message': 'You are Codex.',
            'message_state': 'text',
        },
        {
            'step_id': 2, 'source': 'system', 'role_raw': 'developer', 'timestamp': '2026-01-05T10:00:01+00:00',
            'message': '<permissions instructions>free</permissions instructions>', 'message_state': 'text',
        },
        {
            'step_id': 3, 'source': 'user', 'timestamp': '2026-01-05T10:00:01+00:00', 'message': SURROUNDINGS,
            'message_state': 'text',
        },
        {
            'step_id': 4, 'source': 'user', 'timestamp': '2026-01-05T10:00:02+00:00', 'message': 'Fix it',
            'message_state': 'text',
        },
        {
            'step_id': 5, 'source': 'agent', 'timestamp': '2026-01-05T10:00:03+00:00', 'message': 'I look.',
            'message_state': 'text', 'reasoning': 'Hm.', 'num_calls': 2, 'tool_name': 'shell', 'command': 'ls',
            'obs_text': '{"output":"a.py","metadata":{"exit_code":1}}\n'
                        'Exit code: 0\nWall time: 1 seconds\nOutput:\nok',
            'obs_bytes': 89, 'is_error': True, 'exit_code': 1, 'prompt_tokens': 30, 'completion_tokens': 5,
            'cached_tokens': 20, 'sampled': True,
            'extra_json': {'items': [{'index': 1, 'type': 'custom_tool_call'}],
                           'trajsift:messages': {
                               '0': {'timestamp': '2026-01-05T10:00:05+00:00'},
                               '1': {'extra_json': {'type': 'custom_tool_call_output'},
                                     'timestamp': '2026-01-05T10:00:05+00:00'}}},
        },
        {
            'step_id': 6, 'source': 'agent', 'timestamp': '2026-01-05T10:00:06+00:00', 'message': 'Done.',
            'message_state': 'text', 'prompt_tokens': 40, 'completion_tokens': 3, 'cached_tokens': 40,
            'sampled': True,
        },
    ],
    [
        {
            'step_id': 5, 'call_id': 'c1', 'call_id_raw': 'c1', 'tool_name': 'shell', 'tool_kind': 'shell',
            'arguments_json': {'command': ['ls']}, 'result_text': '{"output":"a.py","metadata":{"exit_code":1}}',
            'result_state': 'ok', 'is_error': True, 'exit_code': 1, 'result_bytes': 44, 'paired_by': 'id',
        },
        {
            'step_id': 5, 'call_index': 1, 'call_id': 'c2', 'call_id_raw': 'c2', 'tool_name': 'apply_patch',
            'tool_kind': 'edit', 'arguments_json': {'input': '*** Begin'},
            'result_text': 'Exit code: 0\nWall time: 1 seconds\nOutput:\nok', 'result_state': 'ok',
            'is_error': False, 'exit_code': 0, 'result_bytes': 44, 'paired_by': 'id',
        },
    ],
)
# fmt: on


def test_session_gives_these_rows(read_lake):
    read = read_lake({"rollout-1.jsonl": as_lines(*SESSION)})
    (unit,) = read.units
    assert [tuple(rows_of(one, unit)) for one in read.trajectories] == [EXPECTED]


BARE = [each["payload"] for each in SESSION if each["type"] == "response_item"]
HEAD = {"id": "s1", "timestamp": AT.format(0), "instructions": None, "git": {"commit_hash": "abc"}}


@pytest.mark.parametrize(
    "content",
    [
        as_lines(HEAD, {"record_type": "state"}, *BARE),
        as_lines(HEAD, *BARE),
        json.dumps({"session": HEAD, "items": BARE}).encode(),
        json.dumps({"session": HEAD, "items": BARE}, indent=1).encode(),
    ],
)
def test_older_files_without_envelopes_hold_the_same_conversation(read_lake, content):
    read = read_lake({"rollout-1.jsonl": content})
    (one,) = read.trajectories
    assert (read.units[0].adapter, one.native_id, one.header.base_commit) == ("codex", "s1", "abc")
    assert [step["message"] for step in rows_of(one).steps] == [step["message"] for step in EXPECTED[1][1:]]


def compacted(payload, *after):
    return [META, message("user", "Fix it"), message("assistant", "one"), line("compacted", payload), *after]


def told(rollout):
    return [(each.role, each.content, each.is_copied_context) for each in rollout.messages]


def test_compaction_begins_a_context_with_what_replaces_the_history():
    history = [message("user", "Fix it")["payload"], message("user", "So far: one")["payload"]]
    history.append({"type": "compaction", "encrypted_content": "x"})
    last, first = run(*compacted({"message": "", "replacement_history": history}, message("assistant", "two")))
    assert told(last) == [
        ("system", "You are Codex.", True), ("user", "Fix it", True), ("user", "So far: one", False),
        ("assistant", "two", False),
    ]  # fmt: skip
    assert told(first) == [
        ("system", "You are Codex.", False), ("user", "Fix it", False), ("assistant", "one", False),
    ]  # fmt: skip
    assert [each.sampled for each in last.messages] == [None, None, None, True]
    assert (first.record_key, first.parent_key, last.parse_warnings) == (
        "document/context:0", "document", ("condensed_context",),
    )  # fmt: skip
    assert [one.header.task_text for one in (last, first)] == ["Fix it", "Fix it"]


def test_compaction_that_says_only_a_summary_begins_with_it():
    last, first = run(*compacted({"message": "So far: one"}, call("c1"), output("c1", "x")))
    assert [(each.role, each.role_raw) for each in last.messages[1:]] == [
        ("user", "compacted"), ("assistant", None), ("tool", None),
    ]  # fmt: skip
    assert len(first.messages) == 3


def test_token_sums_that_begin_anew_are_added():
    lines = [
        message("user", "x"),
        message("assistant", "1"),
        tokens(10, 2, 0),
        message("assistant", "2"),
        tokens(4, 1, 0),
    ]
    (one,) = run(META, *lines)
    assert [each.prompt_tokens for each in one.messages if each.role == "assistant"] == [10, 4]
    assert (one.header.prompt_tokens, one.header.completion_tokens) == (14, 3)


def test_local_shell_call_is_a_command():
    action = {"type": "exec", "command": ["ls", "-l"]}
    (one,) = run(
        META,
        message("user", "x"),
        item("local_shell_call", call_id="c1", status="completed", action=action),
        output("c1", "Chunk ID: 1\nProcess exited with code 3\nOutput:\nno"),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
    )
    (first, second) = [each for each in one.messages if each.calls]
    assert (json.loads(first.calls[0].arguments_json), first.calls[0].name) == (action, "local_shell")
    assert json.loads(second.calls[0].arguments_json) == {"action": {"query": "q", "type": "search"}}
    assert [(each.exit_code, each.is_error) for each in one.messages if each.role == "tool"] == [(3, True)]


@pytest.mark.parametrize(
    ("written", "is_error", "code"),
    [
        ({"content": "no", "success": False}, True, None),
        ("no exit code", None, None),
        ('{"output": cut', None, None),
        ('{"metadata": {"exit_code": 0}}', False, 0),
        ("Output:\n" + "x" * 500 + "\nExit code: 3", None, None),
    ],
)
def test_result_states_whether_it_failed_only_where_it_says_so(written, is_error, code):
    (one,) = run(META, message("user", "x"), call("c1"), output("c1", written))
    assert (one.messages[-1].is_error, one.messages[-1].exit_code) == (is_error, code)


@pytest.mark.parametrize(
    ("event", "termination"),
    [
        ({"type": "turn_aborted", "reason": "interrupted"}, Termination.KILLED),
        ({"type": "error", "message": "x"}, Termination.AGENT_ERROR),
        ({"type": "task_complete"}, Termination.FINISHED),
        ({"type": "agent_message", "message": "x"}, Termination.UNKNOWN),
    ],
)
def test_last_event_tells_the_ending(event, termination):
    (one,) = run(META, message("user", "x"), message("assistant", "y"), line("event_msg", event))
    assert one.header.termination is termination


def test_turn_that_was_broken_off_and_followed_by_others_is_told_with_its_reason():
    broken = [line("event_msg", {"type": "turn_aborted", "reason": reason}) for reason in ("interrupted", "replaced")]
    start = (META, message("user", "x"), broken[0], message("user", "go on"), broken[1])
    (one,) = run(*start, message("assistant", "y"), line("event_msg", {"type": "task_complete"}))
    assert one.header.termination is Termination.FINISHED
    assert one.parse_warnings == ("turn_aborted:interrupted", "turn_aborted:replaced")
    assert one.lost_fields == ("session_meta.memory_mode",)
    (one,) = run(*start)
    assert (one.header.termination_raw, one.parse_warnings) == ("replaced", ("turn_aborted:interrupted",))


def test_what_is_not_carried_is_told():
    other = line("session_meta", {"id": "s0"})
    (one,) = run(
        META, other, message("user", "x"), line("hologram", {}), line("event_msg", {"type": "thread_rolled_back"}),
        line("response_item", 3), item("ghost_snapshot"), item("wormhole"),
    )  # fmt: skip
    assert one.parse_warnings == (
        "repeats_another_session", "unknown_line:hologram", "thread_rolled_back", "unknown_line:response_item",
        "unknown_item:wormhole",
    )  # fmt: skip
    assert "event_msg[thread_rolled_back]" in one.lost_fields
    assert "items[ghost_snapshot]" in one.lost_fields


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([META], QuarantineReason.MISSING_MESSAGES),
        ([META, message("critic", "x")], QuarantineReason.INVALID_MESSAGE),
        ([META, item("function_call", call_id="c")], QuarantineReason.INVALID_MESSAGE),
    ],
)
def test_session_that_cannot_be_read_is_one_bad_record(read_lake, lines, reason):
    read = read_lake({"a.jsonl": as_lines(*lines)})
    assert ([unit.adapter for unit in read.units], read.trajectories) == (["codex"], [])
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("document", reason)]


def test_unreadable_line_is_set_aside_and_the_session_says_so(read_lake):
    read = read_lake({"a.jsonl": as_lines(META, message("user", "x")) + b'{"type": "response_item", "payl'})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("line:3", QuarantineReason.TRUNCATED)]
    assert "unreadable_lines" in read.trajectories[0].parse_warnings


def as_session(messages):
    for each in messages:
        if each.role == "tool":
            yield output(each.tool_call_id, each.content)
            continue
        if each.role == "assistant":
            if each.reasoning:
                yield item("reasoning", summary=[{"type": "summary_text", "text": each.reasoning}])
            yield message("assistant", each.content)
            for one in each.calls:
                yield call(one.call_id, name=one.name, arguments=one.arguments_json)
        else:
            yield message("developer" if each.role == "system" else each.role, each.content)


@settings(max_examples=60)
@given(messages=talks())
def test_messages_come_back_as_they_were(messages):
    (rollout,) = run(META, *as_session(messages))
    assert [(m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in rebuilt(rollout)[1:]] == [
        (m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in messages
    ]


SAID = st.sampled_from(["user", "assistant", "call", "output", "compacted", "replaced"])


@settings(max_examples=200)
@given(kinds=st.lists(SAID, min_size=1, max_size=12))
def test_every_message_call_and_result_is_said_once_over_all_contexts(kinds):
    lines, written, said = [META], Counter(), []
    for number, kind in enumerate(kinds):
        words = f"words {number:02}"
        written[words] += 1
        if kind in ("user", "assistant"):
            lines.append(message(kind, words))
            said.append(lines[-1]["payload"])
        elif kind == "call":
            lines.append(call(f"c{number % 3}", arguments=json.dumps({"a": words})))
        elif kind == "output":
            lines.append(output(f"c{number % 3}", words))
        else:
            lines.append(
                line(
                    "compacted",
                    {"message": words} | ({"replacement_history": list(said)} if kind == "replaced" else {}),
                )
            )
    read: Counter[str] = Counter()
    for rollout in run(*lines):
        for each in rebuilt(rollout):
            if not each.is_copied_context and each.role != "system":
                read.update([each.content] if each.content else [])
                read.update(json.loads(one.arguments_json)["a"] for one in each.calls)
    assert read == written
