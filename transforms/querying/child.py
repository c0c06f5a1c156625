"""The process in which a query runs: limits first, then a locked read-only connection, then the one SELECT.

The request comes as JSON on standard input, the result leaves as an Arrow stream on standard output, a refusal as the
last line of standard error, a JSON string, with the exit status `REFUSED`. Nothing else reaches this process.
"""

import json
import os
import resource
import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Final

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import QueryError
from schemas.tables import SCHEMAS
from transforms.querying.statement import check_statement

REFUSED: Final = 10
ADDRESS_SPACE_SLACK: Final = 6 << 30
"""Bytes of address space beside the query's memory: libraries, threads' stacks and arenas, the mapped catalog."""
ROWS_PER_BATCH: Final = 4096
ROW_KEYS: Final = {"steps": "traj_id, step_id", "tool_calls": "traj_id, step_id, call_index"}
"""What names a row of a wide table."""


def limit_process(*, memory_mb: int, cpu_s: int) -> None:
    """Bound this process for good: address space, CPU seconds, no core dump, and not one byte into any file."""
    address_space = (memory_mb << 20) + ADDRESS_SPACE_SLACK
    for kind, bound in (
        (resource.RLIMIT_AS, address_space),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (bound, bound))


def open_locked(
    catalog: str, *, root: str, layers: Mapping[str, Sequence[str]], memory_mb: int
) -> duckdb.DuckDBPyConnection:
    """Open the snapshot's catalog read-only beside its wide tables, then shut every way out.

    Args:
        catalog: Local path of `catalog.duckdb`.
        root: Root of the store (folder or fsspec URL) to which the paths in `layers` are relative.
        layers: Wide table → its Parquet files; rows whose trajectory is not in `trajectories` (repeats) are left out.
        memory_mb: DuckDB's memory limit in MiB; nothing spills to disk.

    Returns:
        A connection whose file access is off and whose configuration is locked. An empty `temp_directory` matters:
        DuckDB always allows reading and writing there, even with external access off.
    """
    connection = duckdb.connect(
        ":memory:",
        config={
            "temp_directory": "",
            "memory_limit": f"{memory_mb}MiB",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        },
    )
    connection.execute(f"ATTACH {_quoted(catalog)} AS snapshot (READ_ONLY)")
    for name, paths in layers.items():
        connection.register(f"all_{name}", _dataset(name, root=root, paths=paths))
        connection.execute(f"CREATE VIEW memory.main.{name} AS {_without_repeats(connection, name)}")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET search_path = 'snapshot.main,memory.main'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _without_repeats(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """Return the SELECT of a wide table's rows: of the snapshot's trajectories, each once.

    A record that two units gave has its rows twice, word for word the same; only such rows are compared.
    """
    known = f"FROM all_{name} w SEMI JOIN snapshot.main.trajectories t USING (traj_id)"
    row = connection.execute("SELECT coalesce(sum(num_repeats), 0) FROM snapshot.main.inputs").fetchone()
    if row is None or not row[0]:
        return f"SELECT w.* {known}"
    keys = ROW_KEYS[name]
    connection.execute(
        f"CREATE TABLE memory.main.repeated_{name} AS "
        f"SELECT DISTINCT traj_id FROM (FROM all_{name} SELECT {keys} GROUP BY ALL HAVING count(*) > 1)"
    )
    repeated = f"SELECT traj_id FROM memory.main.repeated_{name}"
    return (
        f"SELECT w.* {known} WHERE traj_id NOT IN ({repeated}) UNION ALL "
        f"SELECT DISTINCT ON ({keys}) w.* {known} WHERE traj_id IN ({repeated})"
    )


def _dataset(name: str, *, root: str, paths: Sequence[str]) -> ds.Dataset | pa.Table:
    if not paths:
        return SCHEMAS[name].empty_table()
    filesystem, base = url_to_fs(root)
    full = [f"{base.rstrip('/')}/{path}" for path in paths]
    if isinstance(filesystem, LocalFileSystem):
        return ds.dataset(full, format="parquet", schema=SCHEMAS[name])
    return ds.dataset(full, format="parquet", schema=SCHEMAS[name], filesystem=filesystem)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def table_macros(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the names of the catalog's own table macros."""
    rows = connection.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'table_macro'"
    ).fetchall()
    return frozenset(row[0] for row in rows)


def answer(request: Mapping[str, Any], sink: BinaryIO) -> None:
    """Run the request's one SELECT and write its rows as an Arrow stream.

    Raises:
        QueryError: The query is refused, fails, or its result is over `max_result_mb`.
    """
    connection = open_locked(
        request["catalog"], root=request["root"], layers=request["layers"], memory_mb=request["memory_mb"]
    )
    check_statement(connection, request["sql"], macros=table_macros(connection))
    room = request["max_result_mb"] << 20
    try:
        reader: pa.RecordBatchReader = connection.execute(request["sql"]).to_arrow_reader(ROWS_PER_BATCH)
        with pa.ipc.new_stream(sink, reader.schema) as stream:
            for batch in reader:
                room -= batch.nbytes
                if room < 0:
                    raise QueryError(f"the result is over {request['max_result_mb']} MB; add a LIMIT or an aggregate")
                stream.write_batch(batch)
    except (duckdb.OutOfMemoryException, pa.ArrowMemoryError, MemoryError) as error:
        raise QueryError(f"the query ran over its memory of {request['memory_mb']} MB") from error
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise QueryError(str(error) or type(error).__name__) from error


def main() -> int:
    """Answer the one request on standard input and return the exit status."""
    request = json.load(sys.stdin.buffer)
    limit_process(memory_mb=request["memory_mb"], cpu_s=request["cpu_s"])
    try:
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as sink:
            answer(request, sink)
    except QueryError as error:
        sys.stderr.write(f"\n{json.dumps(str(error))}\n")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
