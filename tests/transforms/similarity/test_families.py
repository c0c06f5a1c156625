import hashlib
import os
import subprocess
import sys
from pathlib import Path

import apache_beam as beam
import numpy as np
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.similarity.families import (
    NOISE,
    FindFamilies,
    HdbscanEngine,
    family_points,
    find_families,
    make_engine,
)

ENGINE = HdbscanEngine(4, 2)


def blobs(*sizes: int, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Return tight groups of points far from each other, and ids in their order."""
    random = np.random.default_rng(seed)
    centres = np.repeat(np.eye(64)[: len(sizes)], sizes, axis=0)
    points = centres + random.normal(size=centres.shape) * 0.01
    return points / np.linalg.norm(points, axis=1, keepdims=True), [f"t{row:04}" for row in range(len(points))]


def test_families_are_numbered_by_their_smallest_id():
    points, ids = blobs(6, 5, 7)
    found = find_families(points, ids, engine=ENGINE, max_points=100, seed=0)
    assert found.labels.tolist() == [0] * 6 + [1] * 5 + [2] * 7
    assert ((found.probabilities > 0) & (found.probabilities <= 1)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_sets_below_the_smallest_family_are_noise(count: int):
    points, ids = blobs(4)
    found = find_families(points[:count], ids[:count], engine=ENGINE, max_points=100, seed=0)
    assert found.labels.tolist() == [NOISE] * count
    assert found.probabilities.tolist() == [0] * count


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_the_smallest_sets_the_engine_takes_pass(count: int):
    engine = HdbscanEngine(2, 5)
    points, ids = blobs(count)
    found = find_families(points, ids, engine=engine, max_points=100, seed=0)
    assert len(found.labels) == count


def test_points_without_a_direction_are_noise():
    points, ids = blobs(6, 6)
    points[0] = 0
    found = find_families(points, ids, engine=ENGINE, max_points=100, seed=0)
    assert found.labels.tolist() == [NOISE] + [0] * 5 + [1] * 6


def test_points_beyond_the_sample_join_their_family():
    points, ids = blobs(120, 120)
    lonely = -np.eye(64)[:2].sum(axis=0, keepdims=True) / np.sqrt(2)
    found = find_families(np.vstack([points, lonely]), [*ids, "t9999"], engine=ENGINE, max_points=80, seed=0)
    first, second = found.labels[:120], found.labels[120:240]
    assert set(first[first != NOISE]) == {0}
    assert set(second[second != NOISE]) == {1}
    assert (found.labels[:240] != NOISE).mean() > 0.9
    assert found.labels[240] == NOISE


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([25, 1000]))
def test_families_do_not_depend_on_the_order_of_points(random, max_points: int):
    points, ids = blobs(15, 12, 9, seed=3)
    expected = find_families(points, ids, engine=ENGINE, max_points=max_points, seed=1)
    order = list(range(len(ids)))
    random.shuffle(order)
    found = find_families(points[order], [ids[row] for row in order], engine=ENGINE, max_points=max_points, seed=1)
    assert found.labels.tolist() == expected.labels[order].tolist()
    assert found.probabilities.tolist() == expected.probabilities[order].tolist()


def test_family_points_weigh_skeleton_and_body_alike():
    random = np.random.default_rng(1)
    skeletons, bodies = random.normal(size=(3, 128)), random.normal(size=(3, 256))
    skeletons[1] = skeletons[0]
    bodies[2] = bodies[0]
    points = family_points(skeletons.astype(np.float16), bodies.astype(np.float16))
    assert points.shape == (3, 256)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1)
    # Each pair shares one half of two: a cosine of .5, give or take the projection's 3 standard deviations.
    assert points[0] @ points[1] == pytest.approx(0.5, abs=0.15)
    assert points[0] @ points[2] == pytest.approx(0.5, abs=0.15)


def test_family_points_of_unusable_vectors_are_zero():
    assert not family_points(np.zeros((1, 16)), np.full((1, 16), np.nan)).any()


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="must be 'hdbscan', got 'kmeans'"):
        make_engine("kmeans", min_cluster_size=5, min_samples=5)


_PRINT_FAMILIES = """
import hashlib
import numpy as np
from transforms.similarity.families import HdbscanEngine, family_points, find_families
random = np.random.default_rng(2)
centres = random.normal(size=(12, 200))[random.integers(0, 12, 600)]
vectors = (centres + random.normal(size=(600, 200)) * 0.8).astype(np.float16)
points = family_points(vectors[:, :80], vectors[:, 80:])
found = find_families(points, [f"t{n}" for n in range(600)], engine=HdbscanEngine(5, 5), max_points=400, seed=0)
print(hashlib.sha256(found.labels.tobytes() + found.probabilities.tobytes()).hexdigest(), found.labels.max())
"""


def test_families_do_not_depend_on_the_number_of_threads():
    outputs = []
    for threads in ("1", "3"):
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        result = subprocess.run(
            [sys.executable, "-c", _PRINT_FAMILIES], capture_output=True, text=True, env=environment, check=True
        )
        outputs.append(result.stdout.split())
    assert outputs[0] == outputs[1]
    assert len(outputs[0][0]) == 2 * hashlib.sha256().digest_size
    assert int(outputs[0][1]) > 3


def test_find_families_gives_a_part_per_kind(tmp_path: Path):
    points, ids = blobs(6, 5, 3)
    np.save(tmp_path / "points.npy", points)
    np.save(tmp_path / "ids.npy", np.array(ids))

    def check(parts: list) -> None:
        found = sorted((name, table["row"].to_pylist(), table["family"].to_pylist()) for name, table in parts)
        assert found == [
            ("000", list(range(11)), [0] * 6 + [1] * 5),
            ("001", [11, 12, 13], [NOISE] * 3),
        ]

    with TestPipeline() as pipeline:
        parts = (
            pipeline
            | beam.Create([("000", np.arange(11)), ("001", np.arange(11, 14))])
            | FindFamilies(
                points_path=tmp_path / "points.npy",
                ids_path=tmp_path / "ids.npy",
                engine="hdbscan",
                min_cluster_size=4,
                min_samples=2,
                max_points=100,
                seed=0,
            )
        )
        assert_that(parts, check)
