"""Signing: one signature per view, made from its text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from transforms.lexical.shingles import shingles
from transforms.lexical.signatures import SignatureEngine, make_engine
from transforms.views.bodies import View

Row = dict[str, Any]

_BATCH_ROWS = 64


def signature_row(view_hash: str, view: View, *, engine: SignatureEngine) -> Row:
    """Return a view's row of the table `signatures`; a view without text has no shingle and a signature of zeros."""
    shingle_set = shingles(view.comparable)
    return {
        "view_hash": view_hash,
        "body_hash": view.body_hash,
        "skeleton_hash": view.skeleton_hash,
        "minhash": engine.sign([shingle_set])[0].tolist(),
        "num_shingles": len(shingle_set),
        "scheme": engine.scheme,
    }


@dataclass
class SignViews(beam.PTransform[PCollection[Path], PCollection[tuple[str, list[Row]]]]):
    """Sign the views whose texts lie in files.

    Takes files of body texts, gives (file's name, rows of the table `signatures`).

    Args:
        engine: Name of the signature engine.
    """

    engine: str

    def expand(self, files: PCollection[Path]) -> PCollection[tuple[str, list[Row]]]:
        return files | "SignFile" >> beam.ParDo(_SignFile(self.engine))


class _SignFile(beam.DoFn):
    def __init__(self, engine: str) -> None:
        self._engine_name = engine

    def setup(self) -> None:
        self._engine = make_engine(self._engine_name)

    def process(self, path: Path) -> Iterator[tuple[str, list[Row]]]:
        rows = []
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                for row in batch.to_pylist():
                    view = View(body=row["body"], skeleton=row["skeleton"], task_text=row["task_text"])
                    rows.append(signature_row(row["view_hash"], view, engine=self._engine))
        yield path.stem, rows
