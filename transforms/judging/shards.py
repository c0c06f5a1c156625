"""Bring small results out of a pipeline: rows by key, as sorted JSON lines in a fixed number of files."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import orjson
from apache_beam import PCollection

from transforms.store.files import Store
from transforms.store.keys import sha_hex

Keyed = tuple[str, Any]


@dataclass
class WriteShards(beam.PTransform[PCollection[Keyed], PCollection[str]]):
    """Write keyed rows as JSON lines, sorted by key, the shard chosen by the key's hash.

    Takes `(key, row)` with unique keys and rows that JSON can hold; gives the paths written.

    Args:
        store: Where the shards go.
        prefix: Folder of the shards in the store.
        num_shards: Files at most.
    """

    store: Store
    prefix: str
    num_shards: int = 8

    def expand(self, pcoll: PCollection[Keyed]) -> PCollection[str]:
        return (
            pcoll
            | "ChooseShard" >> beam.Map(self._with_shard)
            | "GroupByShard" >> beam.GroupByKey()
            | "Write" >> beam.MapTuple(self._write)
        )

    def _with_shard(self, keyed: Keyed) -> tuple[int, tuple[str, bytes]]:
        key, row = keyed
        return int(sha_hex(key)[:8], 16) % self.num_shards, (key, orjson.dumps([key, row]))

    def _write(self, shard: int, lines: Iterable[tuple[str, bytes]]) -> str:
        path = f"{self.prefix}/{shard:05d}.jsonl"
        self.store.write_atomic(path, b"".join(line + b"\n" for _, line in sorted(lines)))
        return path


def read_shards(store: Store, prefix: str) -> list[Keyed]:
    """Return all rows written under `prefix` with their keys, sorted by key."""
    lines = [line for path in store.list(prefix) for line in store.read_bytes(path).splitlines()]
    keyed = [orjson.loads(line) for line in lines]
    return sorted(((key, row) for key, row in keyed), key=lambda item: item[0])
