"""SCA-06 and SCA-08: lakes of which nothing is left, and Parquet files cut in odd ways."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import orjson
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.cli import main
from schemas.errors import QualityError
from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.reading.native import Limits, NativeRecord
from transforms.reading.parquet_rows import parquet_records

WORKERS = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]


def test_sca_06_no_rows_are_refused_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_jsonl(tmp_path / "lake" / "a.jsonl", [])
    pq.write_table(pa.table({"messages": pa.array([], pa.string())}), tmp_path / "lake" / "b.parquet")
    conf = tmp_path / "c.yaml"
    conf.write_text(f"lake: {{root: {tmp_path / 'lake'}}}\nstore: {tmp_path / 'store'}\n")
    assert main(["run", str(conf), "execution.progress=quiet"]) == 3
    assert "holds no records: its files are empty" in capsys.readouterr().err
    assert not (tmp_path / "store" / "CURRENT").exists()


def test_sca_06_when_all_rows_are_filtered_the_settings_decide(tmp_path: Path, curate: Curate) -> None:
    unanswered = [chat_rollout(f"task{n}", 0, reward=1.0) for n in range(6)]
    lake = write_jsonl(
        tmp_path / "lake" / "a.jsonl", [record | {"messages": record["messages"][:2]} for record in unanswered]
    )
    with pytest.raises(QualityError, match="selection.max_drop_ratio"):
        curate(lake, store="refused", settings={"selection": {"max_drop_ratio": 0.9}})
    curated = curate(lake)
    assert (curated.manifest.funnel["trajectories"], curated.manifest.funnel["kept"]) == (6, 0)
    assert set(curated.table("decisions")["decision"]) == {"drop"}
    for name in ("pairs", "embeddings", "clusters", "lineage"):
        assert curated.table(name).columns
    assert sum(count for name, count in curated.manifest.funnel.items() if name.startswith("rows/")) == 0


@pytest.mark.slow
def test_sca_06_more_shards_and_workers_than_rows(tmp_path: Path, curate: Curate) -> None:
    lake = write_jsonl(tmp_path / "lake" / "a.jsonl", [chat_rollout("task", 0, reward=1.0)])
    alone = curate(lake, store="alone")
    spread = curate(lake, store="spread", flags=WORKERS)
    assert alone.manifest.funnel["kept"] == 1
    assert spread.tree() == alone.tree()


def _peak_bytes(path: Path) -> tuple[int, int]:
    """Return the rows of a Parquet file and the most memory that its reading took, in this process and the child."""
    me = psutil.Process()
    at_rest = me.memory_info().rss
    count = peak = 0
    with path.open("rb") as stream:
        for record in _records(stream):
            assert isinstance(record, NativeRecord)
            count += 1
            if count % 50 == 1:
                children = sum(child.memory_info().rss for child in me.children(recursive=True))
                peak = max(peak, me.memory_info().rss - at_rest + children)
    return count, peak


def _records(stream: BinaryIO) -> Iterator[object]:
    return parquet_records(stream, limits=Limits(max_bytes=2**24, max_depth=50))


@pytest.mark.slow
def test_sca_08_memory_follows_the_batch_and_not_the_row_group(tmp_path: Path) -> None:
    row = orjson.dumps(chat_rollout("task", 0, reward=1.0)).decode()
    pq.write_table(pa.table({"record": [f"{n}{row}" for n in range(200)]}), tmp_path / "small.parquet")
    with pq.ParquetWriter(tmp_path / "huge.parquet", pa.schema([("record", pa.string())]), compression="none") as out:
        texts = [f"{n:08}" * 1_250 for n in range(25_000)]
        out.write_table(pa.table({"record": texts}), row_group_size=len(texts))
    pq.write_table(pa.table({"record": [f"{n}" for n in range(100_000)]}), tmp_path / "many.parquet", row_group_size=1)
    assert pq.read_metadata(tmp_path / "huge.parquet").num_row_groups == 1
    assert pq.read_metadata(tmp_path / "many.parquet").num_row_groups == 100_000
    sizes = {name: (tmp_path / f"{name}.parquet").stat().st_size for name in ("small", "huge", "many")}
    found = {name: _peak_bytes(tmp_path / f"{name}.parquet") for name in sizes}
    for name, (count, peak) in found.items():
        print(f"{name}: {sizes[name] / 1e6:,.1f} MB, {count:,} rows, {peak / 1e6:,.0f} MB of memory")
    assert [count for count, _ in found.values()] == [200, 25_000, 100_000]
    base = found["small"][1]
    # What is decoded at once is a page, which a writer fills with 1,024 rows before it looks: 10 MB here.
    assert found["huge"][1] - base < sizes["huge"] / 3
    assert found["many"][1] - base < 250e6
