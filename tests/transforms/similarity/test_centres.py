import numpy as np
import pytest

from transforms.similarity.centres import LENGTH, fit_centres, nearest_centres, whole_rows


def test_rows_are_whole_numbers_of_one_length_and_unusable_ones_zeros():
    vectors = np.array([[3, 4], [0, 0], [np.nan, 1], [1e30, 1e30]], dtype=np.float32)
    whole = whole_rows(vectors)
    assert whole.tolist() == [[0.6 * LENGTH, 0.8 * LENGTH], [0, 0], [0, 0], [2828, 2828]]


@pytest.mark.parametrize("dimensions", [16, 8192])
def test_products_are_exact_in_any_order(dimensions: int):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, dimensions))
    vectors[0] = 1
    whole = whole_rows(vectors)
    exact = whole.astype(np.int64) @ whole.astype(np.int64).T
    assert np.abs(exact).max() < 2**24
    assert np.array_equal(whole @ whole.T, exact)
    mixed = random.permutation(dimensions)
    assert np.array_equal(whole[:, mixed] @ whole[:, mixed].T, exact)


def test_centres_find_planted_groups():
    random = np.random.default_rng(1)
    groups = random.integers(0, 3, 200)
    vectors = np.eye(8)[groups] + random.normal(size=(200, 8)) * 0.05
    first = [int(np.flatnonzero(groups == group)[0]) for group in range(3)]
    rows = whole_rows(vectors[[*first, *range(200)]])
    centres = fit_centres(rows, 3)
    assert nearest_centres(rows[3:], centres, count=1)[:, 0].tolist() == groups.tolist()


def test_equally_near_centres_come_in_their_order():
    centres = whole_rows(np.eye(3))
    assert nearest_centres(whole_rows(np.array([[1.0, 1, 0], [0, 1, 1]])), centres, count=2).tolist() == [
        [0, 1],
        [1, 2],
    ]


def test_a_centre_without_members_stays():
    rows = whole_rows(np.array([[1.0, 0], [1, 0], [1, 0]]))
    assert fit_centres(rows, 2).tolist() == [[LENGTH, 0], [LENGTH, 0]]
