import hashlib
import io
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord
from transforms.reading import streams
from transforms.reading.failures import TooLargeError, UnreadableError
from transforms.reading.native import Limits, NativeRecord
from transforms.reading.parquet_rows import column_names, parquet_records

LIMITS = Limits(max_bytes=1000, max_depth=20)


def parquet(rows):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return io.BytesIO(sink.getvalue())


def test_padding_nulls_are_left_out_and_null_contents_stay():
    rows = [
        {"id": "a", "messages": [{"role": "assistant", "content": None, "calls": [{"x": 1}]}], "reward": 1},
        {"id": None, "messages": [{"role": "tool", "content": "ok", "calls": [{"y": 2}]}], "reward": None},
    ]
    assert list(parquet_records(parquet(rows), limits=LIMITS)) == [
        NativeRecord(
            "row:1",
            {"id": "a", "messages": [{"role": "assistant", "content": None, "calls": [{"x": 1}]}], "reward": 1},
        ),
        NativeRecord("row:2", {"messages": [{"role": "tool", "content": "ok", "calls": [{"y": 2}]}], "reward": None}),
    ]


def test_times_maps_bytes_and_nan_become_plain():
    table = pa.table(
        {
            "at": pa.array([datetime(2026, 1, 2, tzinfo=UTC)]),
            "parts": pa.array([[("a", 1.0)]], pa.map_(pa.string(), pa.float64())),
            "raw": pa.array([b"\xff\x00"]),
            "nan": pa.array([float("nan")]),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    (record,) = parquet_records(io.BytesIO(sink.getvalue()), limits=LIMITS)
    assert record.value == {"at": "2026-01-02T00:00:00+00:00", "parts": {"a": 1.0}, "raw": "/wA=", "nan": None}


def test_large_row_is_set_aside():
    (bad,) = parquet_records(parquet([{"text": "x" * 1001}]), limits=LIMITS)
    sha256 = hashlib.sha256(b'{"text":"' + b"x" * 1001 + b'"}').hexdigest()
    assert bad == BadRecord("row:1", QuarantineReason.TOO_LARGE, "1001 characters, 1000 allowed", sha256=sha256)


def test_text_that_is_no_utf8_costs_its_row():
    text = pa.array([b"ok", b"\xff\xfe", b"ok"]).view(pa.string())
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": text}), sink)
    assert list(parquet_records(sink, limits=LIMITS)) == [
        NativeRecord("row:1", {"text": "ok"}),
        BadRecord("row:2", QuarantineReason.INVALID_ENCODING, "invalid UTF-8: invalid start byte"),
        NativeRecord("row:3", {"text": "ok"}),
    ]


def test_rows_over_the_files_limit_end_it(monkeypatch):
    monkeypatch.setattr(streams, "INFLATE_FREE_BYTES", 2000)
    monkeypatch.setattr(streams, "INFLATE_RATIO", 0)
    records = parquet_records(parquet([{"text": "x" * 900}] * 40), limits=LIMITS)
    with pytest.raises(TooLargeError, match="damaged Parquet file after row 16: decodes to more than 2000 characters"):
        list(records)


@pytest.mark.parametrize("raw", [b"", b"PAR1", b"PAR1xxxxxxxxxxxxxxxxxxPAR1"])
def test_damaged_file_is_unreadable(raw):
    with pytest.raises(UnreadableError, match="damaged Parquet file"):
        list(parquet_records(io.BytesIO(raw), limits=LIMITS))
    with pytest.raises(UnreadableError, match="damaged Parquet file"):
        column_names(io.BytesIO(raw))
