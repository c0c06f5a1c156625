"""Behaviour families: representatives of one kind of environment that act alike, whatever their task.

A family is found on what was done (skeleton) and said (body), never on the task's text: there a family would be
nothing but the task. What belongs to no family is noise: a stratum of its own, never a reason to drop anything.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.pvalue import PCollection
from numpy.typing import NDArray

from transforms.similarity.buckets import content_order
from transforms.similarity.centres import whole_rows
from transforms.similarity.engines import (
    NOISE,
    Families,
    FamilyEngine,
    Points,
    all_noise,
    enough_points,
    make_engine,
)
from transforms.similarity.large_cells import cell_groups
from transforms.similarity.neighbours import distance_blocks
from transforms.similarity.rescoring import Matrix, unit_rows, usable_rows
from transforms.similarity.spanning import SAME_DISTANCE, SAME_SIMILARITY
from transforms.store.keys import sha_hex

POINT_DIMENSIONS: Final = 256
"""Dimensions families are searched in. HDBSCAN took 1.9 CPU-s on 4,000 points in 64, 3.9 in 256 and 6.3 in 384
dimensions; of 60 planted families it lost none in 256, but left half of all points as noise in 64."""

_NEIGHBOURS = 20

FAMILY_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),
        pa.field("family", pa.int64(), nullable=False),
        pa.field("probability", pa.float64(), nullable=False),
    ]
)
"""A representative's row, the number of its family inside its kind of environment (-1: noise), and how surely it
belongs there."""


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


def find_families(
    points: Points, ids: Sequence[str], counts: Sequence[int], *, engine: FamilyEngine, seed: int
) -> Families:
    """Return the family of each point.

    Equal points count as one that stands more often, and what stands often enough is a family by itself. Families are
    numbered by their smallest id, so that nothing depends on the order of the points. Above the engine's `max_points`
    those drawn by a hash of (seed, id) are clustered, and the others join their nearest one's family where they lie as
    near to it as the family's members lie to each other.

    Args:
        points: Shape (points, POINT_DIMENSIONS); rows of zeros are noise.
        ids: Unique id of each point.
        counts: How many trajectories each point stands for.
        engine: What clusters.
        seed: Seed of the draw.
    """
    families = all_noise(len(points))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    order = order[usable_rows(points[order])] if len(order) else order
    if not len(order):
        return families
    twin = content_order(points, order, seed=seed).twin
    first, place = np.unique(twin, return_inverse=True)
    weights = np.bincount(place, weights=np.asarray(counts, dtype=np.int64)[order]).astype(np.int64)
    distinct = order[first]
    if weights.sum() >= engine.min_cluster_size:
        found = _cluster(points[distinct], [ids[row] for row in distinct.tolist()], weights, engine=engine, seed=seed)
        families.labels[order] = found.labels[place]
        families.probabilities[order] = found.probabilities[place]
    return Families(_renumbered(families.labels, order), families.probabilities)


def _cluster(
    points: Points, ids: Sequence[str], weights: NDArray[np.int64], *, engine: FamilyEngine, seed: int
) -> Families:
    """Cluster distinct usable points in the order of their ids."""
    counts = np.minimum(weights, enough_points(engine.min_cluster_size, engine.min_samples))
    sample = np.arange(len(points))
    if counts.sum() > engine.max_points:
        drawn = np.array(sorted(sample.tolist(), key=lambda row: sha_hex(seed, "families", ids[row])), dtype=np.int64)
        sample = np.sort(drawn[np.cumsum(counts[drawn]) <= engine.max_points])
    families = all_noise(len(points))
    nearest = np.full(len(points), np.inf)
    if len(sample) > 1:
        found, density = engine.cluster(points[sample], counts[sample])
        families.labels[sample], families.probabilities[sample] = found
        nearest[sample] = density.nearest
        rest = np.setdiff1d(np.arange(len(points)), sample, assume_unique=True)
        joined = join_nearest(points[rest], points[sample], found, cores=density.core)
        families.labels[rest], families.probabilities[rest], nearest[rest] = *joined.families, joined.nearest
    is_tight = (nearest <= SAME_DISTANCE) | (weights >= engine.min_cluster_size)
    _add_tight_groups(points, families, is_tight, weights=weights, min_cluster_size=engine.min_cluster_size)
    return families


class Joined(NamedTuple):
    """Families of points that were not clustered, and the distance of each one's nearest clustered point."""

    families: Families
    nearest: NDArray[np.float64]


