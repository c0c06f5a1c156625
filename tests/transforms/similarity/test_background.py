import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.similarity.background import Background, Rollout, background_of, draw_cross_task_pairs

LIMITS = {"min_task_groups": 3, "max_background_cosine": 0.9, "max_cross_task_share": 0.05}


def lake(sizes):
    rows = iter(range(sum(sizes)))
    return [
        Rollout(f"{group}-{n}", f"g{group}", row := next(rows), row)
        for group, size in enumerate(sizes)
        for n in range(size)
    ]


@given(st.lists(st.integers(1, 5), max_size=7), st.integers(1, 60), st.randoms(use_true_random=False))
def test_pairs_are_of_different_tasks_each_once_and_of_no_order(sizes, max_pairs, random):
    rollouts = lake(sizes)
    pairs = draw_cross_task_pairs(rollouts, seed=1, max_pairs=max_pairs)
    group_of = {each.row: each.task_group for each in rollouts}
    random.shuffle(rollouts)

    assert draw_cross_task_pairs(rollouts, seed=1, max_pairs=max_pairs) == pairs
    assert all(group_of[left] != group_of[right] for left, right in pairs)
    assert len(set(map(frozenset, pairs))) == len(pairs)
    assert len(pairs) >= min(max_pairs, len(sizes) * (len(sizes) - 1) // 2)
    assert len(pairs) <= max_pairs


def test_a_hot_task_counts_no_more_than_the_others():
    rollouts = lake([500, 2, 2, 2])
    pairs = draw_cross_task_pairs(rollouts, seed=0, max_pairs=6)
    touched = [each.task_group for row in np.ravel(pairs) for each in rollouts if each.row == row]
    assert sorted(touched) == sorted(["g0", "g1", "g2", "g3"] * 3)


def test_the_seed_draws():
    rollouts = lake([9] * 9)
    first, second = (draw_cross_task_pairs(rollouts, seed=seed, max_pairs=20) for seed in (0, 1))
    assert first != second


def test_figures_are_those_of_all_pairs_of_a_small_environment():
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [np.nan, 1]], dtype=np.float16)
    rollouts = [Rollout(str(n), f"g{n}", n, 4 - n) for n in range(5)]
    signatures = np.tile(np.arange(5, dtype=np.uint32)[:, None], (1, 128))
    signatures[2, :96] = signatures[4, :96]

    found = background_of(rollouts, vectors, signatures, seed=0, max_pairs=100, min_similarity=0.95)

    assert found == Background(3, 3, pytest.approx(1 / 3), 1.0, pytest.approx(1 / 3), pytest.approx(0.25))


def test_an_environment_without_pairs_has_no_figures_and_no_leak():
    vectors, signatures = np.ones((3, 2), dtype=np.float16), np.zeros((3, 128), dtype=np.uint32)
    alone = background_of([Rollout("a", "g", 0, 0)], vectors, signatures, seed=0, max_pairs=9, min_similarity=0.95)
    assert alone == Background(1, 0, None, None, None, None)
    assert background_of([], vectors, signatures, seed=0, max_pairs=9, min_similarity=0.95).num_pairs == 0
    assert not alone.is_leaking(**LIMITS)


def test_few_tasks_or_little_shared_text_are_no_sharing():
    shares = Background(20, 9, 0.2, 0.9, 0.0, 0.11)
    assert shares.is_sharing(min_task_groups=20, max_jaccard=0.1)
    assert not shares.is_sharing(min_task_groups=21, max_jaccard=0.1)
    assert not shares.is_sharing(min_task_groups=20, max_jaccard=0.11)
    assert not Background(20, 0, None, None, None, None).is_sharing(min_task_groups=20, max_jaccard=0.1)


@pytest.mark.parametrize(
    ("background", "leaks"),
    [
        (Background(3, 9, 0.91, 0.99, 0.0, 0.0), True),
        (Background(3, 9, 0.9, 0.99, 0.05, 0.0), False),
        (Background(3, 9, 0.2, 0.99, 0.06, 0.0), True),
        (Background(2, 9, 0.99, 0.99, 1.0, 0.0), False),
    ],
)
def test_either_limit_trips_and_few_tasks_are_not_judged(background, leaks):
    assert background.is_leaking(**LIMITS) is leaks
