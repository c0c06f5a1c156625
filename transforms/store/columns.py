"""Trajectories rebuilt from some columns of a pack, a row group at a time: a stage reads only what it looks at."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, repeat
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.records import Call, Header, Step, Trajectory
from transforms.store.files import Store
from transforms.store.packs import Pack
from transforms.store.tables import column_values

Record = TypeVar("Record", Step, Call)


class ReadColumns(NamedTuple):
    """The columns to read.

    Attributes:
        header: Columns of `trajectories` that are fields of `Header`; `instruction` is its `task_text`.
        steps: Columns of `steps` that are fields of `Step`.
        calls: Columns of `tool_calls` that are fields of `Call`.
    """

    header: tuple[str, ...]
    steps: tuple[str, ...]
    calls: tuple[str, ...]

    def of(self, table: str) -> list[str]:
        """Return the columns to read of a table, those among them by which rows are put together."""
        own = {"trajectories": self.header, "steps": ("num_calls", *self.steps), "tool_calls": self.calls}
        return ["traj_id", *own[table]]


def read_columns(store: Store, pack: Pack, *, wanted: Collection[str], columns: ReadColumns) -> Iterator[Trajectory]:
    """Rebuild of a pack's trajectories what the columns hold, in under half the time of `read_trajectories`.

    All else is empty or None. The result of a step's only call stands in the step's `obs_text` alone.

    Args:
        store: The store the pack lies in.
        pack: The pack.
        wanted: Ids to rebuild. An id that two units of the pack gave is rebuilt once.
        columns: The columns.

    Yields:
        Trajectories, ordered by id inside a row group.
    """
    left = set(wanted)
    names = ("trajectories", "steps", "tool_calls")
    with ExitStack() as stack:
        files = {name: pq.ParquetFile(stack.enter_context(store.open_read(pack.path(name)))) for name in names}
        for group in range(files["trajectories"].num_row_groups):
            ids = column_values(files["trajectories"].read_row_group(group, columns=["traj_id"])["traj_id"])
            found = [traj_id for traj_id in ids if traj_id in left]
            if found:
                left.difference_update(found)
                only = pa.array(found, pa.string()) if len(found) < len(ids) else None
                tables = (_rows(files[name], group, only, columns=columns.of(name)) for name in names)
                yield from _rebuilt(*tables, columns=columns)


def _rows(file: pq.ParquetFile, group: int, only: pa.Array | None, *, columns: list[str]) -> pa.Table:
    table = file.read_row_group(group, columns=columns)
    return table if only is None else table.filter(pc.is_in(table["traj_id"], only))


def _rebuilt(
    trajectories: pa.Table, steps: pa.Table, calls: pa.Table, *, columns: ReadColumns
) -> Iterator[Trajectory]:
    """Give the trajectories of three tables whose rows stand in one order."""
    next_calls = _records(Call, {name: column_values(calls[name]) for name in columns.calls})
    of_steps: dict[str, list[Any]] = {name: column_values(steps[name]) for name in columns.steps}
    of_steps["calls"] = [
        tuple(islice(next_calls, num_calls)) if num_calls else () for num_calls in column_values(steps["num_calls"])
    ]
    steps_of: dict[str, list[Step]] = {}
    for traj_id, step in zip(column_values(steps["traj_id"]), _records(Step, of_steps), strict=True):
        steps_of.setdefault(traj_id, []).append(step)
    fields = ["task_text" if name == "instruction" else name for name in columns.header]
    for traj_id, *values in zip(*map(column_values, trajectories.columns), strict=True):
        yield Trajectory(
            traj_id=traj_id,
            header=Header(source_format="", **dict(zip(fields, values, strict=True))),
            steps=tuple(steps_of.pop(traj_id, ())),
            native_id=None,
            record_key="",
            record_offset=None,
            task_hash="",
            system_prompt_hash=None,
        )


def _records(kind: type[Record], columns: Mapping[str, Sequence[Any]]) -> Iterator[Record]:
    """Give records with the values of the columns; the others are None."""
    return map(kind._make, zip(*(columns.get(name, repeat(None)) for name in kind._fields), strict=False))
