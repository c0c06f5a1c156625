"""Trajectories as views see them: of a pack, the columns that are compared, a row group at a time."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, repeat
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.records import Call, Header, Step, Trajectory
from transforms.store.files import Store
from transforms.store.packs import Pack
from transforms.store.tables import column_values

_STEP_COLUMNS: Final = (
    "step_id",
    "source",
    "message",
    "reasoning",
    "command",
    "obs_text",
    "is_error",
    "is_copied_context",
    "is_demo",
)
_CALL_COLUMNS: Final = ("tool_name", "tool_kind", "arguments_json", "arguments_raw", "is_error")
_COLUMNS: Final = {
    "trajectories": ("traj_id", "instruction"),
    "steps": ("traj_id", "num_calls", *_STEP_COLUMNS),
    "tool_calls": ("traj_id", *_CALL_COLUMNS),
}

Record = TypeVar("Record", Step, Call)


def read_comparable(store: Store, pack: Pack, wanted: Collection[str]) -> Iterator[Trajectory]:
    """Rebuild of a pack's trajectories what views are made of, in under half the time of `read_trajectories`.

    Their views are the same; what no view holds is empty or None.

    Args:
        store: The store the pack lies in.
        pack: The pack.
        wanted: Ids to rebuild. An id that two units of the pack gave is rebuilt once.

    Yields:
        Trajectories, ordered by id inside a row group.
    """
    left = set(wanted)
    with ExitStack() as stack:
        files = {name: pq.ParquetFile(stack.enter_context(store.open_read(pack.path(name)))) for name in _COLUMNS}
        for group in range(files["trajectories"].num_row_groups):
            ids = column_values(files["trajectories"].read_row_group(group, columns=["traj_id"])["traj_id"])
            found = [traj_id for traj_id in ids if traj_id in left]
            if found:
                left.difference_update(found)
                only = pa.array(found, pa.string()) if len(found) < len(ids) else None
                yield from _rebuilt(*(_rows(files[name], group, only, name=name) for name in _COLUMNS))


def _rows(file: pq.ParquetFile, group: int, only: pa.Array | None, *, name: str) -> pa.Table:
    table = file.read_row_group(group, columns=list(_COLUMNS[name]))
    return table if only is None else table.filter(pc.is_in(table["traj_id"], only))


def _rebuilt(trajectories: pa.Table, steps: pa.Table, calls: pa.Table) -> Iterator[Trajectory]:
    """Give the trajectories of three tables whose rows stand in one order."""
    next_calls = _records(Call, {name: column_values(calls[name]) for name in _CALL_COLUMNS})
    columns: dict[str, list[Any]] = {name: column_values(steps[name]) for name in _STEP_COLUMNS}
    columns["calls"] = [
        tuple(islice(next_calls, num_calls)) if num_calls else () for num_calls in column_values(steps["num_calls"])
    ]
    steps_of: dict[str, list[Step]] = {}
    for traj_id, step in zip(column_values(steps["traj_id"]), _records(Step, columns), strict=True):
        steps_of.setdefault(traj_id, []).append(step)
    for traj_id, instruction in zip(*map(column_values, trajectories.columns), strict=True):
        yield Trajectory(
            traj_id=traj_id,
            header=Header(source_format="", task_text=instruction),
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
