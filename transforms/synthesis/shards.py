"""The files of the sample lake, open side by side and filled in turn, so that memory does not grow with the lake."""

from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from transforms.synthesis.chat_records import CHAT_SCHEMA, Record

_BUFFER_CHARS: Final = 32_000_000
"""Characters of chat rows held before row groups are written, over all Parquet files together."""


class Place(NamedTuple):
    """Where a record stands: path relative to the lake, and its number in the file, from 0."""

    uri: str
    record: int


class _Shard(Protocol):
    def add(self, record: Record, encoded: bytes) -> None: ...

    def close(self) -> None: ...


class _LineShard:
    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def add(self, record: Record, encoded: bytes) -> None:
        self._file.write(encoded)
        self._file.write(b"\n")

    def close(self) -> None:
        self._file.close()


class _ParquetShard:
    def __init__(self, path: Path, *, max_chars: int) -> None:
        self._writer = pq.ParquetWriter(path, CHAT_SCHEMA, compression="zstd", compression_level=1)
        self._rows: list[Record] = []
        self._num_chars = 0
        self._max_chars = max_chars

    def add(self, record: Record, encoded: bytes) -> None:
        self._rows.append(record | {"tools": orjson.dumps(record["tools"]).decode()})
        self._num_chars += len(encoded)
        if self._num_chars >= self._max_chars:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=CHAT_SCHEMA))
        self._rows = []
        self._num_chars = 0


class ChatShards:
    """A folder of chat files that take records in turn.

    Args:
        lake: The lake's folder.
        folder: Name of the folder under it, made if need be.
        suffix: `.jsonl` or `.parquet`.
        num_files: Number of files; each gets about as many records.
    """

    def __init__(self, lake: Path, folder: str, *, suffix: str, num_files: int) -> None:
        (lake / folder).mkdir(parents=True, exist_ok=True)
        self._uris = [f"{folder}/part-{number:04d}{suffix}" for number in range(num_files)]
        self._shards: list[_Shard] = [_open_shard(lake / uri, num_files=num_files) for uri in self._uris]
        self._counts = [0] * num_files
        self._turn = 0

    def add(self, record: Record) -> Place:
        """Write a record into the file whose turn it is."""
        at = self._turn % len(self._shards)
        self._turn += 1
        self._shards[at].add(record, orjson.dumps(record))
        self._counts[at] += 1
        return Place(self._uris[at], self._counts[at] - 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for shard in self._shards:
            shard.close()


def _open_shard(path: Path, *, num_files: int) -> _Shard:
    if path.suffix == ".parquet":
        return _ParquetShard(path, max_chars=_BUFFER_CHARS // num_files)
    return _LineShard(path)
