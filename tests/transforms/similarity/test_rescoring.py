import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.similarity.rescoring import CANDIDATE_MARGIN, pair_cosines, unit_rows, usable_rows


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def test_cosines_ignore_length():
    vectors = np.array([[1, 0], [5, 0], [1, 1], [-2, 0]], dtype=np.float16)
    cosines = pair_cosines(vectors, rows(0, 0, 0), rows(1, 2, 3))
    assert cosines.tolist() == [1, pytest.approx(np.sqrt(0.5)), -1]


def test_equal_vectors_have_cosine_one_exactly():
    vectors = np.random.default_rng(0).normal(size=(50, 77)).astype(np.float16)
    doubled = np.vstack([vectors, vectors])
    assert (pair_cosines(doubled, np.arange(50), np.arange(50, 100)) == 1).all()


def test_zero_and_not_finite_vectors_are_like_nothing():
    vectors = np.array([[1, 0], [0, 0], [np.nan, 1], [np.inf, 1]], dtype=np.float32)
    assert pair_cosines(vectors, rows(0, 0, 0, 1, 2), rows(1, 2, 3, 1, 2)).tolist() == [0, 0, 0, 0, 0]
    assert usable_rows(vectors).tolist() == [True, False, False, False]
    assert unit_rows(vectors).tolist() == [[1, 0], [0, 0], [0, 0], [0, 0]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 70))
def test_a_cosine_depends_on_its_pair_alone(seed: int, dimensions: int, pairs: int):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(40, dimensions)).astype(np.float16)
    left, right = random.integers(0, 40, size=(2, pairs))
    together = pair_cosines(vectors, left, right)
    alone = [pair_cosines(vectors, left[nth : nth + 1], right[nth : nth + 1])[0] for nth in range(pairs)]
    assert together.tolist() == alone
    assert pair_cosines(vectors, right, left).tolist() == alone
    assert (np.abs(together) <= 1).all()
    fast = (unit_rows(vectors) @ unit_rows(vectors).T)[left, right]
    assert np.abs(fast - together).max() < CANDIDATE_MARGIN / 10
