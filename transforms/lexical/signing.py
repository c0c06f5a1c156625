"""Signing: one signature per view, made from its text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from schemas.tables import SCHEMAS
from transforms.lexical.signatures import NUM_SLOTS, SignatureEngine, SignedTexts, make_engine
from transforms.lexical.text_buffers import TextBuffer, buffer_of_column
from transforms.lexical.word_order import with_texts, word_orders
from transforms.store.keys import text_id

_COLUMNS = ("view_hash", "body", "skeleton", "task_text")


def sign_views(views: pa.Table, engine: SignatureEngine) -> pa.Table:
    """Return the rows of the table `signatures` of some views.

    Copies are found on the body; a view whose body is blank is compared by its task's text, and its hash is never that
    of a body. A view without text has no shingle and a signature of zeros.

    Args:
        views: Columns `view_hash`, `body`, `skeleton`, `task_text`, without nulls.
        engine: Makes the signatures.
    """
    bodies = buffer_of_column(views["body"])
    signed = engine.sign(bodies)
    body_ids = _text_ids("body", bodies)
    words = word_orders(bodies, signed.num_shingles)
    blank = np.flatnonzero(signed.num_shingles == 0)
    if len(blank):
        tasks = buffer_of_column(views["task_text"].take(pa.array(blank)))
        signed_tasks = engine.sign(tasks)
        signed = _with_rows(signed, blank, signed_tasks)
        for row, task_id in zip(blank.tolist(), _text_ids("task", tasks), strict=True):
            body_ids[row] = task_id
        words = with_texts(words, blank, word_orders(tasks, signed_tasks.num_shingles))
    schema = SCHEMAS["signatures"]
    columns = {
        "view_hash": views["view_hash"],
        "body_hash": pa.array(body_ids, pa.string()),
        "skeleton_hash": pa.array(_text_ids("skeleton", buffer_of_column(views["skeleton"])), pa.string()),
        "minhash": pa.FixedSizeListArray.from_arrays(pa.array(signed.minhash.reshape(-1)), NUM_SLOTS),
        "bottom": pa.ListArray.from_arrays(pa.array(signed.bottom_bounds), pa.array(signed.bottom)),
        "num_shingles": pa.array(signed.num_shingles),
        "words": pa.ListArray.from_arrays(pa.array(words.bounds.astype(np.int32)), pa.array(words.words)),
        "scheme": pa.array([engine.scheme] * views.num_rows, pa.string()),
    }
    return pa.table([columns[field.name].cast(field.type) for field in schema], schema=schema)


@dataclass
class SignViews(beam.PTransform[PCollection[Path], PCollection[tuple[str, pa.Table]]]):
    """Sign the views whose texts lie in files.

    Takes files of body texts, gives (file's name, rows of the table `signatures`).

    Args:
        engine: Name of the signature engine.
    """

    engine: str

    def expand(self, files: PCollection[Path]) -> PCollection[tuple[str, pa.Table]]:
        return files | "SignFile" >> beam.ParDo(_SignFile(self.engine))


class _SignFile(beam.DoFn):
    def __init__(self, engine: str) -> None:
        self._engine_name = engine

    def setup(self) -> None:
        self._engine = make_engine(self._engine_name)

    def process(self, path: Path) -> Iterator[tuple[str, pa.Table]]:
        with pq.ParquetFile(path) as file:
            # One column holds nearly all of a row group: threads to read its columns cost more than they gain.
            groups = (
                file.read_row_group(group, columns=list(_COLUMNS), use_threads=False)
                for group in range(file.num_row_groups)
            )
            signed = [sign_views(group, self._engine) for group in groups]
        yield path.stem, pa.concat_tables([SCHEMAS["signatures"].empty_table(), *signed])


def _text_ids(kind: str, texts: TextBuffer) -> list[str]:
    return [text_id(kind, raw) for raw in texts.raws()]


def _with_rows(signed: SignedTexts, rows: np.ndarray, others: SignedTexts) -> SignedTexts:
    """Return `signed` with the rows without shingle replaced."""
    minhash, num_shingles = signed.minhash.copy(), signed.num_shingles.copy()
    minhash[rows], num_shingles[rows] = others.minhash, others.num_shingles
    lengths = np.diff(signed.bottom_bounds)
    lengths[rows] = np.diff(others.bottom_bounds)
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    is_other = np.zeros(len(lengths), dtype=bool)
    is_other[rows] = True
    bottom = np.empty(bounds[-1], dtype=np.uint32)
    bottom[np.repeat(is_other, lengths)] = others.bottom
    bottom[~np.repeat(is_other, lengths)] = signed.bottom
    return SignedTexts(minhash, num_shingles, bottom, bounds)
