"""Encoding: the texts of a file become vectors kept in the store; for a model they are cut into windows first.

Texts stay in files: what travels between workers are file names and hashes.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.metrics import Metrics
from apache_beam.pvalue import PCollection

from transforms.embedding.cache import KeptVectors, keep_vectors, mean_vectors
from transforms.embedding.choice import EncoderChoice
from transforms.embedding.contract import Encoder, Vectors, is_blank
from transforms.embedding.events import EventFile
from transforms.embedding.sharing import shared_encoder
from transforms.store.files import Store
from transforms.store.keys import short_id
from transforms.store.progress import ProgressFile
from transforms.store.tables import parquet_writer
from transforms.views.windows import window_hash, windows_of

WINDOW_SCHEMA = pa.schema(
    [
        pa.field("text_hash", pa.string(), nullable=False),
        pa.field("window_hash", pa.string(), nullable=False),
        pa.field("window", pa.string(), nullable=False),
    ]
)
"""One row per window of a text, in order."""

_READ_ROWS = 256

_ENCODED_AT_ONCE = 512
"""Texts per call of the encoder: the empty rows that fill its last batches are few, and progress is seen."""

_CHUNK_TEXTS = 8192
"""Vectors written together: 12 MB of float32 at 384 dimensions, so that memory does not grow with a file's texts."""

_CHUNK_CHARACTERS = 1 << 24
"""Characters of text encoded in one call at most, one text excepted."""


class TextFile(NamedTuple):
    """Texts wanted from a Parquet file.

    Attributes:
        name: Unique among the files of a run.
        path: The file.
        id_column: Column that tells texts apart.
        text_columns: Columns of text, of which the first that is not blank counts.
        wanted: Value of `id_column` → hash under which the text is wanted.
    """

    name: str
    path: Path
    id_column: str
    text_columns: tuple[str, ...]
    wanted: Mapping[str, str]


def wanted_texts(file: TextFile) -> Iterator[list[tuple[str, str]]]:
    """Give (hash, text) of the file's wanted texts, each hash once, some hundred at a time."""
    seen: set[str] = set()
    with pq.ParquetFile(file.path) as parquet:
        for batch in parquet.iter_batches(_READ_ROWS, columns=[file.id_column, *file.text_columns]):
            found = []
            for identifier, *texts in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                text_hash = file.wanted.get(identifier)
                if text_hash is not None and text_hash not in seen:
                    seen.add(text_hash)
                    found.append((text_hash, next((text for text in texts if not is_blank(text)), "")))
            if found:
                yield found


def share_out(
    paths: Sequence[Path], wanted: Mapping[str, str], *, id_column: str
) -> list[tuple[Path, dict[str, str]]]:
    """Share wanted texts out to the files that hold them, each hash to the first file in the order of `paths`.

    Args:
        paths: Parquet files.
        wanted: Value of `id_column` → hash under which the text is wanted.
        id_column: Column that tells texts apart.

    Returns:
        Files with something to do, and what is wanted of each.
    """
    shares = []
    taken: set[str] = set()
    for path in paths:
        mine: dict[str, str] = {}
        for identifier in pq.read_table(path, columns=[id_column])[id_column].to_pylist():
            text_hash = wanted.get(identifier)
            if text_hash is not None and text_hash not in taken:
                taken.add(text_hash)
                mine[identifier] = text_hash
        if mine:
            shares.append((path, mine))
    return shares


def pooled_hash(text_hash: str, choice: EncoderChoice, *, max_windows: int) -> str:
    """Return the hash under which a text's vector is kept: its own, or one that also names how it was cut."""
    if not choice.takes_windows:
        return text_hash
    return short_id("mean of all windows", text_hash, choice.max_tokens, max_windows)


def pooled_vectors(text_hashes: Collection[str], windows: pa.Table, *, kept: KeptVectors) -> tuple[list[str], Vectors]:
    """Return the hashes of the texts, ascending, and the mean vector of each one's windows; zeros for a text of none.

    A text of which one window has no usable vector has none either: the mean of the others is that of another text.

    Args:
        text_hashes: The texts.
        windows: Columns `text_hash`, `window_hash`; the windows of a text in order.
        kept: The windows' vectors.
    """
    names = sorted(set(text_hashes))
    rows = kept.rows(windows["window_hash"].to_pylist()).tolist()
    rows_of: dict[str, list[int]] = {name: [] for name in names}
    for text_hash, row in zip(windows["text_hash"].to_pylist(), rows, strict=True):
        rows_of[text_hash].append(row)
    usable = np.logical_and(np.isfinite(kept.matrix).all(axis=1), np.any(kept.matrix, axis=1))
    whole = [rows_of[name] if usable[rows_of[name]].all() else [] for name in names]
    return names, mean_vectors(kept.matrix, whole)


