"""Claude Code sessions of several contexts: branches, compactions, sidechains, subagents, sessions in one file."""

import pytest

from schemas.reasons import Termination
from tests.transforms.formats.claude_sessions import AGENT, as_lines, call, line, result, run, said, text, told, user


def test_edited_message_is_a_branch_that_shares_its_start_as_context():
    main, branch = run(
        user("u1", None, "x"),
        said("a1", "u1", "m_1", call("c1"), usage={"output_tokens": 5}),
        user("r1", "a1", [result("c1", "1")]),
        user("u2", "r1", "old"),
        said("a2", "u2", "m_2", text("no"), usage={"output_tokens": 7}),
        user("u3", "r1", "new"),
        said("a3", "u3", "m_3", text("yes")),
    )
    assert told(main) == [
        ("user", "x", False), ("assistant", ["c1"], False), ("tool", "1", False), ("user", "new", False),
        ("assistant", "yes", False),
    ]  # fmt: skip
    assert told(branch) == [
        ("user", "x", True), ("assistant", ["c1"], True), ("tool", "1", True), ("user", "old", False),
        ("assistant", "no", False),
    ]  # fmt: skip
    assert [message.sampled for message in branch.messages] == [None, False, None, None, True]
    assert (main.header.completion_tokens, branch.header.completion_tokens) == (5, 7)
    assert (branch.record_key, branch.parent_key, branch.header.branch_index) == ("document/branch:0", "document", 0)


def compacted(meta, *after):
    return [
        user("u1", None, "Fix it"),
        said("a1", "u1", "m_1", text("one")),
        user("u2", "a1", "go on"),
        said("a2", "u2", "m_2", text("two")),
        line("system", "b1", None, logicalParentUuid="a2", subtype="compact_boundary", compactMetadata=meta),
        user("s1", "b1", "So far: one, two", isCompactSummary=True),
        *after,
    ]


def test_compaction_begins_a_context_whose_task_is_the_sessions():
    last, first = run(*compacted({}, said("a3", "s1", "m_3", text("three"))))
    assert told(last) == [("user", "So far: one, two", False), ("assistant", "three", False)]
    assert last.messages[0].role_raw == "compact_summary"
    assert [words for _, words, _ in told(first)] == ["Fix it", "one", "go on", "two"]
    assert (first.record_key, first.parent_key, first.header.termination) == (
        "document/context:0", "document", Termination.UNKNOWN,
    )  # fmt: skip
    assert [one.header.task_text for one in (last, first)] == ["Fix it", "Fix it"]
    assert last.parse_warnings == ("condensed_context",)


@pytest.mark.parametrize(
    "meta",
    [
        {"preservedMessages": {"uuids": ["u2", "a2"]}},
        {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}},
    ],
)
@pytest.mark.parametrize("parent", ["s1", "a2"])
def test_messages_kept_by_a_compaction_are_copied_context(meta, parent):
    last, first = run(*compacted(meta, said("a3", parent, "m_3", text("three"))))
    assert told(last) == [
        ("user", "So far: one, two", False), ("user", "go on", True), ("assistant", "two", True),
        ("assistant", "three", False),
    ]  # fmt: skip
    assert [is_copied for _, _, is_copied in told(first)] == [False] * 4


def test_sidechain_inside_the_file_is_a_part_of_the_session():
    main, side = run(
        user("u1", None, "x"),
        said("a1", "u1", "m_1", call("c1")),
        user("v1", None, "sub", isSidechain=True),
        said("v2", "v1", "m_2", text("sub done"), isSidechain=True),
        user("r1", "a1", [result("c1", "sub done")]),
    )
    assert [words for _, words, _ in told(main)] == ["x", ["c1"], "sub done"]
    assert told(side) == [("user", "sub", False), ("assistant", "sub done", False)]
    assert (side.parent_key, side.header.task_text) == ("document", "sub")


def test_subagents_stand_below_the_run_that_called_them():
    agent = [
        user("v1", None, "go"),
        said("v2", "v1", "m_2", call("c9")),
        user("v3", "v2", [result("c9", "x")], toolUseResult={"agentId": "a"}),
    ]
    beside = {
        "agent-a.jsonl": as_lines(user("w1", None, "deep")),
        "agent-b.jsonl": as_lines(*agent),
        "workflows/f1/agent-c.jsonl": as_lines(user("w2", None, "flow")),
        "agent-d.jsonl": as_lines(user("w3", None, "nobody's")),
    }
    links = ({"agentId": "b"}, {"runId": "f1"})
    lines = [user("u1", None, "x"), said("a1", "u1", "m_1", call("c0"), call("c1"))]
    lines += [user(f"r{n}", "a1", [result(f"c{n}", "y")], toolUseResult=link) for n, link in enumerate(links)]
    assert [(one.record_key, one.parent_key) for one in run(*lines, **beside)] == [
        ("document", None),
        ("document/agent-b", "document"),
        ("document/agent-a", "document/agent-b"),
        ("document/workflows/f1/agent-c", "document"),
        ("document/agent-d", "document"),
    ]


def test_subagents_file_that_lies_alone_has_an_id_of_its_own():
    (one,) = run(*AGENT)
    assert (one.native_id, one.header.session_id) == ("s1/agent-x7", "s1")


def test_sessions_of_one_file_that_have_nothing_in_common_are_runs_of_their_own():
    other = [
        user("v1", None, "y", sessionId="s2"), said("b1", "v1", "m_2", text("two"), sessionId="s3"),
        line("system", "z", None, subtype="x", sessionId="s4"),
    ]  # fmt: skip
    first, second = run(user("u1", None, "x"), said("a1", "u1", "m_1", text("one")), *other)
    assert [(one.native_id, one.record_key, one.parent_key) for one in (first, second)] == [
        ("s1", "document", None),
        ("s2", "document/session:1", None),
    ]
    assert [[words for _, words, _ in told(one)] for one in (first, second)] == [["x", "one"], ["y", "two"]]
    assert first.parse_warnings == second.parse_warnings == ("several_sessions",)
