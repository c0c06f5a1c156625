import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thread_counts import printed_by_threads
from transforms.lexical.stars import keeper_first_groups
from transforms.similarity import search
from transforms.similarity.rescoring import pair_cosines
from transforms.similarity.search import semantic_groups


def blobs(seed: int, count: int, *, dimensions: int = 8, spread: float = 0.15) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, count // 6), dimensions))
    noise = random.normal(size=(count, dimensions)) * spread
    return (centres[random.integers(0, len(centres), count)] + noise).astype(np.float16)


def by_all_pairs(vectors: np.ndarray, order: np.ndarray, min_similarity: float):
    everyone = np.arange(len(vectors))

    def neighbours(member: int):
        cosines = pair_cosines(vectors, np.full(len(vectors), member), everyone)
        close = (cosines >= min_similarity) & (everyone != member)
        return everyone[close], cosines[close]

    return keeper_first_groups(order, neighbours)


def test_members_join_the_best_kept_member_they_are_like():
    vectors = np.array([[1, 0], [0.99, 0.1], [0, 1], [0.05, 1], [0.7, 0.7]], dtype=np.float32)
    stars = semantic_groups(vectors, [1, 0, 2, 3, 4], min_similarity=0.95)
    assert stars.keeper.tolist() == [1, 1, 2, 2, 4]
    assert stars.similarity.tolist() == [pytest.approx(0.99494, abs=1e-4), 1, 1, pytest.approx(0.99875, abs=1e-4), 1]


def test_zero_and_not_finite_vectors_stay_alone():
    vectors = np.array([[0, 0], [0, 0], [np.nan, 1], [np.nan, 1], [1, 0], [1, 0]], dtype=np.float32)
    stars = semantic_groups(vectors, np.arange(6), min_similarity=0.5)
    assert stars.keeper.tolist() == [0, 1, 2, 3, 4, 4]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_small_cells_pass(count: int):
    assert semantic_groups(np.ones((count, 4)), np.arange(count), min_similarity=0.9).keeper.tolist() == [0] * count


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 60), st.floats(0.5, 1))
def test_what_is_kept_already_is_kept_whatever_it_is_like(seed: int, count: int, num_kept: int, min_similarity: float):
    vectors = blobs(seed, count)
    order = np.random.default_rng(seed).permutation(count)
    num_kept = min(num_kept, count)

    stars = semantic_groups(vectors, order, min_similarity=min_similarity, num_kept=num_kept)

    kept: list[int] = []
    for turn, member in enumerate(order.tolist()):
        cosines = pair_cosines(vectors, np.full(len(kept), member), np.array(kept, dtype=np.int64))
        near = [other for other, cosine in zip(kept, cosines, strict=True) if cosine >= min_similarity]
        expected = near[0] if near and turn >= num_kept else member
        assert stars.keeper[member] == expected
        if expected == member:
            kept.append(member)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(0.5, 1))
def test_groups_are_those_of_a_comparison_of_all_pairs(seed: int, count: int, min_similarity: float):
    vectors = blobs(seed, count)
    order = np.random.default_rng(seed).permutation(count)
    expected = by_all_pairs(vectors, order, min_similarity)
    stars = semantic_groups(vectors, order, min_similarity=min_similarity)
    assert stars.keeper.tolist() == expected.keeper.tolist()
    assert stars.similarity.tolist() == expected.similarity.tolist()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_faiss_and_blocks_give_the_same_groups(seed: int, neighbours: int):
    vectors = blobs(seed, 300)
    order = np.random.default_rng(seed).permutation(300)
    expected = by_all_pairs(vectors, order, 0.97)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MATRIX_MAX_KEPT", 5)
        patch.setattr(search, "_BLOCK_MEMBERS", 32)
        stars = semantic_groups(vectors, order, min_similarity=0.97, neighbours=neighbours)
    assert stars.keeper.tolist() == expected.keeper.tolist()
    assert stars.similarity.tolist() == expected.similarity.tolist()


_PRINT_GROUPS = """
import hashlib
import numpy as np
from transforms.similarity.search import semantic_groups
vectors = np.random.default_rng(5).normal(size=(4000, 8)).astype(np.float16)
stars = semantic_groups(vectors, np.arange(4000), min_similarity=0.9)
print(hashlib.sha256(stars.keeper.tobytes() + stars.similarity.tobytes()).hexdigest(), (stars.similarity < 1).mean())
"""


def test_groups_do_not_depend_on_the_number_of_threads():
    digests = []
    for digest, share in printed_by_threads(_PRINT_GROUPS, counts=(1, 3)):
        assert len(digest) == 2 * hashlib.sha256().digest_size
        assert 0.1 < float(share) < 0.9
        digests.append(digest)
    assert digests[0] == digests[1]
