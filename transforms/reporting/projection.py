"""A plane to look at the rollouts on: the two main directions of their vectors, the same on every machine."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from transforms.reporting.frames import Frames
from transforms.store.keys import seeded_order

Row = dict[str, Any]

MAX_POINTS: Final = 1500
"""Points drawn at most: more make a page of megabytes that shows nothing more."""
NUM_ITERATIONS: Final = 200
"""Power iterations per direction: the map is a picture, and a fixed count gives fixed bits."""
_SCALE: Final = 1 << 12
_EXACT: Final = 1 << 53
"""Integers below it are floats, and so are their sums in any order."""


def project(vectors: np.ndarray) -> np.ndarray:
    """Return the points' coordinates on their two main directions, each direction's largest loading positive.

    Power iteration on the covariance of the vectors rounded to 1/4096. Products of integers add up to the same sum in
    any order and the iteration calls no BLAS on fractions, so thread counts cannot move a point.

    Args:
        vectors: Floats of shape (points, dimensions), at least one dimension.

    Returns:
        Floats of shape (points, 2), scaled so that the largest absolute coordinate is 1 (0 when all points agree).
    """
    num_points, num_dimensions = vectors.shape
    if num_points == 0:
        return np.zeros((0, 2))
    whole = np.rint(vectors.astype(np.float64) * _SCALE).astype(np.int64)
    centred = whole * num_points - whole.sum(axis=0)
    products = _products(whole)
    covariance = (products * num_points - np.outer(whole.sum(axis=0), whole.sum(axis=0))).astype(np.float64)
    directions: list[np.ndarray] = []
    for index in range(2):
        start = 1.0 + ((np.arange(num_dimensions) * (index + 3)) % 7) / 7.0
        direction = _main_direction(covariance, start, without=directions)
        if not direction.any():
            break
        directions.append(direction)
    columns = [(centred * direction).sum(axis=1) for direction in directions]
    columns += [np.zeros(num_points)] * (2 - len(columns))
    points = np.stack(columns, axis=1)
    reach = np.abs(points).max()
    return points / reach if reach > 0 else points


def _products(whole: np.ndarray) -> np.ndarray:
    """Return the sums of products of each two columns of integers, exact, shape (dimensions, dimensions)."""
    reach = int(np.abs(whole).max(initial=0))
    if reach * reach * len(whole) >= _EXACT:
        return np.asarray(whole.T @ whole)
    # numpy multiplies matrices of integers without BLAS, a hundred times slower.
    floats = whole.astype(np.float64)
    return (floats.T @ floats).astype(np.int64)


def _main_direction(covariance: np.ndarray, start: np.ndarray, *, without: Sequence[np.ndarray]) -> np.ndarray:
    direction = start
    for _ in range(NUM_ITERATIONS):
        direction = (covariance * direction).sum(axis=1)
        for other in without:
            direction = direction - other * (other * direction).sum()
        length = float(np.sqrt((direction * direction).sum()))
        if length <= 1e-9 * max(float(np.abs(covariance).max()), 1.0):
            return np.zeros_like(direction)
        direction = direction / length
    return direction if direction[np.argmax(np.abs(direction))] > 0 else -direction


def cluster_map(frames: Frames, *, seed: int) -> Row:
    """Return the map of representatives: one point a keeper, its outcome, group size and family.

    Points are drawn by hash of (seed, id) where there are more than `MAX_POINTS`. The fused view is taken, else the
    body's.

    Returns:
        `points` with x and y in [−1, 1], `labels` with the middle of the largest families, `view`, `model` and
        `num_representatives`.
    """
    clusters = frames["clusters"].filter(pl.col("keeper_id") == pl.col("traj_id"))
    embeddings = frames["embeddings"]
    view = "fused" if embeddings.filter(pl.col("view") == "fused").height else "body"
    known = clusters.join(embeddings.filter(pl.col("view") == view), on="traj_id").unique("traj_id").sort("traj_id")
    chosen = seeded_order(known["traj_id"].to_list(), seed=seed, purpose="cluster map")[:MAX_POINTS]
    shown = known.filter(pl.col("traj_id").is_in(chosen)).sort("traj_id")
    vectors = np.array(shown["vector"].to_list(), dtype=np.float64).reshape(shown.height, -1 if shown.height else 0)
    places = np.round(project(vectors), 4) + 0.0
    points = [
        {
            "traj_id": row["traj_id"],
            "x": float(x),
            "y": float(y),
            "outcome": row["outcome_class"],
            "group_size": row["group_size"],
            "family_id": None if row["family_is_noise"] else row["family_id"],
            "family": row["family_label"] or "",
        }
        for row, (x, y) in zip(shown.iter_rows(named=True), places, strict=True)
    ]
    model = shown["model"][0] if shown.height else ""
    return {
        "points": points, "labels": _labels(points), "view": view, "model": model, "num_representatives": known.height,
    }  # fmt: skip


def _labels(points: Sequence[Row], *, limit: int = 8) -> list[Row]:
    members: dict[str, list[Row]] = {}
    for point in points:
        if point["family_id"] is not None:
            members.setdefault(point["family_id"], []).append(point)
    largest = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))[:limit]
    return [
        {
            "family_id": family_id,
            "count": len(group),
            "x": sorted(point["x"] for point in group)[len(group) // 2],
            "y": sorted(point["y"] for point in group)[len(group) // 2],
        }
        for family_id, group in largest
    ]
