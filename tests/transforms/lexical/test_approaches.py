import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.approaches import approach_groups

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