@dataclass
class CutTexts(beam.PTransform[PCollection[TextFile], PCollection[Path]]):
    """Cut the wanted texts of each file into windows.

    Takes files of texts, gives files of `WINDOW_SCHEMA`. A text without a token has no window.

    Args:
        choice: The encoder whose tokens are counted.
        max_windows: Windows per text at most.
        folder: Where the files go.
        events: Where loading a model is told.
    """

    choice: EncoderChoice
    max_windows: int
    folder: Path
    events: EventFile | None = None

    def expand(self, files: PCollection[TextFile]) -> PCollection[Path]:
        cut = _CutFile(self.choice, self.max_windows, folder=self.folder, events=self.events)
        return files | "CutFile" >> beam.ParDo(cut)


class _CutFile(beam.DoFn):
    def __init__(self, choice: EncoderChoice, max_windows: int, *, folder: Path, events: EventFile | None) -> None:
        self._choice = choice
        self._max_windows = max_windows
        self._folder = folder
        self._events = events

    def setup(self) -> None:
        self._encoder = shared_encoder(self._choice, self._events)

    def process(self, file: TextFile) -> Iterator[Path]:
        store = Store(str(self._folder))
        name = f"{file.name}.parquet"
        with store.writer(name) as target, parquet_writer(target, WINDOW_SCHEMA) as writer:
            for texts in wanted_texts(file):
                rows = [
                    (text_hash, window_hash(window), window)
                    for text_hash, text in texts
                    for window in self._windows(text)
                ]
                columns = list(zip(*rows, strict=True)) or [(), (), ()]
                arrays = [pa.array(column, pa.string()) for column in columns]
                writer.write_table(pa.Table.from_arrays(arrays, schema=WINDOW_SCHEMA))
        yield self._folder / name

    def _windows(self, text: str) -> list[str]:
        return windows_of(
            text,
            self._encoder.token_spans,
            window_tokens=self._encoder.window_tokens,
            max_windows=self._max_windows,
        )


@dataclass
class EncodeTexts(beam.PTransform[PCollection[TextFile], PCollection[tuple[str, int]]]):
    """Encode the wanted texts of each file and keep the vectors in the store.

    Takes files of texts, gives (file's name, number of vectors kept).

    Args:
        choice: The encoder.
        store: Where vectors are kept.
        progress: Where encoded texts are counted as they come.
        events: Where is told what happened beside.
    """

    choice: EncoderChoice
    store: Store
    progress: ProgressFile | None = None
    events: EventFile | None = None

    def expand(self, files: PCollection[TextFile]) -> PCollection[tuple[str, int]]:
        encode = _EncodeFile(self.choice, self.store, progress=self.progress, events=self.events)
        return files | "EncodeFile" >> beam.ParDo(encode)


class _EncodeFile(beam.DoFn):
    def __init__(
        self, choice: EncoderChoice, store: Store, *, progress: ProgressFile | None, events: EventFile | None
    ) -> None:
        self._choice = choice
        self._store = store
        self._progress = progress
        self._events = events

    def setup(self) -> None:
        self._encoder: Encoder = shared_encoder(self._choice, self._events)

    def process(self, file: TextFile) -> Iterator[tuple[str, int]]:
        hashes: list[str] = []
        parts: list[Vectors] = []
        num_kept = 0
        for texts in encoded_together(wanted_texts(file)):
            hashes.extend(text_hash for text_hash, _ in texts)
            parts.append(self._encode(texts))
            if len(hashes) >= _CHUNK_TEXTS:
                num_kept += self._keep(hashes, parts)
                hashes, parts = [], []
        num_kept += self._keep(hashes, parts)
        Metrics.counter("embed", "encoded").inc(num_kept)
        yield file.name, num_kept

    def _encode(self, texts: Sequence[tuple[str, str]]) -> Vectors:
        size = self._encoder.batch_size
        vectors = self._encoder.encode([text for _, text in texts])
        if self._progress is not None:
            self._progress.tick(len(texts))
        if self._events is not None and self._encoder.batch_size < size:
            self._events.halved(self._encoder.batch_size)
        return vectors

    def _keep(self, hashes: list[str], parts: list[Vectors]) -> int:
        if hashes:
            keep_vectors(self._store, self._encoder.identity, hashes, vectors=np.concatenate(parts))
        return len(hashes)


def encoded_together(found: Iterable[list[tuple[str, str]]]) -> Iterator[list[tuple[str, str]]]:
    """Give (hash, text) again in lists of as many as one call of an encoder takes, by number and by size."""
    together: list[tuple[str, str]] = []
    size = 0
    for text_hash, text in itertools.chain.from_iterable(found):
        if together and (len(together) == _ENCODED_AT_ONCE or size + len(text) > _CHUNK_CHARACTERS):
            yield together
            together, size = [], 0
        together.append((text_hash, text))
        size += len(text)
    if together:
        yield together
