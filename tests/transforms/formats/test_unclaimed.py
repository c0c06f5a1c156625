import gzip
import io

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import detect
from transforms.formats.unclaimed import UnknownAdapter, UnreadableAdapter
from transforms.reading.outline import outline_of


def read(adapter, raw):
    unit = SourceUnit("k", "a", adapter.name, "1", len(raw), "ab")
    return list(adapter.read(unit, lambda uri: io.BytesIO(raw), IngestSettings()))


def test_unknown_file_is_told_with_its_keys():
    (bad,) = read(UnknownAdapter(), b'[{"query": "a", "gold": "b"}]')
    assert (bad.reason, bad.byte_offset, bad.byte_length) == (QuarantineReason.UNKNOWN_FORMAT, 0, 29)
    assert "(document with the keys gold, query)" in bad.message


def test_each_damaged_line_of_an_unknown_file_counts():
    bad = read(UnknownAdapter(), b'{"query": "cut\n{"query": [\n{"query": 1')
    assert [(record.record_key, record.reason) for record in bad] == [
        ("line:1", QuarantineReason.INVALID_JSON),
        ("line:2", QuarantineReason.INVALID_JSON),
        ("line:3", QuarantineReason.TRUNCATED),
    ]


def test_each_whole_line_behind_more_damaged_ones_than_are_looked_at_counts():
    damaged, whole = b'{"cut": "%s\n' % (b"x" * 99_990), b'{"messages": []}\n'
    bad = read(UnknownAdapter(), damaged * 50 + whole * 3)
    assert [record.reason for record in bad] == [QuarantineReason.INVALID_JSON] * 50 + [
        QuarantineReason.UNKNOWN_FORMAT
    ] * 3
    assert (bad[-1].record_key, bad[-1].byte_offset, bad[-1].byte_length) == ("line:53", 50 * 100_000 + 34, 16)
    assert bad[-1].sha256 is not None
    assert "no format claims this line (an object with the keys messages)" in bad[-1].message


def test_whole_lines_of_an_unknown_file_are_told_once():
    row = b'{"query": "%s"}\n' % (b"x" * 100_000)
    assert [record.record_key for record in read(UnknownAdapter(), row * 3)] == ["file"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"])
def test_text_of_another_encoding_is_told_with_the_remedy(encoding, pack):
    raw = pack(('{"messages": []}\n' * 3).encode(encoding))
    outline = outline_of(io.BytesIO(raw), len(raw))
    assert detect(outline, IngestSettings(format="openai_chat"), uri="a").name == "unknown"
    (bad,) = read(UnknownAdapter(), raw)
    assert (bad.record_key, bad.reason) == ("file", QuarantineReason.INVALID_ENCODING)
    assert bad.message.endswith(f"convert it: iconv -f {encoding} -t UTF-8")


def test_unreadable_file_is_told_with_the_reason():
    assert [(bad.reason, bad.message.partition(":")[0]) for bad in read(UnreadableAdapter(), b"PAR1x")] == [
        (QuarantineReason.UNREADABLE, "damaged Parquet file")
    ]
    assert [bad.message for bad in read(UnreadableAdapter(), b"")] == ["the file is empty"]
