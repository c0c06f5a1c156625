from collections.abc import Callable

import pyarrow as pa

from pipelines.stages import report
from pipelines.stages.context import StageContext
from schemas.tables import SCHEMAS, UNIT_TABLES


def _reported(context: StageContext, tables: dict[str, pa.Table]) -> bytes:
    for name in report.READS:
        if name not in UNIT_TABLES:
            context.write(name, tables.get(name, SCHEMAS[name].empty_table()))
    report.run(context)
    return context.store.read_bytes("snapshots/s1/report/index.html")


def test_report_writes_the_same_page_into_every_store(
    stage_over: Callable[..., StageContext], small_tables: dict[str, pa.Table], tmp_path: object
) -> None:
    first = stage_over(name="s1", store="first")
    page = _reported(first, small_tables)
    first.work_dir.rmdir()
    assert b"4 of 5 trajectories kept" in page
    assert str(tmp_path).encode() not in page
    assert _reported(stage_over(name="s1", store="second"), small_tables) == page
    assert first.store.list("snapshots/s1/report") == ["snapshots/s1/report/index.html"]
