from itertools import pairwise

import re2
from hypothesis import given
from hypothesis import strategies as st

from transforms.redaction.one_pass import byte_options
from transforms.redaction.stretches import spans_of, stretches_around

SIZE = 60
PLACES = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 5)).map(lambda one: (one[0], one[0] + one[1])))


@given(PLACES.map(sorted), st.integers(0, 9), st.integers(0, 9))
def test_stretches_hold_each_place_with_its_reach_and_lie_apart(places, before, behind):
    stretches = list(stretches_around(places, before=before, behind=behind, size=SIZE))
    covered = {at for first, last in stretches for at in range(max(0, first), last)}
    near = {at for start, end in places for at in range(max(0, start - before), min(SIZE, end + behind))}
    assert near <= covered
    assert all(one[1] < other[0] for one, other in pairwise(stretches))
    assert bool(stretches) == bool(places)


def test_the_first_match_from_a_place_on_is_found():
    search = spans_of(re2.compile(rb"a(b)", byte_options()))
    assert search(b"ab ab", 1, 5)[:1] == [(3, 5)]
    assert search(b"ab", 1, 2)[0] == (-1, -1)
