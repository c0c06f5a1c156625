import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.candidates import band_buckets, band_shape, lexical_groups, similar_pairs
from transforms.lexical.signatures import DatasketchEngine, estimated_similarity

WORDS = [f"w{number}" for number in range(40)]
TEXTS = st.lists(st.sets(st.sampled_from(WORDS), min_size=1), min_size=1, max_size=10)


@pytest.mark.parametrize(("similarity", "shape"), [(0.8, (18, 7)), (0.3, (64, 2)), (1.0, (1, 128)), (0.01, (128, 1))])
def test_bands_are_as_wide_as_the_threshold_allows(similarity, shape):
    assert band_shape(similarity) == shape


def test_buckets_hold_texts_that_agree_in_a_whole_band():
    signatures = np.array([[1, 2, 3, 4], [1, 2, 3, 5], [3, 4, 3, 4]], dtype=np.uint32)

    assert band_buckets(signatures, num_bands=2, num_rows=2).tolist() == [[0, 2], [0, -1], [-1, 2]]


def test_copies_join_the_first_in_the_order_and_others_stay():
    near = {f"w{number}" for number in range(100)}
    signatures = DatasketchEngine().sign([near - {"w0", "w1", "w2", "w3", "w4", "w5", "w6"}, {"other"}, near, near])

    stars = lexical_groups(signatures, [3, 2, 1, 0], min_similarity=0.8)

    assert stars.keeper.tolist() == [3, 1, 3, 3]
    assert stars.similarity[2] == 1.0
    assert 0.8 <= stars.similarity[0] < 1.0


def test_no_texts_give_no_groups():
    assert lexical_groups(np.zeros((0, 128), np.uint32), [], min_similarity=0.8).keeper.tolist() == []


@given(TEXTS, st.randoms(use_true_random=False))
def test_groups_are_verified_and_depend_on_no_input_order(texts, random):
    signatures = DatasketchEngine().sign(texts)
    shuffled = list(range(len(texts)))
    random.shuffle(shuffled)

    stars = lexical_groups(signatures, range(len(texts)), min_similarity=0.5)
    moved = lexical_groups(signatures[shuffled], np.argsort(shuffled), min_similarity=0.5)

    assert [shuffled[keeper] for keeper in moved.keeper[np.argsort(shuffled)].tolist()] == stars.keeper.tolist()
    for text, keeper in enumerate(stars.keeper.tolist()):
        estimate = estimated_similarity(signatures[text], signatures[keeper][None])[0]
        assert keeper == text or (keeper < text and estimate == stars.similarity[text] >= 0.5)


@given(TEXTS)
def test_pairs_reach_the_threshold_and_equal_texts_are_always_found(texts):
    signatures = DatasketchEngine().sign(texts)
    pairs = similar_pairs(signatures, min_similarity=0.7)

    assert pairs == sorted(set(pairs))
    assert all(estimated_similarity(signatures[a], signatures[b][None])[0] >= 0.7 for a, b in pairs)
    equal = {(a, b) for b in range(len(texts)) for a in range(b) if texts[a] == texts[b]}
    assert equal <= set(pairs)
