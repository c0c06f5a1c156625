import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical import candidates
from transforms.lexical.candidates import lexical_groups, similar_pairs, small_groups
from transforms.lexical.signatures import estimated_similarity

SLOTS = st.lists(st.integers(0, 2), min_size=8, max_size=8)
TEXTS = st.lists(SLOTS, min_size=1, max_size=10)


def signatures_of(texts):
    """Return signatures of 128 slots that repeat each list of eight."""
    return np.tile(np.array(texts, dtype=np.uint32).reshape(-1, 8), 16)


def variants(rng, *, count, changed):
    """Return `count` signatures, each the same one with `changed` of the slots drawn anew."""
    made = np.tile(rng.integers(0, 2**32, 128, dtype=np.uint32), (count, 1))
    for row in made:
        row[rng.choice(128, changed, replace=False)] = rng.integers(0, 2**32, changed, dtype=np.uint32)
    return made


def plain_groups(signatures, need):
    """Return the keepers by the rule itself: the first kept text that is similar enough, else none."""
    kept, keeper = [], []
    for text, signature in enumerate(signatures):
        found = [other for other in kept if (signatures[other] == signature).sum() >= need]
        keeper.append(found[0] if found else text)
        if not found:
            kept.append(text)
    return keeper


def test_copies_join_the_first_in_the_order_and_others_stay():
    signatures = variants(np.random.default_rng(1), count=4, changed=10)
    signatures[1] = 7

    stars = lexical_groups(signatures, np.array([3, 2, 1, 0]), min_similarity=0.8)

    assert stars.keeper.tolist() == [0, 0, 2, 0]
    assert stars.similarity[1] == estimated_similarity(signatures[3], signatures[2:3])[0] >= 0.8


def test_no_texts_give_no_groups():
    none = np.zeros((0, 128), np.uint32)
    assert lexical_groups(none, np.zeros(0, np.int64), min_similarity=0.8).keeper.tolist() == []
    assert similar_pairs(none, min_similarity=0.8) == []


@given(TEXTS, st.sampled_from([0.5, 0.75, 1.0]))
def test_a_small_cell_is_grouped_by_the_rule_itself(texts, similarity):
    signatures = signatures_of(texts)
    stars = lexical_groups(signatures, np.arange(len(texts)), min_similarity=similarity)

    assert stars.keeper.tolist() == plain_groups(signatures, 128 * similarity)


def test_cells_are_grouped_each_by_itself():
    signatures = signatures_of([[1] * 8] * 5)
    stars = small_groups(signatures, np.arange(5), np.array([0, 2, 2, 5]), min_similarity=0.8)

    assert stars.keeper.tolist() == [0, 0, 2, 2, 2]


@pytest.mark.parametrize("changed", [0, 3, 12])
def test_a_large_cell_is_grouped_as_the_rule_says_but_for_few(changed):
    rng = np.random.default_rng(changed)
    signatures = np.concatenate([variants(rng, count=20, changed=changed) for _ in range(40)])
    signatures = signatures[rng.permutation(len(signatures))]

    stars = lexical_groups(signatures, np.arange(len(signatures)), min_similarity=0.8)
    expected = np.array(plain_groups(signatures, 103))

    # Two copies with 12 slots changed each agree in .82 of them, and meet in a band of seven 99 times in 100.
    assert (stars.keeper != expected).mean() < 0.02
    for text, keeper in enumerate(stars.keeper.tolist()):
        assert stars.keeper[keeper] == keeper <= text
        assert stars.similarity[text] == (signatures[text] == signatures[keeper]).mean() >= 0.8


def test_groups_of_a_large_cell_do_not_depend_on_where_its_signatures_lie():
    rng = np.random.default_rng(5)
    signatures = np.concatenate([variants(rng, count=30, changed=9) for _ in range(30)])
    rows = rng.permutation(len(signatures))
    moved = rng.permutation(len(signatures))

    one = lexical_groups(signatures, rows, min_similarity=0.8)
    other = lexical_groups(signatures[np.argsort(moved)], moved[rows], min_similarity=0.8)

    assert one.keeper.tolist() == other.keeper.tolist()
    assert one.similarity.tolist() == other.similarity.tolist()


def test_a_hot_bucket_is_split_and_its_pairs_are_still_found(monkeypatch):
    rng = np.random.default_rng(2)
    unlike = rng.integers(0, 2**32, (600, 128), dtype=np.uint32)
    unlike[:, :7] = 5
    copies = unlike.copy()
    copies[:, 100:112] = 9
    signatures = np.concatenate([unlike, copies])
    monkeypatch.setattr(candidates, "_MAX_LISTED", 4)

    stars = lexical_groups(signatures, np.arange(1200), min_similarity=0.8)

    assert stars.keeper[:600].tolist() == list(range(600))
    assert (stars.keeper[600:] == np.arange(600)).mean() > 0.98


def test_pairs_of_a_small_set_are_all_that_reach_the_threshold():
    signatures = signatures_of([[1] * 8, [2] * 8, [1] * 7 + [2], [1] * 8])

    assert similar_pairs(signatures, min_similarity=0.8) == [(0, 2), (0, 3), (2, 3)]
    assert similar_pairs(signatures, min_similarity=0.9) == [(0, 3)]


def test_pairs_of_a_large_set_connect_what_is_alike():
    rng = np.random.default_rng(4)
    signatures = np.concatenate([variants(rng, count=100, changed=4) for _ in range(9)])
    pairs = similar_pairs(signatures, min_similarity=0.8)

    assert pairs == sorted(set(pairs))
    assert all(left < right and left // 100 == right // 100 for left, right in pairs)
    assert {right for _, right in pairs} == set(range(900)) - set(range(0, 900, 100))
    assert len(pairs) < 900 * 2 * 18
