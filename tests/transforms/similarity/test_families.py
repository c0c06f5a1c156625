import hashlib
from pathlib import Path

import apache_beam as beam
import numpy as np
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thread_counts import printed_by_threads
from transforms.similarity.engines import NOISE, FastHdbscanEngine, HdbscanEngine
from transforms.similarity.families import FindFamilies, family_points, find_families

ENGINE = HdbscanEngine(4, 2, min_similarity=0.5)
FAST = FastHdbscanEngine(4, 2, min_similarity=0.5, small_points=0)
ENGINES = pytest.mark.parametrize("engine", [ENGINE, FAST], ids=["hdbscan", "fast_hdbscan"])


def found_in(points, ids, counts=None, *, engine=ENGINE, seed=0):
    return find_families(points, ids, [1] * len(ids) if counts is None else counts, engine=engine, seed=seed)


def blobs(*sizes: int, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Return tight groups of points far from each other, and ids in their order."""
    random = np.random.default_rng(seed)
    centres = np.repeat(np.eye(64)[: len(sizes)], sizes, axis=0)
    points = centres + random.normal(size=centres.shape) * 0.01
    return points / np.linalg.norm(points, axis=1, keepdims=True), [f"t{row:04}" for row in range(len(points))]


def spread(*sizes: int, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Return groups whose members have cosines of about .8 to each other and none to those of other groups."""
    random = np.random.default_rng(seed)
    centres = np.repeat(np.eye(256)[: len(sizes)], sizes, axis=0)
    points = centres + random.normal(size=centres.shape) * 0.5 / 16
    return points / np.linalg.norm(points, axis=1, keepdims=True), [f"t{row:04}" for row in range(len(points))]


@ENGINES
@pytest.mark.parametrize("make", [blobs, spread])
def test_families_are_numbered_by_their_smallest_id(make, engine):
    points, ids = make(6, 5, 7)
    found = found_in(points, ids, engine=engine)
    assert found.labels.tolist() == [0] * 6 + [1] * 5 + [2] * 7
    assert ((found.probabilities > 0) & (found.probabilities <= 1)).all()


@ENGINES
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_sets_below_the_smallest_family_are_noise(count: int, engine):
    points, ids = blobs(4)
    found = found_in(points[:count], ids[:count], engine=engine)
    assert found.labels.tolist() == [NOISE] * count
    assert found.probabilities.tolist() == [0] * count


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_the_smallest_sets_the_engine_takes_pass(count: int, fast: bool):
    make = FastHdbscanEngine if fast else HdbscanEngine
    points, ids = spread(count)
    assert len(found_in(points, ids, engine=make(2, 5, min_similarity=0.5)).labels) == count


@ENGINES
@pytest.mark.parametrize("make", [blobs, spread])
def test_one_group_among_noise_is_a_family(make, engine):
    points, ids = make(8, *[1] * 20)
    assert found_in(points, ids, engine=engine).labels.tolist() == [0] * 8 + [NOISE] * 20


@ENGINES
@pytest.mark.parametrize("count", [30, 200])
def test_one_group_and_nothing_else_is_a_family(count: int, engine):
    for points, ids in (blobs(count), spread(count)):
        assert set(found_in(points, ids, engine=engine).labels.tolist()) == {0}


@ENGINES
@pytest.mark.parametrize("seed", range(4))
def test_unrelated_points_are_noise(seed: int, engine):
    points, ids = blobs(*[1] * 60, seed=seed)
    assert set(found_in(points, ids, engine=engine).labels.tolist()) == {NOISE}
    random = np.random.default_rng(seed).normal(size=(200, 256))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    found = found_in(random, [f"t{row:04}" for row in range(200)], engine=engine)
    assert set(found.labels.tolist()) == {NOISE}


@ENGINES
def test_equal_points_are_no_noise(engine):
    points, ids = blobs(*[1] * 12)
    points = np.concatenate([points, np.repeat(points[:1], 4, axis=0)])
    found = found_in(points, [*ids, "x0", "x1", "x2", "x3"], engine=engine)
    assert found.labels.tolist() == [0] + [NOISE] * 11 + [0] * 4


@ENGINES
def test_a_representative_counts_for_its_copies(engine):
    points, ids = blobs(*[1] * 12)
    assert found_in(points, ids, [4] + [1] * 11, engine=engine).labels.tolist() == [0] + [NOISE] * 11
    assert found_in(points, ids, [3] + [1] * 11, engine=engine).labels.tolist() == [NOISE] * 12
    points, ids = spread(2, 2, *[1] * 10)
    found = found_in(points, ids, [2, 2, 1, 1] + [1] * 10, engine=engine)
    assert found.labels.tolist() == [0, 0] + [NOISE] * 12


@ENGINES
def test_copies_do_not_tear_a_family_apart(engine):
    points, ids = spread(20, 20)
    found = found_in(points, ids, [50] + [1] * 39, engine=engine)
    assert found.labels.tolist() == [0] * 20 + [1] * 20


@ENGINES
def test_points_without_a_direction_are_noise(engine):
    points, ids = blobs(6, 6)
    points[0] = 0
    assert found_in(points, ids, engine=engine).labels.tolist() == [NOISE] + [0] * 5 + [1] * 6


@pytest.mark.parametrize("make", [blobs, spread])
@pytest.mark.parametrize("engine", [HdbscanEngine, FastHdbscanEngine])
def test_points_beyond_the_sample_join_their_family(make, engine):
    points, ids = make(120, 120)
    lonely = -points[[0, 120]].sum(axis=0, keepdims=True)
    lonely /= np.linalg.norm(lonely)
    small = engine(4, 2, min_similarity=0.5, max_points=80)
    found = found_in(np.vstack([points, lonely]), [*ids, "t9999"], engine=small)
    first, second = found.labels[:120], found.labels[120:240]
    assert set(first[first != NOISE]) == {0}
    assert set(second[second != NOISE]) == {1}
    assert (found.labels[:240] != NOISE).mean() > 0.9
    assert found.labels[240] == NOISE


@settings(max_examples=15)
@given(st.randoms(use_true_random=False), st.sampled_from([25, 1000]), st.booleans())
def test_families_do_not_depend_on_the_order_of_points(random, max_points: int, fast: bool):
    make = FastHdbscanEngine if fast else HdbscanEngine
    engine = make(4, 2, min_similarity=0.5, max_points=max_points)
    points, ids = spread(15, 12, 9, seed=3)
    counts = [1 + row % 3 for row in range(36)]
    expected = found_in(points, ids, counts, engine=engine, seed=1)
    order = list(range(len(ids)))
    random.shuffle(order)
    shuffled = [ids[row] for row in order], [counts[row] for row in order]
    found = found_in(points[order], *shuffled, engine=engine, seed=1)
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


_PRINT_FAMILIES = """
import hashlib
import numpy as np
from transforms.similarity.engines import FastHdbscanEngine
from transforms.similarity.families import family_points, find_families
random = np.random.default_rng(2)
centres = random.normal(size=(12, 200))[random.integers(0, 12, 6000)]
vectors = (centres + random.normal(size=(6000, 200)) * 0.6).astype(np.float16)
points = family_points(vectors[:, :80], vectors[:, 80:])
engine = FastHdbscanEngine(5, 5, min_similarity=0.5, max_points=5000)
found = find_families(points, [f"t{n}" for n in range(6000)], [1] * 6000, engine=engine, seed=0)
print(hashlib.sha256(found.labels.tobytes() + found.probabilities.tobytes()).hexdigest(), found.labels.max())
"""


@pytest.mark.slow
def test_families_do_not_depend_on_the_number_of_threads():
    outputs = printed_by_threads(_PRINT_FAMILIES, counts=(1, 3))
    assert outputs[0] == outputs[1]
    assert len(outputs[0][0]) == 2 * hashlib.sha256().digest_size
    assert int(outputs[0][1]) > 3


def test_find_families_gives_a_part_per_kind(tmp_path: Path):
    points, ids = blobs(6, 5, 3)
    np.save(tmp_path / "points.npy", points)
    np.save(tmp_path / "ids.npy", np.array(ids))
    np.save(tmp_path / "counts.npy", np.ones(14, dtype=np.int64))

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
                counts_path=tmp_path / "counts.npy",
                engine="fast_hdbscan",
                min_cluster_size=4,
                min_samples=2,
                min_similarity=0.5,
                max_points=100,
                seed=0,
            )
        )
        assert_that(parts, check)
