"""The minimum spanning forest that HDBSCAN's hierarchy is read off, from nearest neighbours alone."""

from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from transforms.similarity.centres import Whole, whole_rows
from transforms.similarity.neighbours import Neighbours, distance_blocks
from transforms.similarity.rescoring import Matrix

SAME_SIMILARITY: Final = 0.95
"""Cosine from which METHODS 1b calls runs redundant."""

SAME_DISTANCE: Final = (2 - 2 * SAME_SIMILARITY) ** 0.5

_BRIDGE_POINTS = 5

EDGE = np.dtype([("low", "<i8"), ("high", "<i8"), ("reach", "<f8")])
"""Two points, the smaller first, and their mutual reachability: the largest of their distance and core distances."""

Edges = NDArray[np.void]
"""Array of `EDGE`, shape (edges,)."""


def core_distances(found: Neighbours, counts: NDArray[np.int64], *, min_samples: int) -> NDArray[np.float64]:
    """Return how far each point's `min_samples`-th neighbour is, copies counted; inf where it is not among the found.

    Args:
        found: Nearest neighbours of distinct points.
        counts: How often each point stands.
        min_samples: Neighbours that make a point dense.
    """
    of_neighbours = np.where(found.number >= 0, counts[found.number], 0)
    reached = np.cumsum(of_neighbours, axis=1) + (counts - 1)[:, None] >= min_samples
    nth = reached.argmax(axis=1)
    cores = np.where(reached.any(axis=1), found.distance[np.arange(len(nth)), nth], np.inf)
    return np.maximum(np.where(counts > min_samples, 0, cores), SAME_DISTANCE)


def spanning_forest(points: Matrix, found: Neighbours, cores: NDArray[np.float64], *, max_distance: float) -> Edges:
    """Return the minimum spanning forest by mutual reachability, up to `max_distance`.

    A graph of nearest neighbours lacks the edges between groups whose members are each other's neighbours: the
    shortest way out of each group is looked up, until nothing more joins.

    Args:
        points: Distinct unit vectors, shape (points, dimensions).
        found: Their nearest neighbours.
        cores: Their core distances, shape (points,).
        max_distance: What is further apart is not joined.
    """
    row, nth = np.nonzero(found.distance <= max_distance)
    column = found.number[row, nth]
    reach = np.maximum(found.distance[row, nth], np.maximum(cores[row], cores[column]))
    edges = _edges(row, column, reach)
    edges = edges[edges["reach"] <= max_distance]
    whole = whole_rows(points)
    bridges = _bridges(whole, cores, _parts(_mutual(edges), len(cores)), max_distance=max_distance)
    tree = _tree(np.concatenate([edges, bridges]), len(cores))
    while len(bridges := _bridges(whole, cores, _parts(tree, len(cores)), max_distance=max_distance)):
        tree = _tree(np.concatenate([tree, bridges]), len(cores))
    return tree


def with_copies(
    forest: Edges, cores: NDArray[np.float64], counts: NDArray[np.int64], *, beacon: int, max_distance: float
) -> NDArray[np.float64]:
    """Return the spanning tree of all that stands: copies beside their point, parts joined by the beacon.

    What is joined at `SAME_DISTANCE` is joined to one head there, so that nothing within it comes apart.

    Args:
        forest: Spanning forest of the distinct points.
        cores: Their core distances.
        counts: How often each stands.
        beacon: Points of the beacon: a group of its own, `max_distance` away from each part.
        max_distance: As above.

    Returns:
        (one end, other end, distance); points are numbered as repeated by `counts`, the beacon's after them.
    """
    first = np.cumsum(counts) - counts
    total = int(counts.sum())
    copies = np.setdiff1d(np.arange(total), first)
    own = np.repeat(np.arange(len(counts)), counts)[copies]
    heads = _heads(forest, len(counts))
    is_same = forest["reach"] <= SAME_DISTANCE
    same_heads = _heads(forest[is_same], len(counts))
    members = np.flatnonzero(same_heads != np.arange(len(counts)))
    apart = forest[~is_same]
    roots = first[np.unique(heads)]
    parts = [
        (first[apart["low"]], first[apart["high"]], apart["reach"]),
        (first[same_heads[members]], first[members], np.full(len(members), SAME_DISTANCE)),
        (first[own], copies, cores[own]),
        (roots, np.full(len(roots), total), np.full(len(roots), max_distance)),
        (np.full(beacon - 1, total), total + np.arange(1, beacon), np.full(beacon - 1, SAME_DISTANCE)),
    ]
    return np.concatenate([np.column_stack(part) for part in parts])


