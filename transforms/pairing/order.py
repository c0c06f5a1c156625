"""The order of a dataset's rows: drawn by hash, with the copies of a row spread over the whole dataset."""

from typing import Final

from transforms.store.keys import sha_hex

_NUM_DIGITS: Final = 16
_NUM_KEYS: Final = 16**_NUM_DIGITS


def position_key(seed: int, dataset: str, row_id: str) -> str:
    """Return the row's place in the dataset: 16 hex digits, uniform over their range; rows are sorted by it."""
    return sha_hex(seed, "position", dataset, row_id)[:_NUM_DIGITS]


def copy_positions(key: str, copies: int) -> list[str]:
    """Return one position per copy of the row at `key`, evenly spaced round the dataset.

    A batch then sees a row twice only where the batch is larger than the dataset over `copies`; TRL's KTO rotates the
    completions inside a batch and would pair a row with itself.
    """
    start = int(key, 16)
    return [f"{(start + copy * _NUM_KEYS // copies) % _NUM_KEYS:0{_NUM_DIGITS}x}" for copy in range(copies)]


def shard_of(key: str, num_shards: int) -> int:
    """Return the shard of a position: equal ranges of positions, so that shards in order are rows in order."""
    return int(key, 16) * num_shards // _NUM_KEYS
