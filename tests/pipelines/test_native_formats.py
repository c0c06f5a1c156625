"""Packed and Parquet lakes in worker processes: each worker supervises readers of its own, the result is the same."""

import gzip
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.whole_runs import Curate, chat_rollout

WORKERS = ("--direct_running_mode=multi_processing", "--direct_num_workers=2")


@pytest.mark.slow
def test_native_formats_read_the_same_in_this_process_and_in_workers(tmp_path: Path, curate: Curate) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    rows = [chat_rollout(f"t{n % 3}", n, reward=float(n % 2)) for n in range(12)]
    packed = b"".join(orjson.dumps(row) + b"\n" for row in rows[:4])
    (lake / "a.jsonl.gz").write_bytes(gzip.compress(packed))
    (lake / "b.jsonl.zst").write_bytes(zstandard.compress(packed.replace(b"-r", b"-s"))[:-9])
    texts = [row | {"messages": orjson.dumps(row["messages"]).decode()} for row in rows[8:]]
    pq.write_table(pa.Table.from_pylist(texts), lake / "c.parquet")
    (lake / "d.parquet").write_bytes(b"PAR1" + bytes(40) + b"PAR1")
    here = curate(lake, store="here")
    there = curate(lake, store="there", flags=WORKERS)
    assert here.tree() == there.tree()
    assert there.manifest.funnel["trajectories"] >= 8
    assert sorted(there.table("quarantine")["reason"]) == ["truncated", "unreadable"]