def _edges(one: NDArray[np.int64], other: NDArray[np.int64], reach: NDArray[np.float64]) -> Edges:
    edges = np.empty(len(one), dtype=EDGE)
    edges["low"], edges["high"], edges["reach"] = np.minimum(one, other), np.maximum(one, other), reach
    return edges[np.lexsort((reach, edges["high"], edges["low"]))]


def _mutual(edges: Edges) -> Edges:
    """Return the edges between points that are among each other's neighbours: those that come twice."""
    return edges[1:][(edges["low"][1:] == edges["low"][:-1]) & (edges["high"][1:] == edges["high"][:-1])]


def _tree(edges: Edges, count: int) -> Edges:
    edges = _edges(edges["low"], edges["high"], edges["reach"])
    is_new = np.ones(len(edges), dtype=np.bool_)
    is_new[1:] = (np.diff(edges["low"]) != 0) | (np.diff(edges["high"]) != 0)
    tree = minimum_spanning_tree(_graph(edges[is_new], count)).tocoo()
    return _edges(tree.row, tree.col, tree.data)


def _graph(edges: Edges, count: int) -> sp.csr_matrix:
    return sp.csr_matrix((edges["reach"], (edges["low"], edges["high"])), shape=(count, count))


def _parts(edges: Edges, count: int) -> NDArray[np.int64]:
    return np.asarray(connected_components(_graph(edges, count), directed=False)[1], dtype=np.int64)


def _heads(edges: Edges, count: int) -> NDArray[np.int64]:
    """Return the smallest point of each point's part."""
    _, first, inverse = np.unique(_parts(edges, count), return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.int64)


def _bridges(whole: Whole, cores: NDArray[np.float64], parts: NDArray[np.int64], *, max_distance: float) -> Edges:
    """Return an edge out of each part of two or more points: the shortest that some of its points have.

    What leads further than `max_distance` is left out. fast_hdbscan joins such parts at infinity, which lets a part of
    a graph live from density zero on, and so win over every family inside it.
    """
    nth = np.empty(len(parts), dtype=np.int64)
    order = np.argsort(parts, kind="stable")
    nth[order] = np.arange(len(parts)) - np.searchsorted(parts[order], parts[order])
    sizes = np.bincount(parts)
    asked = np.flatnonzero((nth < _BRIDGE_POINTS) & (sizes[parts] > 1) & (parts != sizes.argmax()))
    asked = asked[cores[asked] <= max_distance]
    cores32 = cores.astype(np.float32)
    best = np.empty(len(asked), dtype=np.int64)
    reach = np.empty(len(asked))
    for start, distances in distance_blocks(whole[asked], whole):
        mine = asked[start : start + len(distances)]
        reaches = np.maximum(np.maximum(distances, cores32, out=distances), cores32[mine, None], out=distances)
        reaches[parts[mine, None] == parts] = np.inf
        nearest = reaches.argmin(axis=1)
        best[start : start + len(mine)] = nearest
        reach[start : start + len(mine)] = reaches[np.arange(len(mine)), nearest]
    order = np.lexsort((asked, reach, parts[asked]))
    order = order[np.unique(parts[asked][order], return_index=True)[1]]
    order = order[reach[order] <= max_distance]
    return _edges(asked[order], best[order], reach[order])
