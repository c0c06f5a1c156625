from hypothesis import given
from hypothesis import strategies as st

from transforms.embedding.batches import Batch, length_buckets, plan_batches


def test_buckets_are_powers_of_two_and_the_limit():
    assert length_buckets(128) == (32, 64, 128)
    assert length_buckets(100) == (32, 64, 100)
    assert length_buckets(16) == (16,)


def test_texts_go_to_the_shortest_bucket_that_holds_them():
    batches = plan_batches([10, 200, 33, 32, 64, 5], batch_size=2, buckets=(32, 64, 128))
    assert batches == [Batch(32, (0, 3)), Batch(32, (5,)), Batch(64, (2, 4)), Batch(128, (1,))]


@given(st.lists(st.integers(0, 300), max_size=50), st.integers(1, 8))
def test_every_row_stands_in_one_batch(lengths: list[int], batch_size: int):
    batches = plan_batches(lengths, batch_size=batch_size, buckets=(32, 64, 128))
    assert sorted(row for batch in batches for row in batch.rows) == list(range(len(lengths)))
    assert all(1 <= len(batch.rows) <= batch_size for batch in batches)
