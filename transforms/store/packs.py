"""Packs: the Parquet files in which the results of source units are kept, and their commit records.

A pack holds the results of some units, one file a table, written once and never again. Its commit record is written
last; what has no commit record does not exist. In the tables `trajectories`, `steps` and `tool_calls` row group i
holds the same trajectories, whole, so that a reader streams a pack one row group at a time.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Self

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import StoreError
from schemas.records import BadRecord, SourceUnit, Step, Trajectory
from schemas.tables import SCHEMAS, UNIT_TABLES
from transforms.store.files import Store
from transforms.store.garbage import rare_collections
from transforms.store.keys import short_id
from transforms.store.rows import (
    READ_CALL_COLUMNS,
    READ_STEP_COLUMNS,
    Row,
    calls_table,
    quarantine_row,
    steps_from_tables,
    steps_table,
    trajectories_table,
    trajectory_from_row,
)
from transforms.store.tables import parquet_writer, rows_to_table

ROW_GROUP_BYTES = 32 * 2**20
"""Text per row group: a reader holds one at a time."""

PACK_BYTES = 64 * 2**20
"""Source bytes per pack, about: thousands of small files cost a query seconds, a few large ones milliseconds."""

_COLUMN_TABLES: Final = ("trajectories", "steps", "tool_calls")
"""The tables that are made from trajectories column by column, the others from rows."""

_UNLIKE: Final = {
    "steps": frozenset({"obs_text", "command", "reasoning", "parts_json", "extra_json"}),
    "tool_calls": frozenset({"result_text", "arguments_json", "arguments_raw", "args_hash", "call_id", "call_id_raw"}),
}
"""Columns whose values hardly repeat; messages do: system prompts are the same in rollout after rollout."""


@dataclass(frozen=True, slots=True)
class Pack:
    """The kept results of some source units."""

    pack_id: str
    unit_keys: tuple[str, ...]

    def path(self, table: str) -> str:
        """Return the store-relative path of the pack's file of a table."""
        return f"layers/{table}/{self.pack_id}.parquet"

    @property
    def commit_path(self) -> str:
        """Return the store-relative path of the commit record."""
        return f"layers/ingest/{self.pack_id}.json"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file of a table: its store-relative path, SHA-256 in hex, rows and bytes."""

    path: str
    sha256: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """What became of a unit's records; `num_repeats` counts those repeated inside the unit."""

    unit_key: str
    num_records: int
    num_trajectories: int
    num_quarantined: int
    num_repeats: int


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What a pack holds. `layer_key` hashes the settings and version its rows were made with."""

    pack: Pack
    layer_key: str
    units: tuple[UnitCounts, ...]
    files: dict[str, TableFile]

    def to_json(self) -> bytes:
        """Return the record as JSON."""
        return orjson.dumps(self, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        """Return the record that `to_json` wrote.

        Raises:
            StoreError: The content is no commit record.
        """
        try:
            tree = orjson.loads(content)
            return cls(
                pack=Pack(tree["pack"]["pack_id"], tuple(tree["pack"]["unit_keys"])),
                layer_key=tree["layer_key"],
                units=tuple(UnitCounts(**unit) for unit in tree["units"]),
                files={table: TableFile(**file) for table, file in tree["files"].items()},
            )
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"a commit record of the store is damaged: {error}") from error


def plan_packs(units: Sequence[SourceUnit], *, layer_key: str, pack_bytes: int = PACK_BYTES) -> list[Pack]:
    """Share units out to packs in the order of their keys, so that equal units give equal packs."""
    packs: list[Pack] = []
    keys: list[str] = []
    size = 0
    for unit in sorted(units, key=lambda unit: unit.unit_key):
        keys.append(unit.unit_key)
        size += (unit.size if unit.byte_end is None else unit.byte_end) - unit.byte_start
        if size >= pack_bytes:
            packs.append(_pack(keys, layer_key))
            keys, size = [], 0
    if keys:
        packs.append(_pack(keys, layer_key))
    return packs


def _pack(keys: Sequence[str], layer_key: str) -> Pack:
    return Pack(short_id("pack", layer_key, *keys), tuple(keys))


def read_commits(store: Store, *, layer_key: str) -> list[CommitRecord]:
    """Return the commit records made with `layer_key`, ordered by pack id."""
    records = (CommitRecord.from_json(store.read_bytes(path)) for path in store.list("layers/ingest"))
    return [record for record in records if record.layer_key == layer_key]


class PackWriter:
    """Writes a pack: rows are buffered by bytes of text, written in aligned row groups, committed at the end."""

    def __init__(self, store: Store, pack: Pack, *, layer_key: str, row_group_bytes: int = ROW_GROUP_BYTES) -> None:
        self._store = store
        self._pack = pack
        self._layer_key = layer_key
        self._row_group_bytes = row_group_bytes
        self._stack = ExitStack()
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._trajectories: list[tuple[Trajectory, SourceUnit]] = []
        self._rows: dict[str, list[Row]] = {table: [] for table in UNIT_TABLES if table not in _COLUMN_TABLES}
        self._num_rows = dict.fromkeys(UNIT_TABLES, 0)
        self._ids: set[str] = set()
        self._buffered_ids: set[str] = set()
        self._buffered_bytes = 0
        self._units: list[UnitCounts] = []

    def __enter__(self) -> Self:
        for table in UNIT_TABLES:
            file = self._stack.enter_context(self._store.writer(self._pack.path(table)))
            self._writers[table] = self._stack.enter_context(
                parquet_writer(file, SCHEMAS[table], unlike=_UNLIKE.get(table, ()))
            )
        self._stack.enter_context(rare_collections())
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            self._stack.__exit__(kind, error, trace)
            return
        with self._stack:
            self._flush()
        self._commit()

    def add(self, trajectory: Trajectory, unit: SourceUnit, derived: dict[str, list[Row]]) -> None:
        """Add a trajectory and its rows of the other unit tables.

        An id that an earlier unit of the pack gave keeps the derived rows of that unit.
        """
        if trajectory.traj_id in self._buffered_ids:
            self._flush()
        self._buffered_ids.add(trajectory.traj_id)
        self._trajectories.append((trajectory, unit))
        if trajectory.traj_id not in self._ids:
            self._ids.add(trajectory.traj_id)
            for table, rows in derived.items():
                self._rows[table].extend(rows)
        self._buffered_bytes += _text_size(trajectory.steps)
        if self._buffered_bytes >= self._row_group_bytes:
            self._flush()

    def add_bad(self, record: BadRecord, unit: SourceUnit) -> None:
        """Add a record that could not be used."""
        self._rows["quarantine"].append(quarantine_row(record, unit))

    def end_unit(self, counts: UnitCounts) -> None:
        """State what became of a unit's records."""
        self._units.append(counts)

    def _flush(self) -> None:
        if not (self._trajectories or any(self._rows.values())):
            return
        self._trajectories.sort(key=lambda added: added[0].traj_id)
        trajectories = [trajectory for trajectory, _ in self._trajectories]
        self._write("trajectories", trajectories_table(trajectories, [unit for _, unit in self._trajectories]))
        self._write("steps", steps_table(trajectories))
        self._write("tool_calls", calls_table(trajectories))
        for table, rows in self._rows.items():
            if "traj_id" in SCHEMAS[table].names:
                rows.sort(key=itemgetter("traj_id"))
            self._write(table, rows_to_table(rows, SCHEMAS[table]))
            self._rows[table] = []
        self._trajectories = []
        self._buffered_ids.clear()
        self._buffered_bytes = 0

    def _write(self, table: str, rows: pa.Table) -> None:
        # An empty table still makes a row group where the readers count on alignment.
        self._writers[table].write_table(rows, row_group_size=max(1, rows.num_rows))
        self._num_rows[table] += rows.num_rows

    def _commit(self) -> None:
        files = {}
        for table in UNIT_TABLES:
            path = self._pack.path(table)
            files[table] = TableFile(path, self._store.sha256(path), self._num_rows[table], self._store.size(path))
        record = CommitRecord(self._pack, self._layer_key, tuple(self._units), files)
        self._store.write_atomic(self._pack.commit_path, record.to_json())


