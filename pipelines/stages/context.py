"""What a stage is given: settings, the store, the tables so far, and a way to run a pipeline."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.runners.display import StageProgress
from pipelines.runners.execution import Execution
from schemas.errors import StoreError
from schemas.records import SourceUnit
from schemas.settings import Settings
from schemas.tables import SCHEMAS, UNIT_TABLES
from transforms.embedding.choice import EncoderChoice
from transforms.redaction.engine import Redactor
from transforms.selecting.seeds import SeedTask
from transforms.similarity.reference_sets import ReferenceSet
from transforms.store.files import Store
from transforms.store.manifest import Manifest, snapshot_folder
from transforms.store.packs import Pack
from transforms.store.tables import conform, read_table, rows_to_table, write_table


@dataclass
class StageContext:
    """The surroundings of a stage in one run.

    Attributes:
        settings: All settings.
        store: The store.
        execution: Runner and options of the pipelines.
        work_dir: Local scratch folder of the run, shared by its stages and workers, deleted afterwards.
        snapshot_id: The snapshot being made.
        parent: The published snapshot, if any.
        layer_key: Hash of what the kept unit tables were made with.
        units: The lake's source units, ordered by key; a key reached twice stands here twice.
        seed_tasks: Hard tasks of the seed file.
        references: What was curated before, in the order of the settings.
        encoder: The encoder of the run, resolved.
        packs: The packs that hold this run's units, ordered by id; filled by ingest.
        owned_ids: Pack id → ids of the trajectories that count from this pack, sorted, each id in one pack only;
            filled by ingest, which tells repeats apart.
        set_aside: Rows of `quarantine` beside those of the units: trajectories that a later stage could not use, which
            are in `owned_ids` no longer.
        progress: How far the stage at work is.
    """

    settings: Settings
    store: Store
    execution: Execution
    work_dir: Path
    snapshot_id: str
    parent: Manifest | None
    layer_key: str
    encoder: EncoderChoice
    units: Sequence[SourceUnit]
    progress: StageProgress
    seed_tasks: Sequence[SeedTask] = ()
    references: Sequence[ReferenceSet] = ()

    packs: list[Pack] = field(default_factory=list)
    owned_ids: dict[str, list[str]] = field(default_factory=dict)
    set_aside: list[dict[str, Any]] = field(default_factory=list)

    @property
    def seed(self) -> int:
        """Return the seed of every random draw."""
        return self.settings.seed

    @property
    def redactor(self) -> Redactor:
        """Return what takes secrets out of all that is written."""
        return Redactor.of(self.settings.ingest.redaction)

    def pipeline(self, label: str) -> AbstractContextManager[beam.Pipeline]:
        """Give a pipeline of the run; it works when the block ends. `label` names it in errors."""
        return self.execution.pipeline()

    def table_path(self, table: str) -> str:
        """Return the store path of a slim table of the snapshot."""
        return f"{snapshot_folder(self.snapshot_id)}/tables/{table}.parquet"

    def export_path(self, name: str) -> str:
        """Return the store path of an exported file."""
        return f"{snapshot_folder(self.snapshot_id)}/exports/{name}"

    def report_path(self, name: str) -> str:
        """Return the store path of a file of the report."""
        return f"{snapshot_folder(self.snapshot_id)}/report/{name}"

    def write(self, table: str, rows: pa.Table | Sequence[dict[str, Any]]) -> None:
        """Write a slim table of the snapshot, replacing what an earlier stage wrote under its name.

        Raises:
            StoreError: A column is missing, unknown, of another type, or lacks a value that is due.
        """
        schema = SCHEMAS[table]
        whole = conform(rows, schema) if isinstance(rows, pa.Table) else rows_to_table(rows, schema)
        write_table(self.store, self.table_path(table), whole)

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table of this run, whole: a slim one, or a unit table without repeats.

        Unit tables come sorted by trajectory id (`quarantine` by unit and record).

        Raises:
            StoreError: No stage before this one has written the table.
        """
        if table not in UNIT_TABLES:
            return self.read_slim(table, columns)
        if table in {"steps", "tool_calls"}:
            raise StoreError(f"{table} holds heavy text and is read per pack")
        return self._read_unit_table(table, columns)

    def read_slim(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a slim table of the snapshot, whole and in the order it was written."""
        return read_table(self.store, self.table_path(table), columns)

    def _read_unit_table(self, table: str, columns: Sequence[str] | None) -> pa.Table:
        schema = SCHEMAS[table]
        names = list(schema.names if columns is None else columns)
        needed = [name for name in schema.names if name in {*names, "traj_id", "unit_key", "record_key"}]
        units = pa.array(sorted(unit.unit_key for unit in self.units), pa.string())
        parts = [pa.schema([schema.field(name) for name in needed]).empty_table()]
        for pack in self.packs:
            part = read_table(self.store, pack.path(table), needed)
            if "unit_key" in needed:
                part = part.filter(pc.is_in(part["unit_key"], units))
            if "traj_id" in needed:
                part = part.filter(pc.is_in(part["traj_id"], pa.array(self.owned_ids[pack.pack_id], pa.string())))
            parts.append(part)
        if table == "quarantine":
            parts.append(rows_to_table(self.set_aside, schema).select(needed))
        whole = pa.concat_tables(parts)
        order = [(name, "ascending") for name in ("traj_id", "unit_key", "record_key") if name in needed]
        whole = whole.sort_by(order)
        if table == "trajectories":
            whole = _first_of_each(whole)
        return whole.select(names)


def _first_of_each(trajectories: pa.Table) -> pa.Table:
    """Keep the first row of each trajectory: an id that two units gave belongs to the smaller unit key."""
    ids = trajectories["traj_id"].combine_chunks()
    if len(ids) < 2:
        return trajectories
    is_new = pa.concat_arrays([pa.array([True]), pc.not_equal(ids[1:], ids[:-1])])
    return trajectories.filter(is_new)
