import numpy as np
import pytest

from transforms.lexical.bands import band_buckets, band_shape, least_matches, sub_buckets


@pytest.mark.parametrize(("similarity", "shape"), [(0.8, (18, 7)), (0.3, (64, 2)), (1.0, (1, 128)), (0.01, (128, 1))])
def test_bands_are_as_wide_as_the_threshold_allows(similarity, shape):
    assert band_shape(similarity) == shape


@pytest.mark.parametrize(("similarity", "matches"), [(0.0, 0), (0.5, 64), (0.501, 65), (0.8, 103), (1.0, 128)])
def test_matches_are_the_fewest_that_reach_the_threshold(similarity, matches):
    assert least_matches(similarity) == matches


def test_buckets_hold_texts_that_agree_in_a_whole_band():
    signatures = np.array([[9, 9, 9, 9], [1, 2, 3, 4], [1, 2, 3, 5], [3, 4, 3, 4]], dtype=np.uint32)
    buckets = band_buckets(signatures, np.array([1, 2, 3]), num_bands=2, num_rows=2)

    assert buckets.of.tolist() == [[0, 1], [0, -1], [-1, 1]]
    assert buckets.sizes.tolist() == [2, 2]


def test_a_hot_bucket_splits_by_three_slots_more():
    signatures = np.zeros((6, 8), dtype=np.uint32)
    signatures[:, 1] = [1, 1, 1, 1, 5, 5]
    signatures[:4, 3] = [7, 7, 8, 9]
    rows = np.arange(6)
    buckets = band_buckets(signatures, rows, num_bands=1, num_rows=2)

    split = sub_buckets(signatures, rows, buckets, num_rows=2, max_size=2)

    assert split.of[:, 0].tolist() == [0, 0, -1, -1, -1, -1]
    assert split.sizes.tolist() == [2]
    assert sub_buckets(signatures, rows, buckets, num_rows=2, max_size=4) is None


def test_no_texts_have_no_buckets():
    empty = np.zeros(0, dtype=np.int64)
    assert band_buckets(np.zeros((0, 128), np.uint32), empty, num_bands=18, num_rows=7).of.shape == (0, 18)
