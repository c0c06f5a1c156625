import io

from schemas.reasons import QuarantineReason
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.unclaimed import UnknownAdapter, UnreadableAdapter


def read(adapter, raw):
    unit = SourceUnit("k", "a", adapter.name, "1", len(raw), "ab")
    return list(adapter.read(unit, lambda uri: io.BytesIO(raw), IngestSettings()))


def test_unknown_file_is_told_with_its_keys():
    (bad,) = read(UnknownAdapter(), b'[{"query": "a", "gold": "b"}]')
    assert (bad.reason, bad.byte_offset, bad.byte_length) == (QuarantineReason.UNKNOWN_FORMAT, 0, 29)
    assert "(document with the keys gold, query)" in bad.message


def test_unreadable_file_is_told_with_the_reason():
    assert [(bad.reason, bad.message.partition(":")[0]) for bad in read(UnreadableAdapter(), b"PAR1x")] == [
        (QuarantineReason.UNREADABLE, "damaged Parquet file")
    ]
    assert [bad.message for bad in read(UnreadableAdapter(), b"")] == ["the file is empty"]
