"""HDBSCAN on weighted points: the same hierarchy from two libraries.

A representative counts for its copies. No library takes weights in high dimensions, so a point stands as often as it
has copies, up to the number that makes a dense family: more changes nothing. Points nearer than
`SAME_DISTANCE` count as that far apart: at distance zero a density is infinite, and HDBSCAN then gives copies back as
noise or lets them outweigh every family around them. What is further apart than `max_distance` is joined by a beacon:
a family of its own, as far from every point. HDBSCAN finds a family by its parting from another; so one family among
noise is found as well, and noise alone stays noise.
"""

from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from transforms.similarity.centres import whole_rows
from transforms.similarity.neighbours import distance_blocks, nearest_neighbours
from transforms.similarity.search import semantic_groups
from transforms.similarity.spanning import (
    SAME_DISTANCE,
    SAME_SIMILARITY,
    core_distances,
    spanning_forest,
    with_copies,
)

NOISE: Final = -1

SMALL_POINTS: Final = 2000
"""Points up to which the package hdbscan is cheaper than importing fast_hdbscan and loading its compiled code."""

MAX_MATRIX_POINTS: Final = 4000
"""Points the engine `hdbscan` takes, copies counted: its distance matrix takes 128 MB."""

Points = NDArray[np.float64]
"""Unit vectors, shape (points, dimensions)."""


class Families(NamedTuple):
    """A family for each point.

    Attributes:
        labels: Number of the family, -1 for noise; int64, shape (points,).
        probabilities: How surely the point belongs to it, 0 for noise; float64, shape (points,).
    """

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]


class Density(NamedTuple):
    """How densely each point lies; float64, shape (points,).

    Attributes:
        core: Distance of the `min_samples`-th neighbour, copies counted; inf where it is far off.
        nearest: Distance of the nearest other point.
    """

    core: NDArray[np.float64]
    nearest: NDArray[np.float64]


class FamilyEngine(Protocol):
    """Finds clusters of any shape and leaves the rest as noise; the same points in the same order give the same.

    Attributes:
        min_cluster_size: Smallest family, copies counted.
        min_samples: Neighbours, copies counted, that make a point dense.
        max_points: Points it takes, copies counted.
    """

    min_cluster_size: int
    min_samples: int
    max_points: int

    def cluster(self, points: Points, counts: NDArray[np.int64]) -> tuple[Families, Density]:
        """Cluster two or more distinct points, each standing `counts` times."""
        ...


