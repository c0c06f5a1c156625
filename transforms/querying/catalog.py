"""The catalog: a snapshot's slim tables in one DuckDB file, with views for the questions users ask most."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from schemas.tables import SCHEMAS
from transforms.querying.surface import Surface
from transforms.store.files import Store
from transforms.store.manifest import Manifest
from transforms.store.tables import read_table

CATALOG_TABLES: Final = (
    "trajectories",
    "features",
    "behaviours",
    "audit",
    "safety",
    "clusters",
    "lineage",
    "reference_hits",
    "task_groups",
    "tasks",
    "task_policies",
    "decisions",
    "uses",
    "pairs",
    "balance",
    "boilerplate",
    "background",
    "inputs",
    "quarantine",
)
"""Tables copied into the catalog; vectors, signatures and text blocks stay in their Parquet files."""

WIDE_TABLES: Final = ("steps", "tool_calls")
"""Tables that queries read from the packs' own files: copying them would double the store."""

MAX_TEXT_CHARS: Final = 2000
"""Characters of a long text that the catalog keeps; the whole text of the task stands in its first step."""

LONG_TEXTS: Final = ("instruction", "submission", "answer", "error_message", "tools_json", "sampling_json")

_ORDER: Final = {"trajectories": "traj_id, unit_key"}


def build_catalog(path: Path, tables: Mapping[str, pa.Table | ds.Dataset]) -> None:
    """Write `catalog.duckdb` at `path`, which must not exist yet.

    A table that is not given is created empty, so that every view works. Of rows with one trajectory id the one of
    the smallest unit key is taken: later ones are repeats. The file's bytes vary from run to run, its content does
    not.

    Args:
        path: Local path of the new file.
        tables: The snapshot's tables by name, whole; those outside `CATALOG_TABLES` are not looked at.
    """
    with duckdb.connect(str(path)) as connection:
        for name in CATALOG_TABLES:
            connection.register("source", tables.get(name, SCHEMAS[name].empty_table()))
            connection.execute(f"CREATE TABLE {name} AS {_selection(name)}")
            connection.unregister("source")
        connection.execute(files("transforms.querying").joinpath("views.sql").read_text("utf-8"))
        connection.execute("CHECKPOINT")


def _selection(name: str) -> str:
    columns = ", ".join(
        f"left({column}, {MAX_TEXT_CHARS}) AS {column}" if name == "trajectories" and column in LONG_TEXTS else column
        for column in SCHEMAS[name].names
    )
    if SCHEMAS[name].names[0] == "traj_id":
        return f"SELECT DISTINCT ON (traj_id) {columns} FROM source ORDER BY {_ORDER.get(name, 'traj_id')}"
    return f"SELECT {columns} FROM source ORDER BY ALL"


def open_surface(store: Store, manifest: Manifest, *, work_dir: Path) -> Surface:
    """Return what a query over a snapshot may see.

    Args:
        store: The store of the snapshot.
        manifest: The snapshot.
        work_dir: Local folder for the catalog where the store is remote, or its snapshot has none.
    """
    stored = f"{manifest.folder}/catalog.duckdb"
    local = work_dir / "catalog.duckdb"
    if not store.exists(stored):
        build_catalog(local, {name: _read(store, manifest, name) for name in CATALOG_TABLES})
    elif store.is_local:
        local = Path(store.full_path(stored))
    else:
        local.write_bytes(store.read_bytes(stored))
    layers = {name: tuple(file.path for file in manifest.tables.get(name, ())) for name in WIDE_TABLES}
    return Surface(catalog=str(local), root=store.root, layers=layers)


def _read(store: Store, manifest: Manifest, name: str) -> pa.Table:
    parts = [read_table(store, file.path) for file in manifest.tables.get(name, ())]
    return pa.concat_tables([SCHEMAS[name].empty_table(), *parts])
