from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from transforms.pairing.order import copy_positions, position_key, shard_of

keys = st.integers(0, 16**16 - 1).map(lambda number: f"{number:016x}")


def test_position_key_depends_on_seed_dataset_and_row() -> None:
    found = {
        position_key(0, "dpo", "a"),
        position_key(1, "dpo", "a"),
        position_key(0, "kto", "a"),
        position_key(0, "dpo", "b"),
    }
    assert len(found) == 4
    assert all(len(key) == 16 for key in found)


def test_copies_lie_evenly_round_the_dataset() -> None:
    assert copy_positions("c000000000000000", 4) == [
        "c000000000000000",
        "0000000000000000",
        "4000000000000000",
        "8000000000000000",
    ]


@given(keys, st.integers(1, 50))
def test_copies_are_as_many_as_asked_and_apart(key: str, copies: int) -> None:
    positions = sorted(int(position, 16) for position in copy_positions(key, copies))
    gaps = [after - before for before, after in pairwise(positions)]
    assert len(set(positions)) == copies
    assert all(gap >= 16**16 // copies for gap in gaps)


@given(keys, keys, st.integers(1, 1000))
def test_shards_in_order_are_rows_in_order(one: str, other: str, num_shards: int) -> None:
    first, second = sorted([one, other])
    assert 0 <= shard_of(first, num_shards) <= shard_of(second, num_shards) < num_shards
