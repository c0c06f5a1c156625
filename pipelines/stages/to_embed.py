"""What stage embed embeds: which trajectories, and the hashes of their texts."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.stages.context import StageContext
from transforms.embedding.contract import is_blank
from transforms.similarity.cluster_rows import row_numbers
from transforms.store.tables import rows_of
from transforms.views.bodies import task_text
from transforms.views.hashes import boilerplate_by_environment
from transforms.views.windows import window_hash


class ToEmbed(NamedTuple):
    """The trajectories to embed, ordered by id.

    Per id: whether it is a representative, and the hash of each text (None: no such text).
    """

    ids: list[str]
    represents: NDArray[np.bool_]
    view_hashes: list[str | None]
    bodies: list[str | None]
    skeletons: list[str | None]
    tasks: list[str | None]


def find_to_embed(context: StageContext, task_path: Path) -> tuple[ToEmbed, Path]:
    """Return the trajectories to embed, and the file of their unique task texts."""
    columns = ["traj_id", "keeper_id", "exact_group", "environment"]
    clusters = context.read("clusters", columns).sort_by("traj_id")
    represents = pc.equal(clusters["traj_id"], clusters["keeper_id"]).to_numpy()
    wanted = represents | _may_be_parted(context, clusters, represents)
    clusters, represents = clusters.filter(pa.array(wanted)), represents[wanted]
    ids = clusters["traj_id"].combine_chunks()
    views = rows_of(context.read("views", ["traj_id", "view_hash", "is_empty"]), "traj_id", ids)
    texts = context.read("signatures", ["view_hash", "body_hash", "skeleton_hash"])
    texts = rows_of(texts, "view_hash", views["view_hash"])
    is_empty = views["is_empty"].to_pylist()
    tasks = task_texts(context, clusters)
    task_hashes = [None if text is None else window_hash(text) for text in tasks]
    unique = {each: text for each, text in zip(task_hashes, tasks, strict=True) if each is not None}
    hashes = sorted(unique)
    pq.write_table(
        pa.table({"text_hash": hashes, "text": pa.array([unique[each] for each in hashes], pa.string())}), task_path
    )
    return ToEmbed(
        ids=ids.to_pylist(),
        represents=represents,
        view_hashes=_unless(is_empty, views["view_hash"].to_pylist()),
        bodies=_unless(is_empty, texts["body_hash"].to_pylist()),
        skeletons=_unless(is_empty, texts["skeleton_hash"].to_pylist()),
        tasks=task_hashes,
    ), task_path


def _may_be_parted(context: StageContext, clusters: pa.Table, represents: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say of each row whether it is the best run of a text that another one stands for, which vectors may drop.

    Of the representatives of a cell the best one is dropped for none.
    """
    is_best = pc.equal(clusters["traj_id"], clusters["exact_group"]).to_numpy()
    settings = context.settings
    if not settings.semantic.enabled:
        return np.zeros_like(is_best)
    if settings.task_groups.join_by_vectors:
        return is_best
    members = np.load(context.work_dir / "copies" / "members.npy")
    order = np.flatnonzero(represents)
    order = order[np.lexsort((members["rank"][order], members["cell"][order]))]
    may_go = np.ones(len(members), dtype=np.bool_)
    may_go[order[np.diff(members["cell"][order], prepend=-1) != 0]] = False
    return np.asarray(is_best & may_go[row_numbers(clusters, "keeper_id")])


def task_texts(context: StageContext, rows: pa.Table) -> list[str | None]:
    """Return the task's text of each row, boilerplate left out; None where there is none.

    Args:
        context: The run.
        rows: Columns `traj_id`, `environment`.
    """
    instructions = rows_of(context.read("trajectories", ["traj_id", "instruction"]), "traj_id", rows["traj_id"])
    boilerplate = boilerplate_by_environment(context.read("boilerplate", ["environment", "block_hash"]))
    stated = [
        "" if is_blank(text) else task_text(text, boilerplate.get(environment, frozenset()))
        for text, environment in zip(
            instructions["instruction"].to_pylist(), rows["environment"].to_pylist(), strict=True
        )
    ]
    return [None if is_blank(text) else text for text in stated]


def _unless(flags: Sequence[bool], values: Sequence[str]) -> list[str | None]:
    return [None if flag else value for flag, value in zip(flags, values, strict=True)]
