"""The nearest neighbours of every point, for density: exact in small sets, inside buckets in large ones.

Distances are taken of whole-number vectors, whose products are the same for any number of threads: families are read
off a graph, so here a neighbour must not even change places with another. The rounding moves a cosine by about 1e-4.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.similarity.buckets import MAX_BUCKET_ROWS, Rows, content_order, split_buckets
from transforms.similarity.centres import Whole, whole_rows
from transforms.similarity.rescoring import Matrix

_BLOCK_DISTANCES: Final = 2**20
"""Distances at a time: 4 MB stay in a core's cache through the steps that follow the product."""


class Neighbours(NamedTuple):
    """The nearest neighbours of each point, nearest first, itself left out.

    Attributes:
        number: int64, shape (points, count); -1 where there are fewer.
        distance: Euclidean distance of unit vectors; float64, shape (points, count), inf where there are fewer.
    """

    number: NDArray[np.int64]
    distance: NDArray[np.float64]


def nearest_neighbours(points: Matrix, count: int) -> Neighbours:
    """Return the nearest neighbours of usable points, equally near ones in the order of their rows.

    Args:
        points: Shape (points, dimensions), no row zero or not finite.
        count: Neighbours per point.
    """
    whole = whole_rows(points)
    if len(points) <= MAX_BUCKET_ROWS:
        found = [_nearest_inside(whole, np.arange(len(points)), count)]
    else:
        rows = np.arange(len(points))
        drawn = content_order(points, rows, seed=0).drawn
        found = [_nearest_inside(whole, bucket, count) for bucket in split_buckets(points, rows, drawn)]
    return _merged(np.concatenate(found), len(points), count=count)


_FOUND = np.dtype([("point", "<i4"), ("neighbour", "<i4"), ("distance", "<f8")])


def _nearest_inside(whole: Whole, places: Rows, count: int) -> NDArray[np.void]:
    """Return the nearest neighbours among some points, shape (points × count,)."""
    members = whole[places]
    wanted = min(count, len(places) - 1)
    parts = [np.empty(0, dtype=_FOUND)]
    for start, distances in distance_blocks(members, members):
        own = np.arange(len(distances))
        distances[own, own + start] = np.inf
        if wanted < 1:
            continue
        # Among equally near points a partition may take any: all up to the last distance are looked at.
        limits = np.partition(distances, wanted - 1, axis=1)[:, wanted - 1 : wanted]
        row, column = np.nonzero(distances <= limits)
        part = np.empty(len(row), dtype=_FOUND)
        part["point"], part["neighbour"] = places[row + start], places[column]
        part["distance"] = distances[row, column]
        parts.append(_first_of_each(part, count))
    return np.concatenate(parts)


def _first_of_each(found: NDArray[np.void], count: int) -> NDArray[np.void]:
    found = found[np.lexsort((found["neighbour"], found["distance"], found["point"]))]
    nth = np.arange(len(found)) - np.searchsorted(found["point"], found["point"])
    return found[nth < count]


def _merged(found: NDArray[np.void], num_points: int, *, count: int) -> Neighbours:
    codes = found["point"].astype(np.int64) * num_points + found["neighbour"]
    found = _first_of_each(found[np.unique(codes, return_index=True)[1]], count)
    nth = np.arange(len(found)) - np.searchsorted(found["point"], found["point"])
    number = np.full((num_points, count), -1, dtype=np.int64)
    distance = np.full((num_points, count), np.inf)
    number[found["point"], nth] = found["neighbour"]
    distance[found["point"], nth] = found["distance"]
    return Neighbours(number, distance)


def distance_blocks(rows: Whole, others: Whole) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Give the distances of some rows to all others, block by block: first row, float32 matrix (rows, others)."""
    lengths = np.sqrt((others.astype(np.float64) ** 2).sum(axis=1)).astype(np.float32)
    step = max(16, _BLOCK_DISTANCES // max(1, len(others)))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        own = np.sqrt((block.astype(np.float64) ** 2).sum(axis=1)).astype(np.float32)
        cosines = block @ others.T
        cosines /= own[:, None]
        cosines /= lengths
        yield start, np.sqrt(np.maximum(0, 2 - 2 * cosines, out=cosines), out=cosines)
