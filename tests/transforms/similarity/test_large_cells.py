import hashlib

import numpy as np
import pytest

from tests.thread_counts import printed_by_threads
from tests.transforms.similarity.test_buckets import vectors_of
from transforms.similarity import large_cells
from transforms.similarity.large_cells import cell_groups, large_groups
from transforms.similarity.rescoring import pair_cosines
from transforms.similarity.search import semantic_groups


@pytest.fixture
def small_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_cells, "MAX_EXACT_MEMBERS", 60)


def grouped(vectors: np.ndarray, rows: np.ndarray | None = None, *, min_similarity: float = 0.95, seed: int = 0):
    rows = np.arange(len(vectors)) if rows is None else rows
    return large_groups(vectors, rows, min_similarity=min_similarity, neighbours=20, seed=seed)


@pytest.mark.usefixtures("small_exact")
def test_groups_are_nearly_those_of_an_exact_search():
    vectors = vectors_of(0, 3000)
    stars = grouped(vectors)
    exact = semantic_groups(vectors, np.arange(3000), min_similarity=0.95)
    dropped = stars.keeper != np.arange(3000)
    should = exact.keeper != np.arange(3000)
    assert should.sum() > 500
    assert (dropped & should).sum() >= 0.985 * should.sum()
    assert (dropped & ~should).sum() <= 0.01 * should.sum()


@pytest.mark.usefixtures("small_exact")
def test_each_dropped_member_was_verified_against_a_better_kept_one():
    vectors = vectors_of(1, 1500)
    rows = np.random.default_rng(0).permutation(1500)
    stars = grouped(vectors, rows)
    members = np.flatnonzero(stars.keeper != np.arange(1500))
    keepers = stars.keeper[members]
    assert (keepers < members).all()
    assert (stars.keeper[keepers] == keepers).all()
    cosines = pair_cosines(vectors, rows[members], rows[keepers])
    assert cosines.tolist() == stars.similarity[members].tolist()
    assert cosines.min() >= 0.95


@pytest.mark.parametrize("count", [3000, 7000])
def test_identical_members_are_one_group_with_one_keeper(count: int):
    vectors = np.repeat(np.array([[0.6, 0.8, 0.1]], dtype=np.float16), count, axis=0)
    stars = cell_groups(vectors, np.arange(count), min_similarity=0.95, neighbours=20, seed=0)
    assert set(stars.keeper.tolist()) == {0}
    assert set(stars.similarity.tolist()) == {1}


@pytest.mark.usefixtures("small_exact")
def test_a_cloud_of_near_members_has_one_keeper():
    random = np.random.default_rng(3)
    vectors = (np.ones(16) + random.normal(size=(2000, 16)) * 0.03).astype(np.float16)
    assert set(grouped(vectors).keeper.tolist()) == {0}


@pytest.mark.usefixtures("small_exact")
def test_a_chain_joins_no_unlike_members():
    angles = np.linspace(0, np.pi, 400)
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    stars = grouped(vectors)
    assert pair_cosines(vectors, np.arange(400), stars.keeper).min() >= 0.95
    assert len(set(stars.keeper.tolist())) > 4


@pytest.mark.usefixtures("small_exact")
def test_unusable_members_stay_alone():
    vectors = np.ones((200, 4), dtype=np.float32)
    vectors[3], vectors[5] = np.nan, 0
    stars = grouped(vectors)
    assert np.flatnonzero(stars.keeper).tolist() == [3, 5]
    assert stars.keeper[[3, 5]].tolist() == [3, 5]


@pytest.mark.parametrize("count", [0, 1])
def test_empty_and_single_cells_survive(count: int):
    assert grouped(np.ones((count, 4))).keeper.tolist() == list(range(count))


@pytest.mark.usefixtures("small_exact")
def test_twins_rank_as_their_first_does():
    vectors = vectors_of(2, 300)
    doubled = np.concatenate([vectors, vectors])
    once, twice = grouped(vectors), grouped(doubled)
    assert twice.keeper[:300].tolist() == once.keeper.tolist()
    assert twice.keeper[300:].tolist() == once.keeper.tolist()


_PRINT_GROUPS = """
import hashlib
import numpy as np
from transforms.similarity.large_cells import large_groups
random = np.random.default_rng(5)
vectors = random.normal(size=(4000, 96))[random.integers(0, 4000, 9000)] + random.normal(size=(9000, 96)) * 0.2
stars = large_groups(vectors.astype(np.float16), np.arange(9000), min_similarity=0.95, neighbours=20, seed=1)
print(hashlib.sha256(stars.keeper.tobytes() + stars.similarity.tobytes()).hexdigest(), (stars.similarity < 1).mean())
"""


def test_groups_do_not_depend_on_the_number_of_threads():
    digests = []
    for digest, share in printed_by_threads(_PRINT_GROUPS, counts=(1, 2)):
        assert len(digest) == 2 * hashlib.sha256().digest_size
        assert 0.1 < float(share) < 0.9
        digests.append(digest)
    assert digests[0] == digests[1]
