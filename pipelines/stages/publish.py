"""Checks the law of row conservation, writes the catalog and the manifest, and points CURRENT at the snapshot."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

import polars as pl
import yaml

from pipelines.plan import committed
from pipelines.stages.context import StageContext
from schemas.tables import SCHEMAS, UNIT_TABLES
from transforms.querying.catalog import CATALOG_TABLES, build_catalog
from transforms.reading.shown_paths import shown_paths
from transforms.redaction.trees import redact_tree
from transforms.reporting.frames import COLUMNS
from transforms.reporting.summary import summarise
from transforms.store.conservation import check_one_row_each, check_total
from transforms.store.manifest import InputFile, Manifest, set_current, snapshot_folder, write_manifest
from transforms.store.packs import TableFile

COMPACTED: Final = tuple(table for table in UNIT_TABLES if table not in {"steps", "tool_calls", "blocks"})
"""Unit tables copied into the snapshot, repeats left out; the others are read from the packs."""

READS: Final = (*COMPACTED, "inputs", "clusters", "task_groups", "background", "tasks", "decisions", "uses")
WRITES: Final = COMPACTED


def run(context: StageContext, *, run_key: str, data_tree: dict[str, Any], versions: dict[str, str]) -> Manifest:
    """Publish the snapshot.

    Raises:
        ConservationError: Rows went missing or appeared twice; CURRENT stays as it was.
    """
    funnel = _checked_funnel(context)
    for table in COMPACTED:
        context.write(table, context.read(table))
    folder = snapshot_folder(context.snapshot_id)
    told = redact_tree(data_tree, context.redactor)
    context.store.write_atomic(f"{folder}/config.yaml", yaml.safe_dump(told, sort_keys=True).encode())
    shown = shown_paths((unit.uri for unit in context.units), context.redactor)
    manifest = Manifest(
        snapshot_id=context.snapshot_id,
        parent_id=None if context.parent is None else context.parent.snapshot_id,
        run_key=run_key,
        inputs={unit.unit_key: InputFile(shown[unit.uri], unit.size, unit.sha256) for unit in reversed(context.units)},
        packs=[pack.pack_id for pack in context.packs],
        tables=_table_files(context),
        files=[_describe(context, path) for path in _other_files(context, folder)],
        funnel=funnel,
        summary=_summary(context),
        versions=versions,
    )
    _write_catalog(context, folder)
    write_manifest(context.store, manifest)
    set_current(context.store, context.snapshot_id)
    return manifest


def _checked_funnel(context: StageContext) -> dict[str, int]:
    inputs = pl.DataFrame(context.read("inputs"))
    ids = context.read("trajectories", ["traj_id"])["traj_id"].to_pylist()
    decisions = pl.DataFrame(context.read("decisions", ["traj_id", "decision", "reason"]))
    uses = pl.DataFrame(context.read("uses", ["dataset", "role", "traj_id", "task_key", "row_id", "used"]))
    read = int(inputs["num_records"].sum())
    parts = {
        "trajectories": len(ids),
        "quarantined": int(inputs["num_quarantined"].sum()),
        "repeats": int(inputs["num_repeats"].sum()),
    }
    check_total(read, parts, of="records read")
    check_total(parts["quarantined"], {"rows of quarantine": context.read("quarantine", ["unit_key"]).num_rows},
                of="quarantined")  # fmt: skip
    check_one_row_each(ids, decisions["traj_id"].to_list(), table="decisions")
    check_one_row_each(ids, context.read("clusters", ["traj_id"])["traj_id"].to_pylist(), table="clusters")
    kept = int((decisions["decision"] == "keep").sum())
    dropped = Counter(decisions.filter(pl.col("decision") == "drop")["reason"].to_list())
    check_total(len(ids), {"kept": kept, **dropped}, of="trajectories")
    used = dict(uses.filter("used").group_by("dataset").agg(pl.col("row_id").n_unique()).iter_rows())
    return (
        {"read": read, **parts}
        | {f"dropped/{reason}": count for reason, count in sorted(dropped.items())}
        | {"kept": kept}
        | {f"rows/{dataset}": used.get(dataset, 0) for dataset in sorted(context.settings.export.targets)}
    )


def _summary(context: StageContext) -> dict[str, int | float]:
    names = ("clusters", "features", "task_groups", "background")
    frames = {name: pl.DataFrame(context.read(name, COLUMNS[name])) for name in names}
    return summarise(frames)


def _table_files(context: StageContext) -> dict[str, list[TableFile]]:
    tables: dict[str, list[TableFile]] = {}
    commits = committed(context.store, context.packs, key=context.layer_key)
    for table in SCHEMAS:
        path = context.table_path(table)
        if context.store.exists(path):
            rows = context.read_slim(table).num_rows
            tables[table] = [TableFile(path, context.store.sha256(path), rows, context.store.size(path))]
        elif table in UNIT_TABLES:
            tables[table] = [commits[pack.pack_id].files[table] for pack in context.packs]
    return tables


def _other_files(context: StageContext, folder: str) -> list[str]:
    left_out = (f"{folder}/tables/", f"{folder}/catalog.duckdb", f"{folder}/manifest.json")
    return [path for path in context.store.list(folder) if not path.startswith(left_out)]


def _describe(context: StageContext, path: str) -> TableFile:
    return TableFile(path, context.store.sha256(path), 0, context.store.size(path))


def _write_catalog(context: StageContext, folder: str) -> None:
    tables = {
        table: context.read_slim(table) for table in CATALOG_TABLES if context.store.exists(context.table_path(table))
    }
    with tempfile.TemporaryDirectory(dir=context.work_dir) as scratch:
        path = Path(scratch) / "catalog.duckdb"
        build_catalog(path, dict[str, Any](tables))
        with context.store.writer(f"{folder}/catalog.duckdb") as target, path.open("rb") as source:
            while piece := source.read(2**20):
                target.write(piece)
