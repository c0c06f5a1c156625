"""Small tables that leave Beam as files: each element writes one part, read back in the order of the names."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from transforms.store.files import Store
from transforms.store.tables import conform, rows_to_table

Part = tuple[str, pa.Table | Sequence[dict[str, Any]]]
"""Name of a part, and its rows."""


@dataclass
class WriteParts(beam.PTransform[PCollection[Part], PCollection[str]]):
    """Write each element as `<folder>/<name>.parquet`; a part written twice is the same file.

    The folder is emptied first: a stage that runs again over fewer rows may write fewer parts.

    Takes (name, table or rows), gives the names written. Names are the pipeline's own (pack ids, partition numbers).

    Args:
        folder: Local work folder; made when absent.
        schema: Schema of the parts.
    """

    folder: Path
    schema: pa.Schema

    def expand(self, parts: PCollection[Part]) -> PCollection[str]:
        shutil.rmtree(self.folder, ignore_errors=True)
        return parts | "WritePart" >> beam.MapTuple(self._write)

    def _write(self, name: str, rows: pa.Table | Sequence[dict[str, Any]]) -> str:
        table = conform(rows, self.schema) if isinstance(rows, pa.Table) else rows_to_table(rows, self.schema)
        # Read once in this run: to pack signatures takes three times as long as to write them as they are.
        with (
            Store(str(self.folder)).writer(f"{name}.parquet") as file,
            pq.ParquetWriter(
                file, self.schema, compression="none", use_dictionary=False, write_statistics=False
            ) as writer,
        ):
            writer.write_table(table)
        return name


def read_parts(folder: Path, schema: pa.Schema, *, columns: Sequence[str] | None = None) -> pa.Table:
    """Return all parts of a folder as one table, in the order of their names; no part gives an empty table."""
    wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    parts = [pq.read_table(path, schema=wanted) for path in _part_files(folder)]
    return pa.concat_tables([wanted.empty_table(), *parts])


def _part_files(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.parquet"))
