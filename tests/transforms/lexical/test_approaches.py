import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.approaches import approach_groups
from transforms.lexical.signatures import FastEngine
from transforms.lexical.text_buffers import buffer_of_texts
from transforms.lexical.word_order import word_orders

RUNS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2)), min_size=1, max_size=8)
SIGNATURES = np.tile(np.array([[1] * 8, [1] * 3 + [2] * 5, [3] * 8, [3] * 2 + [4] * 6], dtype=np.uint32), 16)
"""The second agrees with the first in .375 of the slots, the fourth with the third in .25."""


def groups(rows, actions, *, keeper=None, bounds=None):
    return approach_groups(
        SIGNATURES,
        np.array(rows, dtype=np.int64),
        np.array([0, len(rows)] if bounds is None else bounds, dtype=np.int64),
        keeper=np.array(range(len(rows)) if keeper is None else keeper, dtype=np.int64),
        actions=np.array(actions, dtype=np.int64),
        min_similarity=0.3,
    ).tolist()


def test_similar_bodies_are_one_approach_and_unlike_ones_are_not():
    assert groups([0, 1, 2, 3], [-1, -1, -1, -1]) == [0, 0, 2, 3]


def test_equal_calls_are_one_approach_whatever_the_text():
    assert groups([0, 2, 3, -1], [5, 5, 6, 6]) == [0, 0, 2, 2]


def test_runs_without_text_or_calls_stay_alone():
    assert groups([-1, -1, 0], [-1, -1, -1]) == [0, 1, 2]


def test_a_copy_goes_where_its_keeper_does_and_brings_its_calls():
    assert groups([0, 2, 3], [1, 2, 2], keeper=[0, 0, 2]) == [0, 0, 0]


def test_cells_share_no_approach():
    assert groups([0, 0, 1], [1, 1, 1], bounds=[0, 1, 3]) == [0, 1, 1]


@given(RUNS)
def test_a_group_begins_with_its_best_member_and_equal_calls_share_one(runs):
    rows, actions = zip(*runs, strict=True)
    found = groups(rows, actions)

    assert all(found[first] == first <= place for place, first in enumerate(found))
    for action in set(actions) - {-1}:
        assert len({first for first, other in zip(found, actions, strict=True) if other == action}) == 1


def planted(num_slots, count):
    """Signatures of runs that agree with run 0 in so many slots, each in slots of its own choice."""
    rng = np.random.default_rng(count)
    signatures = rng.integers(0, 2**32, (count, 128), dtype=np.uint32)
    for run in range(1, count):
        shared = rng.permutation(128)[:num_slots]
        signatures[run, shared] = signatures[0, shared]
    return signatures


def found_in(signatures, bounds=None):
    return approach_groups(
        signatures,
        np.arange(len(signatures)),
        np.array([0, len(signatures)] if bounds is None else bounds, dtype=np.int64),
        keeper=np.arange(len(signatures)),
        actions=np.full(len(signatures), -1),
        min_similarity=0.3,
    )


def test_a_run_and_its_noisy_copy_stay_together_where_better_runs_resemble_one_of_them():
    signatures = planted(0, 4)
    signatures[2, :40] = signatures[0, :40]
    signatures[3, 88:] = signatures[1, 88:]
    signatures[3, 40:88] = signatures[2, 40:88]

    # Stars would give run 2 to run 0 and its copy, run 3, to run 1: they share 48 slots, the others 40.
    assert found_in(signatures).tolist() == [0, 1, 2, 2]


def test_no_chain_joins_runs_unlike_the_first_of_their_group():
    signatures = planted(0, 3)
    signatures[1, :60] = signatures[0, :60]
    signatures[2, 60:110] = signatures[1, 60:110]

    assert found_in(signatures).tolist() == [0, 0, 2]


@given(st.integers(0, 2**32 - 1), st.integers(2, 14))
def test_members_are_similar_to_the_first_and_the_most_similar_pair_is_never_parted(seed, count):
    rng = np.random.default_rng(seed)
    signatures = rng.integers(0, 3, (count, 128), dtype=np.uint32)
    equal = (signatures[:, None] == signatures).sum(axis=2)
    found = found_in(signatures)

    assert all(equal[run, first] >= 39 for run, first in enumerate(found.tolist()))
    np.fill_diagonal(equal, 0)
    low, high = np.unravel_index(equal.argmax(), equal.shape)
    assert equal.max() < 39 or found[low] == found[high]


def test_runs_beyond_the_best_thousand_join_what_they_resemble():
    signatures = planted(0, 1100)
    signatures[1050, :60] = signatures[3, :60]
    signatures[1060, :60] = signatures[1050, :60]
    signatures[1090, 64:] = signatures[1080, 64:]
    found = found_in(signatures)

    expected = np.arange(1100)
    expected[[1050, 1060, 1090]] = [3, 3, 1080]
    assert found.tolist() == expected.tolist()


def test_short_texts_that_differ_in_a_few_words_are_one_approach():
    rng = random.Random(2)
    words = [f"w{rng.randrange(500)}" for _ in range(60)]
    noisy = [f"n{place}" if place % 10 == 4 else word for place, word in enumerate(words)]
    shuffled = rng.sample(words, 60)
    texts = buffer_of_texts([" ".join(each) for each in (words, noisy, shuffled)])
    signed = FastEngine().sign(texts)

    def found(orders):
        return approach_groups(
            signed.minhash,
            np.arange(3),
            np.array([0, 3]),
            keeper=np.arange(3),
            actions=np.full(3, -1),
            min_similarity=0.4,
            orders=orders,
        ).tolist()

    assert found(None) == [0, 1, 2]
    assert found(word_orders(texts, signed.num_shingles)) == [0, 0, 2]
