import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from transforms.similarity.engines import NOISE, FastHdbscanEngine, HdbscanEngine, make_engine


def planted(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 40 families of 25 points, half as many unrelated ones, and the family of each point."""
    random = np.random.default_rng(seed)
    topics = random.normal(size=(6, 64))
    centres = topics[random.integers(0, 6, 40)] + random.normal(size=(40, 64))
    families = np.repeat(np.arange(40), 25)
    points = np.concatenate([centres[families] + random.normal(size=(1000, 64)) * 0.5, random.normal(size=(500, 64))])
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points, np.concatenate([families, np.full(500, NOISE)])


@pytest.mark.parametrize("seed", range(3))
def test_both_engines_find_planted_families(seed: int):
    points, truth = planted(seed)
    counts = np.ones(len(points), dtype=np.int64)
    exact, _ = HdbscanEngine(5, 5, min_similarity=0.7).cluster(points, counts)
    fast, _ = FastHdbscanEngine(5, 5, min_similarity=0.7, small_points=0).cluster(points, counts)
    scores = [adjusted_rand_score(truth, found.labels) for found in (exact, fast)]
    assert scores[1] >= scores[0] - 0.02
    assert scores[0] > 0.95
    assert adjusted_rand_score(exact.labels, fast.labels) > 0.97


def test_engines_agree_on_how_dense_a_point_is():
    points, _ = planted(0)
    counts = 1 + np.arange(len(points)) % 4
    _, exact = HdbscanEngine(5, 5, min_similarity=0.0).cluster(points, counts)
    _, fast = FastHdbscanEngine(5, 5, min_similarity=0.0, small_points=0).cluster(points, counts)
    # Points nearer than cosine .95 are one for the exact engine: a few cores differ by what lies between such points.
    assert np.median(np.abs(fast.core - exact.core)) < 1e-3
    assert np.quantile(np.abs(fast.core - exact.core), 0.95) < 0.02
    assert fast.nearest.tolist() == exact.nearest.tolist()


def test_the_fast_engine_hands_small_sets_to_hdbscan():
    points, _ = planted(0)
    counts = np.ones(len(points), dtype=np.int64)
    small, _ = FastHdbscanEngine(5, 5, min_similarity=0.7).cluster(points, counts)
    exact, _ = HdbscanEngine(5, 5, min_similarity=0.7).cluster(points, counts)
    assert small.labels.tolist() == exact.labels.tolist()


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="must be 'fast_hdbscan' or 'hdbscan', got 'kmeans'"):
        make_engine("kmeans", min_cluster_size=5, min_samples=5, min_similarity=0.7, max_points=100)
