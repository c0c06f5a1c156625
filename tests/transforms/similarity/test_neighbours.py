import numpy as np
import pytest

from transforms.similarity import neighbours
from transforms.similarity.neighbours import nearest_neighbours


def points_of(seed: int, count: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 24))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def test_neighbours_are_those_of_all_distances():
    points = points_of(0, 300)
    found = nearest_neighbours(points, 7)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, :7]
    assert found.distance == pytest.approx(expected, abs=1e-3)
    assert distances[np.arange(300)[:, None], found.number] == pytest.approx(expected, abs=1e-3)


def test_equally_near_neighbours_come_in_the_order_of_their_rows():
    assert nearest_neighbours(np.eye(5), 3).number.tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 2]]


def test_what_is_missing_is_infinitely_far():
    found = nearest_neighbours(np.eye(2), 3)
    assert found.number.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert np.isinf(found.distance[:, 1:]).all()
    assert nearest_neighbours(np.eye(1), 1).number.tolist() == [[-1]]


def test_buckets_find_nearly_the_same(monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(1)
    points = np.repeat(points_of(2, 100), 20, axis=0) + random.normal(size=(2000, 24)) * 0.05
    exact = nearest_neighbours(points, 10)
    monkeypatch.setattr(neighbours, "MAX_BUCKET_ROWS", 500)
    found = nearest_neighbours(points, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(exact.number.tolist(), found.number.tolist(), strict=True)]
    assert np.mean(shared) > 9.8
    assert (found.distance >= exact.distance).all()
