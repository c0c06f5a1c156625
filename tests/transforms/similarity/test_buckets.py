import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.similarity import buckets
from transforms.similarity.buckets import content_order, near_pairs, nearest, split_buckets
from transforms.similarity.rescoring import pair_cosines


def vectors_of(seed: int, count: int, *, dimensions: int = 32) -> np.ndarray:
    """Return groups of one to nine near vectors, their cosines from .85 to 1, as float16."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(count, dimensions))[np.repeat(np.arange(count), random.integers(1, 10, count))]
    centres = centres[:count]
    noise = random.normal(size=centres.shape) * random.uniform(0.05, 0.4, size=(count, 1))
    return (centres + noise)[random.permutation(count)].astype(np.float16)


def all_pairs(vectors: np.ndarray, min_similarity: float) -> dict[tuple[int, int], float]:
    later, earlier = np.tril_indices(len(vectors), -1)
    cosines = pair_cosines(vectors, later, earlier)
    near = cosines >= min_similarity
    return dict(
        zip(zip(later[near].tolist(), earlier[near].tolist(), strict=True), cosines[near].tolist(), strict=True)
    )


def as_dict(pairs: buckets.Pairs) -> dict[tuple[int, int], float]:
    keys = zip(pairs.later.tolist(), pairs.earlier.tolist(), strict=True)
    return dict(zip(keys, pairs.cosine.tolist(), strict=True))


def test_nearly_all_pairs_are_found_and_each_is_verified():
    vectors = vectors_of(0, 3000)
    expected = all_pairs(vectors, 0.93)
    found = as_dict(near_pairs(vectors, np.arange(3000), min_similarity=0.93, seed=0))
    assert found.items() <= expected.items()
    assert len(expected) > 2000
    assert len(found) >= 0.985 * len(expected)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_sets_of_one_bucket_are_compared_whole(seed: int, count: int):
    vectors = vectors_of(seed, count) if count else np.zeros((0, 32), dtype=np.float16)
    found = near_pairs(vectors, np.arange(count), min_similarity=0.9, seed=0)
    assert as_dict(found) == all_pairs(vectors, 0.9)


@pytest.mark.parametrize("seed", [0, 7])
def test_pairs_do_not_depend_on_the_order_of_rows(seed: int):
    vectors = vectors_of(1, 2000)
    order = np.random.default_rng(2).permutation(2000)
    one = near_pairs(vectors, np.arange(2000), min_similarity=0.93, seed=seed)
    other = near_pairs(vectors[order], np.arange(2000), min_similarity=0.93, seed=seed)
    renamed = {tuple(sorted((order[a], order[b]), reverse=True)): c for (a, b), c in as_dict(other).items()}
    assert renamed == as_dict(one)


def test_zero_and_not_finite_rows_are_in_no_pair():
    vectors = np.array([[0, 0], [np.nan, 1], [np.inf, 1], [1, 0], [1, 0], [0, 0]], dtype=np.float32)
    assert as_dict(near_pairs(vectors, np.arange(6), min_similarity=0.5, seed=0)) == {(4, 3): 1}


def test_a_base_is_only_looked_up_in():
    vectors = vectors_of(3, 900)
    vectors[600:700] = vectors[:100]
    found = near_pairs(vectors, np.arange(900), min_similarity=0.93, seed=0, num_base=600)
    assert (found.later >= 600).all()
    assert (found.earlier < 600).all()
    assert {(600 + n, n) for n in range(100)} <= as_dict(found).keys()


def test_a_limit_keeps_the_earliest_pairs_of_each_row():
    vectors = np.ones((50, 4), dtype=np.float32)
    found = near_pairs(vectors, np.arange(50), min_similarity=0.9, seed=0, limit=2)
    assert sorted(as_dict(found)) == [(1, 0)] + [(row, n) for row in range(2, 50) for n in (0, 1)]


def test_large_buckets_are_split_again_and_rows_come_twice_or_more():
    vectors = vectors_of(4, 3000)
    found = list(split_buckets(vectors, np.arange(3000), np.arange(3000), max_rows=450))
    assert max(len(bucket) for bucket in found) <= 450
    assert np.bincount(np.concatenate(found), minlength=3000).min() >= 2
    assert all((np.diff(bucket) > 0).all() for bucket in found)


def test_a_bucket_of_equal_vectors_is_not_split_for_ever():
    vectors = np.ones((1000, 4), dtype=np.float32)
    found = list(split_buckets(vectors, np.arange(1000), np.arange(1000), max_rows=100))
    assert [len(bucket) for bucket in found] == [1000] * 2


def test_equal_vectors_are_twins_of_the_first():
    vectors = np.array([[1, 2], [3, 4], [1, 2], [np.nan, 0], [np.nan, 0]], dtype=np.float32)
    order = content_order(vectors, np.arange(5), seed=0)
    assert order.twin.tolist() == [0, 1, 0, 3, 4]
    assert sorted(order.drawn.tolist()) == [0, 1, 2]
    assert content_order(vectors[:0], np.arange(0), seed=0).drawn.tolist() == []


def test_the_draw_depends_on_the_seed():
    vectors = vectors_of(5, 100)
    one, other = (content_order(vectors, np.arange(100), seed=seed).drawn.tolist() for seed in (0, 1))
    assert one != other
    assert sorted(one) == sorted(other)


def test_nearest_gives_the_nearest_of_all_rows():
    vectors = vectors_of(6, 500)
    vectors[17] = vectors[3]
    vectors[20] = np.nan
    rows, cosines = nearest(vectors, 3, count=8)
    everyone = pair_cosines(vectors, np.full(500, 3), np.arange(500))
    expected = sorted((row for row in range(500) if row not in (3, 20)), key=lambda row: (-everyone[row], row))[:8]
    assert rows.tolist() == expected
    assert rows[0] == 17
    assert cosines.tolist() == everyone[expected].tolist()


@pytest.mark.parametrize(("count", "query"), [(1, 0), (3, 2)])
def test_nearest_of_what_has_no_neighbour_is_nothing(count: int, query: int):
    vectors = np.eye(4, dtype=np.float32)[:count]
    vectors[query] *= count == 1
    assert nearest(vectors, query, count=5)[0].tolist() == []
