"""Which row stands where: copies, order, shards and row numbers, all from slim columns."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import polars as pl
import pyarrow as pa

from transforms.pairing.order import copy_positions, position_key, shard_of
from transforms.store.keys import short_id
from transforms.targets.card import file_pattern
from transforms.targets.contract import Target

BYTES_PER_TOKEN: Final = 4
"""Estimate by which shards are sized before any text is read."""

_ORDER: Final = ("split", "position_key", "id", "copy_index")


class Bucket(NamedTuple):
    """The planned rows of one shard of a split, in their order; `name` is `<dataset>-<split>-<shard>`."""

    dataset: str
    split: str
    name: str
    rows: pl.DataFrame


def with_row_ids(uses: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Return the table `uses` in which every used row has a row id and a position, drawn where they are null."""
    ids, keys = [], []
    names = ("dataset", "traj_id", "task_key", "used", "row_id", "position_key")
    for dataset, traj_id, task_key, is_used, row_id, key in uses.select(names).iter_rows():
        own_id = row_id or (short_id(dataset, traj_id or task_key) if is_used else None)
        ids.append(own_id)
        keys.append(key or (None if own_id is None else position_key(seed, dataset, own_id)))
    return uses.with_columns(pl.Series("row_id", ids, pl.String), pl.Series("position_key", keys, pl.String))


def spread_copies(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row per copy, each at its own position, with its `copy_index`."""
    copies = rows["copies"].to_list()
    positions = [
        position
        for key, count in zip(rows["position_key"].to_list(), copies, strict=True)
        for position in copy_positions(key, count)
    ]
    places = [place for place, count in enumerate(copies) for _ in range(count)]
    return rows[places].with_columns(
        pl.Series("position_key", positions, pl.String),
        pl.Series("copy_index", [index for count in copies for index in range(count)], pl.Int32),
    )


def plan_shards(target: Target, rows: pl.DataFrame, *, shard_bytes: int) -> pl.DataFrame:
    """Return the rows with the column `bucket`.

    A split has as many shards as its estimated bytes need. Shards are equal ranges of positions, so that rows in the
    order of the shards are rows in the order of their positions.

    Args:
        target: The dataset.
        rows: Its rows, copies spread, with `split`, `position_key` and `tokens`.
        shard_bytes: Size of a shard.
    """
    totals = dict(rows.group_by("split").agg(pl.col("tokens").sum()).iter_rows())
    num_shards = {split: max(1, -(-tokens * BYTES_PER_TOKEN // shard_bytes)) for split, tokens in totals.items()}
    buckets = [
        f"{target.name}-{split}-{shard_of(key, num_shards[split]):05d}"
        for split, key in zip(rows["split"].to_list(), rows["position_key"].to_list(), strict=True)
    ]
    return rows.with_columns(pl.Series("bucket", buckets, pl.String))


def number_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in their final order with `index`, their number inside their split."""
    ordered = rows.sort(*_ORDER)
    return ordered.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over("split").alias("index"))


def buckets_of(target: Target, rows: pl.DataFrame) -> Iterator[Bucket]:
    """Yield the buckets that hold rows, in order."""
    for (name,), members in rows.group_by("bucket", maintain_order=True):
        yield Bucket(target.name, str(members["split"][0]), str(name), members)


def plan_table(target: Target, rows: pl.DataFrame) -> pa.Table:
    """Return the planned rows of a bucket in the target's plan schema."""
    arrow = rows.to_arrow()
    columns = [arrow[field.name].cast(field.type) for field in target.plan_schema]
    return pa.Table.from_arrays(columns, schema=target.plan_schema)


def file_names(buckets: list[Bucket], *, edition: str) -> list[str]:
    """Return the name of each bucket's file below the export folder, numbered over the buckets that hold rows.

    Args:
        buckets: The buckets.
        edition: What tells these datasets from those of every other snapshot, see `card.file_pattern`.
    """
    totals: dict[tuple[str, str], int] = {}
    for bucket in buckets:
        totals[bucket.dataset, bucket.split] = totals.get((bucket.dataset, bucket.split), 0) + 1
    seen: dict[tuple[str, str], int] = {}
    names = []
    for bucket in buckets:
        key = (bucket.dataset, bucket.split)
        number = seen.get(key, 0)
        seen[key] = number + 1
        place = f"{number:05d}-of-{totals[key]:05d}"
        names.append(file_pattern(bucket.dataset, bucket.split, edition=edition).replace("*", place))
    return names
