"""Behaviour families: representatives of one kind of environment that act alike, whatever their task.

A family is found on what was done (skeleton) and said (body), never on the task's text: there a family would be
nothing but the task. What belongs to no family is noise: a stratum of its own, never a reason to drop anything.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.similarity.rescoring import Matrix, unit_rows, usable_rows
from transforms.store.keys import sha_hex

NOISE: Final = -1

POINT_DIMENSIONS: Final = 256
"""Dimensions families are searched in. HDBSCAN took 1.9 CPU-s on 4,000 points in 64, 3.9 in 256 and 6.3 in 384
dimensions; of 60 planted families it lost none in 256, but left half of all points as noise in 64."""

FAMILY_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("family", pa.int64(), nullable=False),
        pa.field("probability", pa.float64(), nullable=False),
    ]
)
"""A representative's row, the number of its family inside its kind of environment (-1: noise), and how surely it
belongs there."""

Points = NDArray[np.float64]
"""Points, shape (points, POINT_DIMENSIONS)."""


class Families(NamedTuple):
    """A family for each point.

    Attributes:
        labels: Number of the family, -1 for noise; int64, shape (points,).
        probabilities: How surely the point belongs to it, 0 for noise; float64, shape (points,).
    """

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]


class FamilyEngine(Protocol):
    """Finds clusters of any shape and leaves the rest as noise; the same points in the same order give the same."""

    @property
    def min_points(self) -> int:
        """Return the smallest number of points the engine can work on."""
        ...

    def cluster(self, points: Points, others: Points) -> tuple[Families, Families]:
        """Cluster `points`, then let each of `others` join the family it lies in, or noise."""
        ...


class HdbscanEngine:
    """HDBSCAN, excess of mass, one thread.

    Args:
        min_cluster_size: Smallest family.
        min_samples: Neighbours that make a point dense.
    """

    def __init__(self, min_cluster_size: int, min_samples: int) -> None:
        self._min_cluster_size = min_cluster_size
        self._min_samples = min_samples

    @property
    def min_points(self) -> int:
        """Return the smallest number of points the engine can work on."""
        return self._min_cluster_size

    def cluster(self, points: Points, others: Points) -> tuple[Families, Families]:
        """Cluster `points`, then let each of `others` join the family it lies in, or noise."""
        import hdbscan

        clusterer = hdbscan.HDBSCAN(
            min_cluster_size=self._min_cluster_size,
            min_samples=min(self._min_samples, len(points) - 1),
            approx_min_span_tree=False,
            core_dist_n_jobs=1,
            prediction_data=bool(len(others)),
        ).fit(points)
        found = _families(clusterer.labels_, clusterer.probabilities_)
        if not len(others):
            return found, _all_noise(0)
        if not (found.labels != NOISE).any():
            return found, _all_noise(len(others))
        return found, _families(*hdbscan.approximate_predict(clusterer, others))


def make_engine(name: str, *, min_cluster_size: int, min_samples: int) -> FamilyEngine:
    """Return the engine of the settings' `families.engine`.

    Raises:
        ValueError: There is no such engine.
    """
    if name != "hdbscan":
        raise ValueError(f"families.engine must be 'hdbscan', got {name!r}")
    return HdbscanEngine(min_cluster_size, min_samples)


def _families(labels: Sequence[int], probabilities: Sequence[float]) -> Families:
    return Families(np.asarray(labels, dtype=np.int64), np.asarray(probabilities, dtype=np.float64))


def _all_noise(count: int) -> Families:
    return Families(np.full(count, NOISE, dtype=np.int64), np.zeros(count, dtype=np.float64))


def family_points(skeletons: Matrix, bodies: Matrix) -> Points:
    """Return the points families are searched among: skeleton and body in equal parts, projected.

    The projection draws signs from a fixed hash and sums in NumPy's own loops, so that a point does not depend on the
    number of threads. Rows where both vectors are unusable give zeros.

    Args:
        skeletons: Skeleton vectors, shape (points, any).
        bodies: Body vectors, shape (points, any).
    """
    joined = np.hstack([unit_rows(skeletons), unit_rows(bodies)]).astype(np.float64)
    projected = np.einsum("ij,jk->ik", joined, _signs(joined.shape[1]), optimize=False)
    lengths = np.sqrt((projected * projected).sum(axis=1, keepdims=True))
    return np.divide(projected, lengths, out=np.zeros_like(projected), where=lengths > 0)


def _signs(dimensions: int) -> NDArray[np.float64]:
    drawn = hashlib.shake_256(b"family points").digest(dimensions * POINT_DIMENSIONS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, dtype=np.uint8)).astype(np.float64)
    return (2 * bits - 1).reshape(dimensions, POINT_DIMENSIONS)


def find_families(points: Points, ids: Sequence[str], *, engine: FamilyEngine, max_points: int, seed: int) -> Families:
    """Return the family of each point.

    Families are numbered by their smallest id, so that nothing depends on the order of the points. Sets too small for
    the engine are all noise; above `max_points` those drawn by a hash of (seed, id) are clustered and the others join.

    Args:
        points: Shape (points, POINT_DIMENSIONS); rows of zeros are noise.
        ids: Unique id of each point.
        engine: What clusters.
        max_points: Points clustered at most.
        seed: Seed of the draw.
    """
    families = _all_noise(len(points))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    order = order[usable_rows(points[order])] if len(order) else order
    if len(order) < engine.min_points:
        return families
    sample = order
    if len(order) > max_points:
        drawn = sorted(order.tolist(), key=lambda row: sha_hex(seed, "families", ids[row]))[:max_points]
        sample = order[np.isin(order, np.array(drawn, dtype=np.int64))]
    rest = np.setdiff1d(order, sample, assume_unique=True)
    for rows, found in zip((sample, rest), engine.cluster(points[sample], points[rest]), strict=True):
        families.labels[rows] = found.labels
        families.probabilities[rows] = found.probabilities
    return Families(_renumbered(families.labels, order), families.probabilities)


def _renumbered(labels: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    number: dict[int, int] = {NOISE: NOISE}
    for label in labels[order].tolist():
        number.setdefault(label, len(number) - 1)
    return np.array([number[label] for label in labels.tolist()], dtype=np.int64)


@dataclass
class FindFamilies(beam.PTransform[PCollection[tuple[str, np.ndarray]], PCollection[tuple[str, pa.Table]]]):
    """Find the families of each kind of environment.

    Takes (part name, rows of one kind of environment), gives (part name, table of `FAMILY_SCHEMA`).

    Args:
        points_path: `.npy` file of points, shape (rows, POINT_DIMENSIONS).
        ids_path: `.npy` file of the rows' ids.
        engine: Name of the engine.
        min_cluster_size: Smallest family.
        min_samples: Neighbours that make a point dense.
        max_points: Points clustered exactly.
        seed: Seed of the sample.
    """

    points_path: Path
    ids_path: Path
    engine: str
    min_cluster_size: int
    min_samples: int
    max_points: int
    seed: int

    def expand(self, kinds: PCollection[tuple[str, np.ndarray]]) -> PCollection[tuple[str, pa.Table]]:
        return kinds | "ClusterKind" >> beam.ParDo(_ClusterKind(self))


class _ClusterKind(beam.DoFn):
    def __init__(self, wanted: FindFamilies) -> None:
        self._points_path = wanted.points_path
        self._ids_path = wanted.ids_path
        self._engine_name = wanted.engine
        self._sizes = (wanted.min_cluster_size, wanted.min_samples)
        self._max_points = wanted.max_points
        self._seed = wanted.seed

    def setup(self) -> None:
        self._points = np.load(self._points_path, mmap_mode="r")
        self._ids = np.load(self._ids_path, mmap_mode="r")
        min_cluster_size, min_samples = self._sizes
        self._engine = make_engine(self._engine_name, min_cluster_size=min_cluster_size, min_samples=min_samples)

    def process(self, kind: tuple[str, np.ndarray]) -> Iterator[tuple[str, pa.Table]]:
        name, rows = kind
        found = find_families(
            np.asarray(self._points[rows]),
            self._ids[rows].tolist(),
            engine=self._engine,
            max_points=self._max_points,
            seed=self._seed,
        )
        columns = [pa.array(column) for column in (rows, found.labels, found.probabilities)]
        yield name, pa.Table.from_arrays(columns, schema=FAMILY_SCHEMA)