class HdbscanEngine:
    """The package hdbscan on the matrix of all distances: exact and without compilation, quadratic.

    Args:
        min_cluster_size: Smallest family, copies counted.
        min_samples: Neighbours, copies counted, that make a point dense.
        min_similarity: Cosine below which points are never alike.
        max_points: Points clustered, copies counted; at most `MAX_MATRIX_POINTS`.
    """

    def __init__(
        self, min_cluster_size: int, min_samples: int, *, min_similarity: float, max_points: int = MAX_MATRIX_POINTS
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.max_points = min(max_points, MAX_MATRIX_POINTS)
        self._max_distance = (2 - 2 * min_similarity) ** 0.5

    def cluster(self, points: Points, counts: NDArray[np.int64]) -> tuple[Families, Density]:
        """Cluster two or more distinct points, each standing `counts` times."""
        import hdbscan

        # Points that near merge at one distance, in no order: hdbscan would cut such a group anywhere.
        order = np.lexsort((np.arange(len(points)), -counts))
        stars = semantic_groups(points[order], np.arange(len(points)), min_similarity=SAME_SIMILARITY)
        keeper = np.empty(len(points), dtype=np.int64)
        keeper[order] = order[stars.keeper]
        kept, place = np.unique(keeper, return_inverse=True)
        beacon = enough_points(self.min_cluster_size, self.min_samples)
        sizes = np.minimum(np.bincount(place, weights=counts).astype(np.int64), beacon)
        distances = _distances(points[np.repeat(kept, sizes)], beacon=beacon, max_distance=self._max_distance)
        found = hdbscan.HDBSCAN(
            metric="precomputed",
            min_cluster_size=self.min_cluster_size,
            min_samples=self.min_samples,
            core_dist_n_jobs=1,
        ).fit(distances)
        families = _of_first(found.labels_, found.probabilities_, sizes, beacon=beacon)
        first = np.cumsum(sizes) - sizes
        cores = np.partition(distances, self.min_samples, axis=1)[first[place], self.min_samples]
        nearest = nearest_neighbours(points, 1).distance[:, 0]
        return Families(families.labels[place], families.probabilities[place]), Density(cores, nearest)


class FastHdbscanEngine:
    """The tree of the package fast_hdbscan over the nearest-neighbour graph; small sets go to `HdbscanEngine`.

    The package's own graph comes from pynndescent, which draws unseeded and compiles for 30 CPU-s in every process.
    Ours needs neither. What is left to compile is cached by numba: importing it takes .6 CPU-s in every process (40 in
    the first one after installation), in which `hdbscan` clusters some 2,000 points.

    Args:
        min_cluster_size: Smallest family, copies counted.
        min_samples: Neighbours, copies counted, that make a point dense.
        min_similarity: Cosine below which points are never alike.
        max_points: Points clustered, copies counted.
        small_points: Points up to which `HdbscanEngine` works.
    """

    def __init__(
        self,
        min_cluster_size: int,
        min_samples: int,
        *,
        min_similarity: float,
        max_points: int = 50_000,
        small_points: int = SMALL_POINTS,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.max_points = max_points
        self._max_distance = (2 - 2 * min_similarity) ** 0.5
        self._small = HdbscanEngine(min_cluster_size, min_samples, min_similarity=min_similarity)
        self._small_points = small_points

    def cluster(self, points: Points, counts: NDArray[np.int64]) -> tuple[Families, Density]:
        """Cluster two or more distinct points, each standing `counts` times."""
        if counts.sum() <= self._small_points:
            return self._small.cluster(points, counts)
        from fast_hdbscan.hdbscan import clusters_from_spanning_tree

        found = nearest_neighbours(points, max(3 * self.min_samples, 15))
        cores = core_distances(found, counts, min_samples=self.min_samples)
        beacon = enough_points(self.min_cluster_size, self.min_samples)
        forest = spanning_forest(points, found, cores, max_distance=self._max_distance)
        edges = with_copies(forest, cores, counts, beacon=beacon, max_distance=self._max_distance)
        labels, probabilities, *_ = clusters_from_spanning_tree(edges, min_cluster_size=self.min_cluster_size)
        return _of_first(labels, probabilities, counts, beacon=beacon), Density(cores, found.distance[:, 0])


def make_engine(
    name: str, *, min_cluster_size: int, min_samples: int, min_similarity: float, max_points: int
) -> FamilyEngine:
    """Return the engine of the settings' `families.engine`.

    Raises:
        ValueError: There is no such engine.
    """
    engines = {"fast_hdbscan": FastHdbscanEngine, "hdbscan": HdbscanEngine}
    if name in engines:
        return engines[name](min_cluster_size, min_samples, min_similarity=min_similarity, max_points=max_points)
    raise ValueError(f"families.engine must be 'fast_hdbscan' or 'hdbscan', got {name!r}")


def enough_points(min_cluster_size: int, min_samples: int) -> int:
    """Return how many equal points are a dense family by themselves; more change nothing."""
    return max(min_cluster_size, min_samples + 1)


def _distances(points: Points, *, beacon: int, max_distance: float) -> NDArray[np.float64]:
    """Return the distances of points and beacon to each other; 0 on the diagonal.

    Two points are at least `SAME_DISTANCE` apart. Where they are more than `max_distance` apart they are a little
    further from each other than from the beacon, so that nothing joins there but by way of it.
    """
    whole = whole_rows(points)
    distances = np.full((len(whole) + beacon, len(whole) + beacon), max_distance)
    distances[-beacon:, -beacon:] = SAME_DISTANCE
    for start, block in distance_blocks(whole, whole):
        block[block > max_distance] = 1.01 * max_distance
        distances[start : start + len(block), : len(whole)] = np.maximum(block, SAME_DISTANCE)
    np.fill_diagonal(distances, 0)
    return distances


def all_noise(count: int) -> Families:
    """Return so many points without a family."""
    return Families(np.full(count, NOISE, dtype=np.int64), np.zeros(count, dtype=np.float64))


def _of_first(
    labels: NDArray[np.int64], probabilities: NDArray[np.float64], counts: NDArray[np.int64], *, beacon: int
) -> Families:
    """Return the families of distinct points out of those of all that stood: copies, then the beacon."""
    found = np.asarray(labels, dtype=np.int64)
    found = np.where(np.isin(found, found[-beacon:]), NOISE, found)
    first = np.cumsum(counts) - counts
    return Families(found[first], np.where(found == NOISE, 0, np.asarray(probabilities, dtype=np.float64))[first])
