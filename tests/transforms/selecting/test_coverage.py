import numpy as np
import pytest
from numpy.typing import NDArray

from transforms.selecting import coverage as coverage_module
from transforms.selecting.coverage import Coverage, choose_targets, pick_covering


def _unit(rows: list[list[float]]) -> NDArray[np.float32]:
    matrix = np.asarray(rows, dtype=np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def _coverage(vectors: NDArray[np.float32], quality: list[float] | None = None) -> Coverage:
    factors = np.ones(len(vectors)) if quality is None else np.asarray(quality)
    return Coverage(vectors, factors, targets=np.arange(len(vectors)))


def _picks(coverage: Coverage, places: int) -> list[int]:
    picked: list[int] = []
    pick_covering(coverage, range(len(coverage)), places=places, is_open=lambda row: True, take=picked.append)
    return picked


def _picks_by_definition(vectors: NDArray[np.float32], quality: NDArray[np.float64], places: int) -> list[int]:
    similarity = np.maximum(vectors.astype(np.float64) @ vectors.T.astype(np.float64), 0)
    picked: list[int] = []
    while len(picked) < places:
        covered = similarity[:, picked].max(axis=1) if picked else np.zeros(len(vectors))
        covered[picked] = 1
        gains = np.maximum(similarity - covered[:, None], 0)
        np.fill_diagonal(gains, 0)
        worth = gains.sum(axis=0) * quality
        worth[picked] = -1
        picked.append(int(worth.argmax()))
    return picked


def test_one_of_each_crowd_comes_before_a_second_of_any_and_outliers_last() -> None:
    vectors = _unit([[1, 0, 0, 0], [1, 0.1, 0, 0], [1, 0, 0.1, 0], [0, 1, 0, 0], [0, 1, 0.1, 0], [0, 0, 0, 1]])

    picked = _picks(_coverage(vectors), 6)

    assert {picked[0] < 3, picked[1] < 3} == {True, False}
    assert picked[-1] == 5


def test_lazy_picks_are_those_of_counting_every_gain_each_time() -> None:
    vectors = _unit(np.random.default_rng(5).normal(size=(60, 8)).tolist())
    quality = np.linspace(0.5, 2, 60)

    picked = _picks(Coverage(vectors, quality, targets=np.arange(60)), 20)

    assert picked == _picks_by_definition(vectors, quality, 20)


def test_quality_decides_among_rows_that_cover_the_same() -> None:
    vectors = _unit([[1, 0], [1, 0], [1, 0]])

    assert _picks(_coverage(vectors, [1.0, 3.0, 2.0]), 1) == [1]


def test_rows_without_a_usable_vector_cover_nothing_and_are_taken_in_order() -> None:
    vectors = np.array([[0, 0], [np.nan, 1], [0, 0], [1, 0], [1, 0.1], [1, 0.3]], dtype=np.float32)

    picked = _picks(_coverage(vectors), 6)

    assert picked[0] in {3, 4, 5}
    assert [row for row in picked if row < 3] == [0, 1, 2]


def test_closed_rows_are_passed_over() -> None:
    vectors = _unit([[1, 0], [1, 0], [0, 1], [0, 1]])
    picked: list[int] = []

    pick_covering(_coverage(vectors), range(4), places=3, is_open=lambda row: row != 0, take=picked.append)

    assert 0 not in picked
    assert len(picked) == 3


def test_targets_are_a_sample_where_all_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage_module, "TABLE_BYTES", 2 * 10 * 4)

    assert choose_targets([7, 2, 9, 4, 1], num_rows=10).tolist() == [2, 4, 7, 9]
    assert choose_targets([0, 1], num_rows=2).tolist() == [0, 1]
    assert choose_targets([], num_rows=0).tolist() == []


def test_no_rows_give_no_picks() -> None:
    assert _picks(_coverage(np.zeros((0, 3), dtype=np.float32)), 2) == []
