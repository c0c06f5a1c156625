"""Rows, Arrow tables and Parquet files: one way of writing, so that equal rows give equal bytes."""

from collections.abc import Collection, Mapping, Sequence
from typing import IO, Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import StoreError
from transforms.store.files import Store

_COMPRESSION_LEVEL = 3
_FILLED = frozenset({type(None), str, bool})


def rows_to_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return the rows as a table of the closed schema; an absent column is null.

    Raises:
        StoreError: A row has a column the schema does not know, or lacks a value that is due.
    """
    _refuse_unknown(set().union(*rows), schema)
    # The schema's names are taken once: each look at a field's name makes a new text.
    columns = [
        pa.array([row.get(name) for row in rows], kind) for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    return _checked(pa.Table.from_arrays(columns, schema=schema))


def columns_to_table(columns: Mapping[str, Any], num_rows: int, schema: pa.Schema) -> pa.Table:
    """Return columns of values, or arrays, as a table of the closed schema; an absent column is null.

    Raises:
        StoreError: A column lacks a value that is due, or the schema does not know it.
    """
    _refuse_unknown(columns.keys(), schema)
    arrays = [_array(columns.get(name), num_rows, kind) for name, kind in zip(schema.names, schema.types, strict=True)]
    return _checked(pa.Table.from_arrays(arrays, schema=schema))


def _array(values: Any, num_rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column of values, or of nothing, as an array.

    Most columns of a wide table hold one value throughout, mostly null; they are filled instead of converted. Numbers
    with a fraction are not: equal ones may differ in the sign of a zero.
    """
    if isinstance(values, list | tuple) and values:
        first = values[0]
        if type(first) in _FILLED and first is values[-1] and values.count(first) == len(values):
            return pa.nulls(num_rows, kind) if first is None else pa.repeat(pa.scalar(first, kind), num_rows)
    return pa.nulls(num_rows, kind) if values is None else pa.array(values, kind)


def _refuse_unknown(names: Collection[str], schema: pa.Schema) -> None:
    if unknown := set(names) - set(schema.names):
        raise StoreError(f"{_table_name(schema)} has no column {sorted(unknown)[0]!r}")


def column_values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values as `to_pylist` does; texts and flags ten times faster."""
    if column.null_count == len(column):
        return [None] * len(column)
    is_object = pa.types.is_string(column.type) or pa.types.is_boolean(column.type)
    if is_object or (pa.types.is_integer(column.type) and not column.null_count):
        return cast("list[Any]", column.to_numpy(zero_copy_only=False).tolist())
    return cast("list[Any]", column.to_pylist())


def rows_of(table: pa.Table, key: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Return the rows of `table` whose `key`, unique there, is each of `values`, in their order; nulls for none."""
    return table.take(pc.index_in(values, value_set=table[key].combine_chunks()))


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return `table` with exactly the columns, order and types of `schema`.

    Raises:
        StoreError: A column is missing or unknown, cannot be cast, or lacks a value that is due.
    """
    if set(table.column_names) != set(schema.names):
        difference = sorted(set(table.column_names) ^ set(schema.names))
        raise StoreError(f"{_table_name(schema)}: columns {difference} are missing or unknown")
    try:
        columns = [table[field.name].cast(field.type) for field in schema]
    except pa.ArrowInvalid as error:
        raise StoreError(f"{_table_name(schema)}: {error}") from error
    return _checked(pa.Table.from_arrays(columns, schema=schema))


def _checked(table: pa.Table) -> pa.Table:
    for field in table.schema:
        if not field.nullable and table[field.name].null_count:
            raise StoreError(f"{_table_name(table.schema)}: column {field.name!r} lacks a value that is due")
    return table


def _table_name(schema: pa.Schema) -> str:
    return (schema.metadata or {}).get(b"trajsift.table", b"table").decode()


def parquet_writer(file: IO[bytes], schema: pa.Schema, *, unlike: Collection[str] = ()) -> pq.ParquetWriter:
    """Return a Parquet writer with the project's settings: zstd 3, statistics, no place or time in the file.

    Signatures and vectors, lists of numbers of which none comes twice, are written without a dictionary, in half the
    time.

    Args:
        file: Where to write.
        schema: The table's schema.
        unlike: Columns whose values hardly repeat: a dictionary is filled in vain, and bounds let no reader skip any.
    """
    flat = [field.name for field in schema if not pa.types.is_nested(field.type) and field.name not in unlike]
    has_numbers = any(_is_list_of_numbers(field.type) for field in schema)
    return pq.ParquetWriter(
        file,
        schema,
        compression="zstd",
        compression_level=_COMPRESSION_LEVEL,
        use_dictionary=flat if has_numbers or unlike else True,
        write_statistics=flat if unlike else True,
    )


def work_writer(file: IO[bytes], schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer of files that are read once or twice and live as long as a run.

    LZ4 takes a third of the time of the tables' compression to write and to read, for twice the size.
    """
    return pq.ParquetWriter(file, schema, compression="lz4", use_dictionary=False, write_statistics=False)


def _is_list_of_numbers(kind: pa.DataType) -> bool:
    is_list = pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)
    return is_list and (pa.types.is_integer(kind.value_type) or pa.types.is_floating(kind.value_type))


def write_table(store: Store, path: str, table: pa.Table, *, row_group_rows: int = 100_000) -> None:
    """Write a table as one Parquet file of the store."""
    with store.writer(path) as file, parquet_writer(file, table.schema) as writer:
        writer.write_table(table, row_group_size=row_group_rows)


def read_table(store: Store, path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file of the store, whole or some columns of it."""
    with store.open_read(path) as file:
        return pq.ParquetFile(file).read(columns=None if columns is None else list(columns))
