import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.shingles import jaccard
from transforms.lexical.signatures import DatasketchEngine, estimated_similarity, make_engine

SETS = st.sets(st.text(alphabet="abcdef", min_size=1, max_size=4), max_size=8)


def test_signature_of_a_set_is_the_same_in_every_version():
    (signature,) = DatasketchEngine().sign([{"a b c d e", "b c d e f"}])

    assert signature.dtype == np.uint32
    assert signature[:4].tolist() == [2778617559, 710923703, 6749279, 2123889046]
    assert DatasketchEngine().scheme == "datasketch-affine32-128-7-crc32-w5-1"


@given(st.lists(SETS, max_size=4))
def test_signatures_depend_on_their_own_set_alone(shingle_sets):
    engine = DatasketchEngine()
    together = engine.sign(shingle_sets)

    assert together.shape == (len(shingle_sets), 128)
    for shingle_set, signature in zip(shingle_sets, together, strict=True):
        assert np.array_equal(DatasketchEngine().sign([shingle_set])[0], signature)
        assert bool(signature.any()) == bool(shingle_set)


def test_estimate_is_near_the_similarity():
    left, right = {f"w{n}" for n in range(900)}, {f"w{n}" for n in range(100, 1000)}
    first, second = DatasketchEngine().sign([left, right])

    # Four standard errors of 128 slots at .8.
    assert abs(estimated_similarity(first, second[None])[0] - jaccard(left, right)) < 0.14


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match=r"lexical.engine must be 'datasketch', got 'rust'"):
        make_engine("rust")
