import gzip
import io
import json

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import Message, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats import sessions
from transforms.formats.fields import as_datetime
from transforms.formats.registry import adapter_named
from transforms.formats.sessions import read_session, read_session_beside, session_facts
from transforms.reading.failures import UnreadableError

LINES = b'{"a": 1}\n\n{"b": \n{"c": 3}\n'
UNIT = SourceUnit("k", "s.jsonl", "codex", "1", len(LINES), "ab")


def opened(raw):
    return lambda uri: io.BytesIO(raw)


def test_lines_are_read_and_bad_ones_set_aside():
    found = read_session(UNIT, opened(LINES), IngestSettings(), watched=frozenset())
    assert (found.lines, found.warnings) == (({"a": 1}, {"c": 3}), ("unreadable_lines",))
    assert [(bad.record_key, bad.byte_offset) for bad in found.bad] == [("line:3", 10)]


def test_bad_lines_of_a_file_beside_are_named_by_it_and_have_no_place_in_the_unit():
    found = read_session_beside("x/agent-a.jsonl", UNIT, opened(LINES), IngestSettings(), watched=frozenset())
    assert [(bad.record_key, bad.byte_offset, bad.byte_length) for bad in found.bad] == [
        ("file:agent-a.jsonl/line:3", None, None)
    ]


def test_file_beside_that_cannot_be_read_is_one_bad_record():
    def refuse(uri):
        raise PermissionError(13, "Permission denied")

    for open_file in (opened(gzip.compress(LINES)[:2] + b"damaged"), refuse):
        found = read_session_beside("agent-a.jsonl", UNIT, open_file, IngestSettings(), watched=frozenset())
        assert [(bad.record_key, bad.reason) for bad in found.bad] == [
            ("file:agent-a.jsonl", QuarantineReason.UNREADABLE)
        ]


def test_session_larger_than_a_document_is_refused(monkeypatch):
    monkeypatch.setattr(sessions, "DOCUMENT_BYTES", 10)
    with pytest.raises(UnreadableError, match="a session may have 10 bytes") as error:
        read_session(UNIT, opened(LINES), IngestSettings(), watched=frozenset())
    assert error.value.reason is QuarantineReason.TOO_LARGE


def test_facts_are_sums_over_what_is_no_copy():
    times = [as_datetime(f"2026-01-05T10:00:0{second}Z") for second in range(3)]
    messages = [
        Message("assistant", "a", completion_tokens=9, timestamp=times[0], is_copied_context=True),
        Message("assistant", "b", completion_tokens=1, timestamp=times[2]),
        Message("assistant", "c", completion_tokens=2, cached_tokens=0, timestamp=times[1]),
    ]
    assert session_facts(messages) == {
        "prompt_tokens": None, "completion_tokens": 3, "cached_tokens": 0, "started_at": times[1],
        "ended_at": times[2],
    }  # fmt: skip


CLAUDE_LINES = (
    {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": {"content": "Repair"}},
    {"type": "user", "uuid": "u2", "parentUuid": "u1", "sessionId": "s", "message": {"content": 5}},
    {"type": "user", "uuid": "u3", "parentUuid": "u1", "sessionId": "s", "message": {"content": "Again"}},
)
CODEX_LINES = (
    {"type": "session_meta", "payload": {"id": "s"}},
    {"type": "response_item", "payload": {"type": "message", "role": "ghost", "content": "boo"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "Again"}},
)


@pytest.mark.parametrize(("adapter", "native"), [("claude_code", CLAUDE_LINES), ("codex", CODEX_LINES)])
def test_unusable_line_is_set_aside_at_its_place_and_the_session_flagged(adapter, native):
    raw = [json.dumps(line).encode() + b"\n" for line in native]
    unit = SourceUnit("k", "s.jsonl", adapter, "1", sum(map(len, raw)), "ab")
    bad, one = adapter_named(adapter).read(unit, opened(b"".join(raw)), IngestSettings())
    assert (bad.record_key, bad.reason) == ("line:2", QuarantineReason.INVALID_MESSAGE)
    assert (bad.byte_offset, bad.byte_length) == (len(raw[0]), len(raw[1].rstrip()))
    assert one.messages[-1].content == "Again"
    assert "unreadable_lines" in one.parse_warnings


def test_session_of_which_nothing_is_usable_is_one_bad_record():
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in CODEX_LINES[:2])
    unit = SourceUnit("k", "s.jsonl", "codex", "1", len(raw), "ab")
    (bad,) = adapter_named("codex").read(unit, opened(raw), IngestSettings())
    assert bad.record_key == "document"
