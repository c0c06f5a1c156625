"""Vectors kept by content in the store, so that no text is embedded twice.

A row is found by the hash of its text and by all its vector depends on beside the text. Vectors are kept as float16
and always used as kept: a run that computed a vector and a run that found it go on with the same bits.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.tables import SCHEMAS
from schemas.versions import RENDER_VERSION
from transforms.embedding.contract import EncoderIdentity, Vectors
from transforms.store.files import Store
from transforms.store.keys import short_id
from transforms.store.tables import write_table

_FOLDER = "layers/windows"
_IDENTITY_COLUMNS = {
    "model": "name",
    "model_revision": "revision",
    "precision": "precision",
    "device_class": "device_class",
    "max_tokens": "max_tokens",
}


class KeptVectors(NamedTuple):
    """Vectors [keys, dimensions] in float16 and the ascending keys of their rows."""

    keys: NDArray[np.str_]
    matrix: NDArray[np.float16]

    def rows(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each wanted key.

        Raises:
            KeyError: A key is not there.
        """
        asked = np.asarray(wanted, dtype=np.str_)
        if not len(self.keys) and len(asked):
            raise KeyError(str(asked[0]))
        rows = np.minimum(np.searchsorted(self.keys, asked), max(0, len(self.keys) - 1))
        absent = np.flatnonzero(self.keys[rows] != asked)
        if len(absent):
            raise KeyError(str(asked[absent[0]]))
        return rows


def keep_vectors(store: Store, identity: EncoderIdentity, keys: Sequence[str], *, vectors: Vectors) -> None:
    """Keep vectors [keys, dimensions] under their keys, rounded to float16, in one file named after its keys."""
    if not keys:
        return
    order = np.argsort(np.asarray(keys, dtype=np.str_), kind="stable")
    sorted_keys = [keys[row] for row in order]
    rounded = np.asarray(vectors, dtype=np.float32)[order].astype(np.float16)
    columns = {name: [getattr(identity, field)] * len(keys) for name, field in _IDENTITY_COLUMNS.items()}
    columns |= {"window_hash": sorted_keys, "render_version": [RENDER_VERSION] * len(keys)}
    columns["vector"] = vector_column(rounded)
    schema = SCHEMAS["windows"]
    table = pa.Table.from_arrays([pa.array(columns[field.name], field.type) for field in schema], schema=schema)
    write_table(store, f"{_FOLDER}/{short_id(*identity, RENDER_VERSION, *sorted_keys)}.parquet", table)


def absent_hashes(store: Store, identity: EncoderIdentity, wanted: Collection[str]) -> set[str]:
    """Return those of the wanted hashes whose vectors are not kept."""
    missing = set(wanted)
    for _ in _kept_rows(store, identity, missing):
        continue
    return missing


def find_vectors(store: Store, identity: EncoderIdentity, wanted: Collection[str]) -> KeptVectors:
    """Return those of the wanted vectors that are kept; no vector has no dimension.

    Args:
        store: The store.
        identity: What the vectors must have been made with.
        wanted: Hashes of the texts.
    """
    keys: list[str] = []
    parts: list[NDArray[np.float16]] = []
    for found, rows, group in _kept_rows(store, identity, set(wanted)):
        keys.extend(found)
        parts.append(vector_matrix(group(["vector"])["vector"].take(pa.array(rows))))
    if not keys:
        return KeptVectors(np.empty(0, dtype=np.str_), np.empty((0, 0), dtype=np.float16))
    names = np.asarray(keys, dtype=np.str_)
    order = np.argsort(names)
    return KeptVectors(names[order], np.concatenate(parts)[order])


def _kept_rows(
    store: Store, identity: EncoderIdentity, missing: set[str]
) -> Iterator[tuple[list[str], list[int], Callable[[list[str]], pa.Table]]]:
    """Give, per row group, the missing hashes it has, their rows and its reader; take them out of `missing`."""
    for path in store.list(_FOLDER) if missing else ():
        with store.open_read(path) as file:
            parquet = pq.ParquetFile(file)
            if not _is_of(parquet, identity):
                continue
            for group in range(parquet.num_row_groups):
                hashes = parquet.read_row_group(group, columns=["window_hash"])["window_hash"].to_pylist()
                rows = [row for row, key in enumerate(hashes) if key in missing]
                if rows:
                    found = [hashes[row] for row in rows]
                    missing.difference_update(found)
                    yield found, rows, partial(parquet.read_row_group, group)


def _is_of(parquet: pq.ParquetFile, identity: EncoderIdentity) -> bool:
    """Say whether a file, which is of one identity throughout, is of this one."""
    if not parquet.num_row_groups:
        return False
    names = [*_IDENTITY_COLUMNS, "render_version"]
    first = next(parquet.iter_batches(batch_size=1, columns=names)).to_pylist()[0]
    expected = {name: getattr(identity, field) for name, field in _IDENTITY_COLUMNS.items()}
    return first == expected | {"render_version": RENDER_VERSION}


def vector_column(matrix: NDArray[np.float16]) -> pa.ListArray:
    """Return the rows of a matrix [rows, dimensions] as a list column."""
    offsets = np.arange(matrix.shape[0] + 1, dtype=np.int32) * matrix.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.ascontiguousarray(matrix).reshape(-1)))


def vector_matrix(column: pa.ChunkedArray) -> NDArray[np.float16]:
    """Return a list column of equally long vectors as a matrix [rows, dimensions]."""
    values = pc.list_flatten(column.combine_chunks()).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float16).reshape(len(column), len(values) // max(1, len(column)))


class ViewVectors(NamedTuple):
    """The vectors of one view in a table `embeddings`: trajectory ids, and a row for each, [ids, dimensions]."""

    ids: pa.Array
    matrix: NDArray[np.float16]

    def of(self, *traj_ids: pa.Array | pa.ChunkedArray) -> NDArray[np.float16]:
        """Return the vector of each trajectory, [trajectories, dimensions]; zeros where there is none.

        Args:
            traj_ids: Columns of ids; of a row the first that has a vector counts.
        """
        places = pc.coalesce(*(pc.index_in(column, value_set=self.ids) for column in traj_ids))
        found = pc.is_valid(places).to_numpy(zero_copy_only=False)
        vectors = np.zeros((len(places), max(1, self.matrix.shape[1])), dtype=np.float16)
        if found.any():
            vectors[found] = self.matrix[pc.drop_null(places).to_numpy()]
        return vectors


def view_vectors(embeddings: pa.Table, view: str) -> ViewVectors:
    """Return the vectors of a view, in the order of the table.

    Args:
        embeddings: Columns `traj_id`, `view`, `vector`.
        view: `task`, `body` or `fused`.
    """
    mine = embeddings.filter(pc.equal(embeddings["view"], view))
    return ViewVectors(mine["traj_id"].combine_chunks(), vector_matrix(mine["vector"]))


def mean_vectors(matrix: NDArray[np.float16], groups: Iterable[Sequence[int]]) -> Vectors:
    """Return the L2-normalised mean of each group of rows of a matrix [rows, dimensions]; zeros for an empty group.

    Sums are taken in float64 in the order of the group, so that a mean depends on its own rows alone.
    """
    members = list(groups)
    means = np.zeros((len(members), matrix.shape[1]), dtype=np.float32)
    for row, group in enumerate(members):
        if len(group):
            total = matrix[np.asarray(group, dtype=np.int64)].astype(np.float64).sum(axis=0)
            length = float(np.sqrt((total * total).sum()))
            means[row] = total / length if length else 0
    return means
