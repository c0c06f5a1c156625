"""A trajectory's rows as Arrow tables, and the trajectory read back from them."""

from typing import NamedTuple

import pyarrow as pa

from schemas.records import SourceUnit, Trajectory
from transforms.store.rows import (
    calls_table,
    steps_from_tables,
    steps_table,
    trajectories_table,
    trajectory_from_row,
)


class Tables(NamedTuple):
    """The rows of one trajectory."""

    trajectories: pa.Table
    steps: pa.Table
    tool_calls: pa.Table


def tables_of(trajectory: Trajectory, unit: SourceUnit) -> Tables:
    """Return the trajectory's rows as the tables hold them."""
    return Tables(
        trajectories_table([trajectory], [unit]),
        steps_table([trajectory]),
        calls_table([trajectory]),
    )


def trajectory_of(tables: Tables) -> Trajectory:
    """Return the trajectory that the tables hold."""
    (row,) = tables.trajectories.to_pylist(maps_as_pydicts="strict")
    return trajectory_from_row(row, steps_from_tables(tables.steps, tables.tool_calls).get(row["traj_id"], ()))
