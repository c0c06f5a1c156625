"""The read-only query surface: one SELECT over a snapshot, in a child process with limits on time and memory."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from schemas.errors import QueryError
from transforms.querying import child
from transforms.querying.display import visible


@dataclass(frozen=True, slots=True)
class Surface:
    """What may be queried.

    `catalog` is the local path of the snapshot's `catalog.duckdb`; `layers` maps a wide table (steps, tool_calls) to
    its Parquet files, relative to `root`, the store's folder or fsspec URL.
    """

    catalog: str
    root: str = "."
    layers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one query: wall seconds, DuckDB's memory and the size of the result."""

    timeout_s: float = 60.0
    memory_mb: int = 1024
    max_result_mb: int = 256


def run_query(surface: Surface, sql: str, *, limits: Limits | None = None) -> pa.Table:
    """Return the rows of one SELECT.

    The statement is checked and run in a child process that can write no file, whose DuckDB has the catalog attached
    read-only, external access off and its configuration locked.

    Raises:
        QueryError: The query is no single reading SELECT, fails, or runs over a limit.
    """
    limits = limits or Limits()
    request = {
        "catalog": surface.catalog,
        "root": surface.root,
        "layers": {name: list(paths) for name, paths in surface.layers.items()},
        "sql": sql,
        "memory_mb": limits.memory_mb,
        "max_result_mb": limits.max_result_mb,
        "cpu_s": max(1, int(limits.timeout_s) + 1) * (os.cpu_count() or 1),
    }
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", child.__name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    with process:
        try:
            output, message = process.communicate(json.dumps(request).encode(), timeout=limits.timeout_s)
        except subprocess.TimeoutExpired as error:
            raise QueryError(f"the query ran over its limit of {limits.timeout_s:g} s") from error
        finally:
            process.kill()
    if process.returncode == child.REFUSED:
        raise QueryError(visible(json.loads(message.splitlines()[-1])))
    if process.returncode != 0:
        raise QueryError(_death(process.returncode, message.decode(errors="replace")))
    return pa.ipc.open_stream(output).read_all()


def _death(status: int, message: str) -> str:
    last_line = message.strip().splitlines()[-1] if message.strip() else "no message"
    cause = f"signal {-status}" if status < 0 else f"status {status}"
    return f"the query's process ended with {cause}: {visible(last_line)}"