def _text_size(steps: Sequence[Step]) -> int:
    """Return the characters of the steps' texts, and 200 for the rest of each step."""
    size = 200 * len(steps)
    for step in steps:
        size += len(step.message or "") + len(step.obs_text or "") + len(step.reasoning or "")
        for call in step.calls:
            size += len(call.arguments_json or "") + len(call.result_text or "")
    return size


def read_trajectories(store: Store, pack: Pack, wanted: Collection[str] | None = None) -> Iterator[Trajectory]:
    """Rebuild the pack's trajectories, one row group in memory at a time.

    Args:
        store: The store the pack lies in.
        pack: The pack.
        wanted: Ids to rebuild; None rebuilds all. An id that two units of the pack gave is rebuilt once.

    Yields:
        Trajectories, ordered by id inside a row group.
    """
    names = ("trajectories", "steps", "tool_calls")
    seen: set[str] = set()
    with ExitStack() as stack:
        files = {name: pq.ParquetFile(stack.enter_context(store.open_read(pack.path(name)))) for name in names}
        for group in range(files["trajectories"].num_row_groups):
            rows = files["trajectories"].read_row_group(group).to_pylist(maps_as_pydicts="strict")
            rows = [row for row in rows if row["traj_id"] not in seen and (wanted is None or row["traj_id"] in wanted)]
            if not rows:
                continue
            ids = [row["traj_id"] for row in rows]
            seen.update(ids)
            steps = steps_from_tables(
                _rows_of(files["steps"], group, ids, columns=READ_STEP_COLUMNS),
                _rows_of(files["tool_calls"], group, ids, columns=READ_CALL_COLUMNS),
            )
            for row in rows:
                yield trajectory_from_row(row, steps.pop(row["traj_id"], ()))


def _rows_of(file: pq.ParquetFile, group: int, ids: Iterable[str], *, columns: Sequence[str]) -> pa.Table:
    table = file.read_row_group(group, columns=list(columns))
    return table.filter(pc.is_in(table["traj_id"], pa.array(ids, pa.string())))
