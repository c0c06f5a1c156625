"""`trajsift similar`: the trajectories most like one."""

import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import orjson
import typer

from pipelines.cli.places import ConfOption, SnapshotOption, StoreOption, find_snapshot, open_store
from pipelines.cli.terminal import show_rows, write_text

COLUMNS = (
    "similarity", "traj_id", "task_key", "outcome_class", "group_size", "family_label", "decision", "reason",
)  # fmt: skip


class View(StrEnum):
    """The vectors that can be compared."""

    BODY = "body"
    FUSED = "fused"
    TASK = "task"


def similar(
    traj_id: Annotated[str, typer.Argument(help="Trajectory id, a unique beginning of it, or a unique native id.")],
    store: StoreOption = None,
    conf: ConfOption = None,
    snapshot: SnapshotOption = None,
    view: Annotated[
        View, typer.Option(help="What is compared: what was done and said, task and body together, or the task.")
    ] = View.BODY,
    top: Annotated[int, typer.Option(min=1, max=1000, help="Neighbours shown at most.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """List the trajectories most like one, by cosine of their vectors, nearest first."""
    from transforms.querying.catalog import open_surface
    from transforms.querying.explain import find_trajectory, open_catalog
    from transforms.querying.neighbours import nearest_trajectories

    opened = open_store(store, conf)
    manifest = find_snapshot(opened, snapshot)
    with tempfile.TemporaryDirectory(prefix="trajsift-similar-") as work_dir:
        surface = open_surface(opened, manifest, work_dir=Path(work_dir))
        with open_catalog(surface.catalog) as connection:
            wanted = find_trajectory(connection, traj_id)
            found = nearest_trajectories(opened, manifest, connection, traj_id=wanted, view=view.value, count=top)
    if as_json:
        write_text(orjson.dumps(found._asdict(), option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    copied = "" if found.vector_of == wanted else f", compared as {found.vector_of}, which it copies"
    write_text(f"nearest to {wanted} by {view.value}{copied}\n")
    show_rows(COLUMNS, [[row[name] for name in COLUMNS] for row in found.rows])
