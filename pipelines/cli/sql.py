"""`trajsift sql`: one SELECT over a snapshot."""

import os
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import typer

from pipelines.cli.places import ConfOption, SnapshotOption, StoreOption, find_snapshot, open_store
from pipelines.cli.terminal import is_terminal, show_rows, write_text
from schemas.errors import SettingsError
from transforms.querying.results import rows_of, to_csv, to_json

MAX_SHOWN_ROWS = 200


class Format(StrEnum):
    """How rows are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def sql(
    query: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT; `SHOW TABLES` lists what there is.")],
    store: StoreOption = None,
    conf: ConfOption = None,
    snapshot: SnapshotOption = None,
    format_: Annotated[
        Format | None, typer.Option("--format", help="A table on a terminal, CSV elsewhere, when left out.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", help="File to write the rows to.")] = None,
    timeout_s: Annotated[float, typer.Option("--timeout-s", min=0.1, help="Seconds the query may take.")] = 60.0,
    memory_mb: Annotated[int, typer.Option("--memory-mb", min=64, help="Memory the query may take, MiB.")] = 1024,
) -> None:
    """Ask one SELECT of a snapshot; nothing can be changed by it.

    Besides the tables (trajectories, decisions, uses, clusters, tasks, steps, tool_calls, …) there are the views
    curated, dropped, funnel, pass_rates, task_outcomes and dpo_pairs, and the macros rollouts_of('TASK') and
    copies_of('TRAJ_ID').
    """
    from transforms.querying.catalog import open_surface
    from transforms.querying.surface import Limits, run_query

    chosen = choose_format(format_, output=output, on_terminal=is_terminal())
    opened = open_store(store, conf)
    with tempfile.TemporaryDirectory(prefix="trajsift-sql-") as work_dir:
        surface = open_surface(opened, find_snapshot(opened, snapshot), work_dir=Path(work_dir))
        rows = run_query(surface, query, limits=Limits(timeout_s=timeout_s, memory_mb=memory_mb))
    if output is not None:
        _write_file(output, rows, chosen=chosen)
        write_text(f"{rows.num_rows:,} rows → {output}\n")
    elif chosen is Format.TABLE:
        show_rows(rows.column_names, rows_of(rows), max_rows=MAX_SHOWN_ROWS)
    else:
        write_text(to_csv(rows) if chosen is Format.CSV else to_json(rows, ascii_only=is_terminal()))


def choose_format(wanted: Format | None, *, output: Path | None, on_terminal: bool) -> Format:
    """Return the format to write: the one asked for, else the output file's suffix, else what suits the place.

    Raises:
        SettingsError: The format does not go with the place.
    """
    if output is None:
        if wanted is Format.PARQUET:
            raise SettingsError("--format parquet needs --output FILE")
        return wanted or (Format.TABLE if on_terminal else Format.CSV)
    suffix = output.suffix.removeprefix(".").lower()
    chosen = wanted or (Format(suffix) if suffix in {"csv", "json", "parquet"} else None)
    if chosen is None or chosen is Format.TABLE:
        raise SettingsError(f"--output {output} needs --format csv, json or parquet, or a name that ends so")
    return chosen


def _write_file(path: Path, rows: pa.Table, *, chosen: Format) -> None:
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            if chosen is Format.PARQUET:
                pq.write_table(rows, file)
            else:
                text = to_csv(rows) if chosen is Format.CSV else to_json(rows, ascii_only=False)
                file.write(text.encode())
        os.replace(file.name, path)
    except OSError as error:
        raise SettingsError(f"cannot write --output {path}: {error.strerror or error}") from error
