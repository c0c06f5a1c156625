"""Assemble the shards of the datasets from planned rows and rendered conversations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from transforms.store.files import Store
from transforms.store.progress import ProgressFile
from transforms.store.tables import parquet_writer
from transforms.targets.catalog import TARGETS
from transforms.targets.check import refuse
from transforms.targets.contract import Target
from transforms.targets.texts import TEXT_SCHEMA

ROW_GROUP_BYTES: Final = 16 * 2**20
"""Text per row group of a shard, about: one is built, checked and written at a time."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a dataset: `bucket` names its work files, `path` is its store path."""

    dataset: str
    bucket: str
    path: str


def read_texts(folder: Path) -> pa.Table:
    """Return all rendered conversations of a bucket, in `TEXT_SCHEMA`."""
    parts = [pa.ipc.open_file(path.read_bytes()).read_all() for path in sorted(folder.glob("*.arrow"))]
    return pa.concat_tables([TEXT_SCHEMA.empty_table(), *parts]).combine_chunks()


def build_row_groups(target: Target, plan: pa.Table, texts: pa.Table) -> Iterator[pa.Table]:
    """Yield the target's rows in the plan's order, a row group at a time, checked.

    Raises:
        QualityError: A row would break a trainer.
    """
    for piece in _pieces(target, plan, texts):
        rows = target.build(piece, texts)
        refuse(target.check(rows), target=target.name)
        yield rows


def _pieces(target: Target, plan: pa.Table, texts: pa.Table) -> Iterator[pa.Table]:
    sizes = dict(zip(texts["traj_id"].to_pylist(), texts["num_bytes"].to_pylist(), strict=True))
    sides = [plan[side].to_pylist() for side in target.sides]
    start = num_bytes = 0
    for row, members in enumerate(zip(*sides, strict=True)):
        num_bytes += sum(sizes.get(member, 0) for member in members)
        if num_bytes >= ROW_GROUP_BYTES:
            yield plan.slice(start, row + 1 - start)
            start, num_bytes = row + 1, 0
    if start < plan.num_rows:
        yield plan.slice(start)


@dataclass
class AssembleShards(beam.PTransform[PCollection[Shard], PCollection[int]]):
    """Write the shards of the datasets.

    Takes shards, gives the number of rows of each. A shard without planned rows must not be asked for: `datasets`
    fails on an empty file.

    Args:
        store: Where the shards are written.
        folder: Local work folder with `plan/<bucket>.parquet` and `texts/<bucket>/`.
        progress: Where finished shards are counted.
    """

    store: Store
    folder: Path
    progress: ProgressFile

    def expand(self, shards: PCollection[Shard]) -> PCollection[int]:
        return shards | "AssembleShard" >> beam.Map(self._assemble)

    def _assemble(self, shard: Shard) -> int:
        target = TARGETS[shard.dataset]
        plan = pq.read_table(self.folder / "plan" / f"{shard.bucket}.parquet")
        texts = read_texts(self.folder / "texts" / shard.bucket)
        with self.store.writer(shard.path) as file, parquet_writer(file, target.schema) as writer:
            for rows in build_row_groups(target, plan, texts):
                writer.write_table(rows, row_group_size=max(1, rows.num_rows))
        self.progress.tick()
        return int(pc.count(plan["id"]).as_py())