def join_nearest(points: Points, clustered: Points, families: Families, *, cores: NDArray[np.float64]) -> Joined:
    """Let points join the family of their nearest clustered point, ties to the first.

    A point that is further from it than the core distance of the family's loosest member is noise.

    Args:
        points: The points to join.
        clustered: The points clustered.
        families: Their families.
        cores: Their core distances.
    """
    loosest = np.zeros(families.labels.max(initial=NOISE) + 2)
    np.maximum.at(loosest, families.labels, cores)
    loosest[NOISE] = 0
    reach = loosest[families.labels]
    joined = Joined(all_noise(len(points)), np.full(len(points), np.inf))
    for start, distances in distance_blocks(whole_rows(points), whole_rows(clustered)):
        nearest = distances.argmin(axis=1)
        block = slice(start, start + len(nearest))
        joined.nearest[block] = distances[np.arange(len(nearest)), nearest]
        near = joined.nearest[block] <= reach[nearest]
        joined.families.labels[block] = np.where(near, families.labels[nearest], NOISE)
        joined.families.probabilities[block] = np.where(near, families.probabilities[nearest], 0)
    return joined


def _add_tight_groups(
    points: Points,
    families: Families,
    is_tight: NDArray[np.bool_],
    *,
    weights: NDArray[np.int64],
    min_cluster_size: int,
) -> None:
    """Make families of noise that lies as near together as redundant runs do.

    HDBSCAN tells dense from less dense: where there is one group and nothing else it sees noise.
    """
    noise = np.flatnonzero(is_tight & (families.labels == NOISE))
    order = noise[np.lexsort((noise, -weights[noise]))]
    stars = cell_groups(points, order, min_similarity=SAME_SIMILARITY, neighbours=_NEIGHBOURS, seed=0)
    sizes = np.bincount(stars.keeper, weights=weights[order], minlength=len(order))
    of_family = sizes[stars.keeper] >= min_cluster_size
    families.labels[order[of_family]] = families.labels.max(initial=NOISE) + 1 + stars.keeper[of_family]
    families.probabilities[order[of_family]] = stars.similarity[of_family]


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
        counts_path: `.npy` file of the trajectories each row stands for.
        engine: Name of the engine.
        min_cluster_size: Smallest family.
        min_samples: Neighbours that make a point dense.
        min_similarity: Cosine below which points are never alike.
        max_points: Points clustered, copies counted; the others join.
        seed: Seed of the sample.
    """

    points_path: Path
    ids_path: Path
    counts_path: Path
    engine: str
    min_cluster_size: int
    min_samples: int
    min_similarity: float
    max_points: int
    seed: int

    def expand(self, kinds: PCollection[tuple[str, np.ndarray]]) -> PCollection[tuple[str, pa.Table]]:
        return kinds | "ClusterKind" >> beam.ParDo(_ClusterKind(self))


class _ClusterKind(beam.DoFn):
    def __init__(self, wanted: FindFamilies) -> None:
        self._points_path = wanted.points_path
        self._ids_path = wanted.ids_path
        self._counts_path = wanted.counts_path
        self._engine_name = wanted.engine
        self._sizes = (wanted.min_cluster_size, wanted.min_samples)
        self._min_similarity = wanted.min_similarity
        self._max_points = wanted.max_points
        self._seed = wanted.seed

    def setup(self) -> None:
        self._points = np.load(self._points_path, mmap_mode="r")
        self._ids = np.load(self._ids_path, mmap_mode="r")
        self._counts = np.load(self._counts_path, mmap_mode="r")
        min_cluster_size, min_samples = self._sizes
        self._engine = make_engine(
            self._engine_name,
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            min_similarity=self._min_similarity,
            max_points=self._max_points,
        )

    def process(self, kind: tuple[str, np.ndarray]) -> Iterator[tuple[str, pa.Table]]:
        name, rows = kind
        found = find_families(
            np.asarray(self._points[rows]),
            self._ids[rows].tolist(),
            self._counts[rows].tolist(),
            engine=self._engine,
            seed=self._seed,
        )
        columns = [pa.array(column) for column in (rows, found.labels, found.probabilities)]
        yield name, pa.Table.from_arrays(columns, schema=FAMILY_SCHEMA)
