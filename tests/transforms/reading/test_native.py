import gzip
import hashlib
import io
import json

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord
from transforms.reading.failures import RecordError
from transforms.reading.native import Limits, NativeRecord, line_records, read_document
from transforms.reading.streams import unpacked

LIMITS = Limits(max_bytes=1000, max_depth=20)


def read(raw, **options):
    stream = unpacked(io.BytesIO(raw), len(raw))
    return list(line_records(stream, limits=LIMITS, watched=frozenset({"reward"}), **options))


def test_records_bad_lines_and_blank_lines():
    assert read(b'{"a": 1}\n\n  \n[2]\n{"a": 3}\n') == [
        NativeRecord("line:1", {"a": 1}, 0, 8),
        BadRecord(
            "line:4",
            QuarantineReason.NOT_AN_OBJECT,
            "expected an object, got list",
            13,
            3,
            hashlib.sha256(b"[2]").hexdigest(),
            excerpt="[2]",
        ),
        NativeRecord("line:5", {"a": 3}, 17, 8),
    ]


def test_cut_last_line_is_truncated_and_a_broken_one_before_is_invalid():
    assert [bad.reason for bad in read(b'{"a": \n{"a": ')] == [
        QuarantineReason.INVALID_JSON,
        QuarantineReason.TRUNCATED,
    ]


def test_line_over_the_limit_is_too_large():
    raw = json.dumps({"a": "x" * 2000}).encode()
    assert read(raw) == [
        BadRecord(
            "line:1",
            QuarantineReason.TOO_LARGE,
            f"{len(raw)} bytes, 1000 allowed",
            0,
            len(raw),
            hashlib.sha256(raw).hexdigest(),
        )
    ]


def test_cut_gzip_gives_its_whole_lines_and_one_bad_record():
    lines = b"".join(b'{"a": "%s"}\n' % hashlib.sha256(b"%d" % n).hexdigest().encode() for n in range(500))
    *good, bad = read(gzip.compress(lines)[:-3000])
    assert good
    assert {type(record) for record in good} == {NativeRecord}
    assert bad.reason is QuarantineReason.TRUNCATED


def test_line_of_a_later_range_is_named_by_its_offset():
    assert [record.key for record in read(b'{"a": 1}\n{"a": 2}\n', start=9)] == ["byte:9"]


def test_mal_01_cut_line_can_be_read_back(shared_dir):
    path = shared_dir / "cases" / "inputs" / "MAL-01" / "data" / "part-0.jsonl"
    limits = Limits(max_bytes=1 << 26, max_depth=200)
    with path.open("rb") as stream:
        records = list(line_records(stream, limits=limits, watched=frozenset({"reward"})))
    bad = records[-1]
    assert [type(record) for record in records] == [NativeRecord] * 5 + [BadRecord]
    assert (bad.record_key, bad.reason, bad.byte_length) == ("line:6", QuarantineReason.TRUNCATED, 240)
    cut = path.read_bytes()[bad.byte_offset : bad.byte_offset + bad.byte_length]
    assert hashlib.sha256(cut).hexdigest() == bad.sha256


def test_document_is_read_whole():
    assert read_document(io.BytesIO(b"\xef\xbb\xbf[1, 2]\n"), limits=LIMITS, watched=frozenset()).value == [1, 2]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", QuarantineReason.TRUNCATED),
        (b'[{"a": 1}, {"a"', QuarantineReason.TRUNCATED),
        (b"[1, ?, 333333333]", QuarantineReason.INVALID_JSON),
        (b"[" * 50 + b"]" * 50, QuarantineReason.TOO_DEEP),
    ],
)
def test_unusable_document_is_refused_with_its_reason(raw, reason):
    with pytest.raises(RecordError) as caught:
        read_document(io.BytesIO(raw), limits=LIMITS, watched=frozenset())
    assert caught.value.reason is reason
