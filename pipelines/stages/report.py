"""Draws the snapshot's report: one self-contained page, the same bytes for the same tables."""

from typing import Final

from pipelines.stages.context import StageContext
from transforms.reporting.figures import draw_figures
from transforms.reporting.frames import COLUMNS
from transforms.reporting.page import render_page

READS: Final = tuple(COLUMNS)
WRITES: Final[tuple[str, ...]] = ()

PAGE: Final = "index.html"


def run(context: StageContext) -> None:
    """Write the report to `report/index.html` of the snapshot."""
    tables = {name: context.read(name, columns) for name, columns in COLUMNS.items()}
    page = render_page(
        draw_figures(tables, seed=context.seed),
        snapshot_id=context.snapshot_id,
        parent_id=None if context.parent is None else context.parent.snapshot_id,
        seed=context.seed,
    )
    context.store.write_atomic(context.report_path(PAGE), page.encode())
