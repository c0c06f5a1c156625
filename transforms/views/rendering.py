"""Rendering: the comparable texts of the views that are wanted, written to local files, a bounded piece at a time."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from schemas.records import Trajectory
from transforms.store.files import Store
from transforms.store.garbage import rare_collections
from transforms.store.packs import Pack
from transforms.store.tables import rows_to_table, work_writer
from transforms.views.bodies import view_of
from transforms.views.comparing import read_comparable
from transforms.views.hashes import boilerplate_by_environment

BODY_SCHEMA = pa.schema(
    [
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("task_text", pa.string(), nullable=False),
        pa.field("body", pa.string(), nullable=False),
        pa.field("skeleton", pa.string(), nullable=False),
    ]
)
"""A view's texts; `traj_id` is the trajectory they were made from, the first of those that share the view."""

WANTED_SCHEMA = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
    ]
)
"""A trajectory whose view is wanted."""

Row = dict[str, Any]

_ROW_GROUP_CHARS = 8 * 2**20


def body_rows(
    trajectories: Iterable[Trajectory],
    wanted: Mapping[str, tuple[str, str]],
    *,
    boilerplate: Mapping[str, Collection[str]],
    observation_edge_chars: int,
) -> Iterator[Row]:
    """Give the rows of `BODY_SCHEMA` of the wanted trajectories.

    Args:
        trajectories: The trajectories.
        wanted: Trajectory id → (view hash, environment).
        boilerplate: Environment → block hashes to leave out.
        observation_edge_chars: Characters kept at each end of an observation.
    """
    for trajectory in trajectories:
        view_hash, environment = wanted[trajectory.traj_id]
        view = view_of(
            trajectory, boilerplate.get(environment, frozenset()), observation_edge_chars=observation_edge_chars
        )
        yield {
            "view_hash": view_hash,
            "traj_id": trajectory.traj_id,
            "task_text": view.task_text,
            "body": view.body,
            "skeleton": view.skeleton,
        }


@dataclass
class RenderViews(beam.PTransform[PCollection[Pack], PCollection[Path]]):
    """Write the texts of wanted views.

    Takes packs, gives the files written: `<bodies_dir>/<pack id>.parquet`, in `BODY_SCHEMA`. A pack of which nothing
    is wanted gives none.

    Args:
        store: Where the packs lie.
        wanted_dir: Folder with one file of `WANTED_SCHEMA` per pack, named after it.
        boilerplate_path: Parquet file with `environment` and `block_hash`.
        bodies_dir: Folder to write to.
        observation_edge_chars: Characters kept at each end of an observation.
    """

    store: Store
    wanted_dir: Path
    boilerplate_path: Path
    bodies_dir: Path
    observation_edge_chars: int

    def expand(self, packs: PCollection[Pack]) -> PCollection[Path]:
        return packs | "RenderPack" >> beam.ParDo(_RenderPack(self))


class _RenderPack(beam.DoFn):
    def __init__(self, transform: RenderViews) -> None:
        self._store = transform.store
        self._wanted_dir = transform.wanted_dir
        self._boilerplate_path = transform.boilerplate_path
        self._bodies_dir = transform.bodies_dir
        self._observation_edge_chars = transform.observation_edge_chars

    def setup(self) -> None:
        self._boilerplate = boilerplate_by_environment(pq.read_table(self._boilerplate_path))

    def process(self, pack: Pack) -> Iterator[Path]:
        name = f"{pack.pack_id}.parquet"
        if not (self._wanted_dir / name).is_file():
            return
        rows = pq.read_table(self._wanted_dir / name).to_pylist()
        wanted = {row["traj_id"]: (row["view_hash"], row["environment"]) for row in rows}
        bodies = body_rows(
            read_comparable(self._store, pack, wanted),
            wanted,
            boilerplate=self._boilerplate,
            observation_edge_chars=self._observation_edge_chars,
        )
        with (
            rare_collections(),
            Store(str(self._bodies_dir)).writer(name) as file,
            work_writer(file, BODY_SCHEMA) as writer,
        ):
            for piece in _pieces(bodies):
                writer.write_table(rows_to_table(piece, BODY_SCHEMA))
        yield self._bodies_dir / name


def _pieces(rows: Iterable[Row]) -> Iterator[list[Row]]:
    piece: list[Row] = []
    num_chars = 0
    for row in rows:
        piece.append(row)
        num_chars += len(row["body"]) + len(row["skeleton"]) + len(row["task_text"])
        if num_chars >= _ROW_GROUP_CHARS:
            yield piece
            piece, num_chars = [], 0
    if piece:
        yield piece
