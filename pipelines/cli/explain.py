"""`trajsift explain`: everything about one trajectory."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from pipelines.cli.places import ConfOption, SnapshotOption, StoreOption, find_snapshot, open_store
from pipelines.cli.terminal import show_facts, show_rows, write_text

if TYPE_CHECKING:
    from transforms.querying.explain import Explanation

MAX_COPIES = 20
_USE_COLUMNS = ("dataset", "role", "used", "reason", "row_id", "weight", "copies", "split")
_POSTERIOR_COLUMNS = (
    "policy", "num_scored", "num_success", "pass_rate", "posterior_a", "posterior_b", "learnability", "attribution",
)  # fmt: skip
_COPY_COLUMNS = ("traj_id", "keeper_id", "similarity_to_keeper", "method", "decision", "reason")


def explain(
    traj_id: Annotated[str, typer.Argument(help="Trajectory id, a unique beginning of it, or a unique native id.")],
    store: StoreOption = None,
    conf: ConfOption = None,
    snapshot: SnapshotOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """Tell where a trajectory came from, what it repeats, what was decided and why."""
    from transforms.querying.catalog import open_surface
    from transforms.querying.explain import explain_trajectory, open_catalog

    opened = open_store(store, conf)
    with tempfile.TemporaryDirectory(prefix="trajsift-explain-") as work_dir:
        surface = open_surface(opened, find_snapshot(opened, snapshot), work_dir=Path(work_dir))
        with open_catalog(surface.catalog) as connection:
            explained = explain_trajectory(connection, traj_id)
    if as_json:
        write_text(orjson.dumps(asdict(explained), default=str, option=orjson.OPT_INDENT_2).decode() + "\n")
    else:
        _show(explained)


def _show(explained: "Explanation") -> None:
    decision = explained.decision
    show_facts(
        f"{explained.traj_id}: {decision.get('decision', 'no decision')} ({decision.get('reason', '-')})", decision
    )
    show_facts("Source", explained.source)
    show_facts("Groups and keeper", explained.groups)
    show_facts("Rollout", explained.trajectory)
    show_facts("Description", explained.description)
    show_facts("Hashes", explained.hashes)
    show_facts("Task", explained.task)
    for title, columns, rows in (
        ("Pass rate of its task, by policy", _POSTERIOR_COLUMNS, explained.posterior),
        ("Uses in datasets", _USE_COLUMNS, explained.uses),
        ("Others of its group", _COPY_COLUMNS, explained.copies[:MAX_COPIES]),
    ):
        if rows:
            write_text(f"\n{title}\n")
            show_rows(columns, [[row[name] for name in columns] for row in rows])
