import gzip
import io
import zipfile
from dataclasses import replace

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.settings.ingest import IngestSettings
from transforms.formats.canonical import canonical_hash
from transforms.formats.rereading import Found, Quarantined, State, find_again
from transforms.store.keys import sha_hex

LINES = b'{"a": 1}\n{"b": 2\n{"c": 3}\n'
SETTINGS = IngestSettings()


def record(key, **changes):
    plain = Quarantined("f", "u" * 32, "", "openai_chat", key, "invalid_json", "bad")
    return replace(plain, **changes)


def find(content, wanted):
    def open_file(uri):
        if content is None:
            raise FileNotFoundError(uri)
        return io.BytesIO(content)

    return find_again(wanted, open_file, SETTINGS)


def sha(raw):
    import hashlib

    return hashlib.sha256(raw).hexdigest()


def test_a_line_is_found_by_place_and_hash_plain_and_packed():
    line = record("line:2", byte_offset=9, byte_length=7, sha256=sha(b'{"b": 2'))
    for content in (LINES, gzip.compress(LINES)):
        assert find(content, line) == Found(State.SAME, b'{"b": 2')
    assert find(LINES.replace(b"2", b"7"), line) == Found(State.CHANGED)
    assert find(LINES[:10], line) == Found(State.CHANGED)
    assert find(None, line) == Found(State.GONE)


def test_a_line_is_found_by_the_hash_of_its_content_too():
    line = record("line:1", byte_offset=0, byte_length=8, sha256=canonical_hash({"a": 1}))
    assert find(LINES, line) == Found(State.SAME, b'{"a": 1}')


def test_rows_items_and_keys_are_found_by_their_number_or_name():
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([{"a": 1}, {"a": 2}]), sink)
    assert find(sink.getvalue(), record("row:2", sha256=canonical_hash({"a": 2}))) == Found(State.SAME, b'{"a":2}')
    assert find(sink.getvalue(), record("row:2", sha256=canonical_hash({"a": 3}))) == Found(State.CHANGED)
    assert find(sink.getvalue(), record("row:3", sha256=canonical_hash({"a": 3}))) == Found(State.NOT_FOUND)
    listed = orjson.dumps([{"x": 1}, 2])
    assert find(listed, record("item:1", sha256=canonical_hash(2))) == Found(State.SAME, b"2")
    named = orjson.dumps({"logs": {"q1": {"x": 1}}})
    assert find(named, record("key:q1", sha256=canonical_hash({"x": 1}))) == Found(State.SAME, b'{"x":1}')
    assert find(named, record("key:q2", sha256=canonical_hash({"x": 1}))) == Found(State.NOT_FOUND)


def test_a_member_of_an_archive_is_found_by_its_place():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1.json", '{"bad')
    archived = sink.getvalue()
    assert find(archived, record("member:1", sha256=sha(b'{"bad'))) == Found(State.SAME, b'{"bad')
    assert find(archived, record("member:1", sha256=sha(b"other"))) == Found(State.CHANGED)
    assert find(archived, record("member:2", sha256=sha(b'{"bad'))) == Found(State.NOT_FOUND)
    assert find(archived[:-30], record("member:1", sha256=sha(b'{"bad'))) == Found(State.CHANGED)


@pytest.mark.parametrize("key", ["conversation:0", "file:agent-1.jsonl/line:2", "index:0", "row:1/branch:0", "item:x"])
def test_a_record_that_is_no_one_piece_of_its_file_is_read_by_replay_only(key):
    assert find(b"{}", record(key, sha256=canonical_hash({}))) == Found(State.ONLY_BY_REPLAY)
    assert find(b"{}", record("member:0")) == Found(State.ONLY_BY_REPLAY)


def test_a_whole_file_is_the_same_while_its_bytes_are():
    whole = record("file", unit_sha256=sha(b"junk"))
    assert find(b"junk", whole) == Found(State.SAME, b"junk")
    assert find(b"junk!", whole) == Found(State.CHANGED)
    assert len(sha_hex("x")) == 64
