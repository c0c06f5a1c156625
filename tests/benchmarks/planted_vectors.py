"""Vectors with planted neighbours and families for the benchmarks of search and families."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384


def near_vectors(count: int, *, seed: int = 0) -> NDArray[np.float16]:
    """Return vectors of 16 latent dimensions in groups of one to 15, their cosines spread over the threshold .93.

    Low inner dimension is what makes the search hard: groups lie close to each other, and borders of buckets part
    them (one bucket per vector finds .88 of the pairs of 50,000).
    """
    random = np.random.default_rng(seed)
    latent = 16
    axes = random.normal(size=(latent, DIMENSIONS)) / np.sqrt(latent)
    num_groups = count // 7
    topics = random.normal(size=(count // 50, latent))
    groups = topics[random.integers(0, len(topics), num_groups)] + random.normal(size=(num_groups, latent)) * 0.5
    member_of = np.repeat(np.arange(num_groups), random.integers(1, 16, num_groups))[:count]
    inside = random.normal(size=(len(member_of), latent)) * 0.28 * random.uniform(0.3, 1, size=(len(member_of), 1))
    vectors = (groups[member_of] + inside) @ axes + random.normal(size=(len(member_of), DIMENSIONS)) * 0.1
    return vectors[random.permutation(len(vectors))].astype(np.float16)


def planted_families(
    count: int, *, size: int = 25, noise: float = 0.4, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return unit vectors and their family: families of `size` around shared topics, a share of noise (-1)."""
    random = np.random.default_rng(seed)
    num_families = int(count * (1 - noise)) // size
    topics = random.normal(size=(max(4, num_families // 20), DIMENSIONS))
    centres = topics[random.integers(0, len(topics), num_families)] + random.normal(size=(num_families, DIMENSIONS))
    spread = 0.35 * np.linalg.norm(centres, axis=1).mean() / np.sqrt(DIMENSIONS)
    members = np.repeat(centres, size, axis=0)
    members = members + random.normal(size=members.shape) * spread
    num_noise = count - len(members)
    alone = topics[random.integers(0, len(topics), num_noise)] + random.normal(size=(num_noise, DIMENSIONS)) * 1.3
    points = np.concatenate([members, alone])
    families = np.concatenate([np.repeat(np.arange(num_families), size), np.full(num_noise, -1)])
    order = random.permutation(count)
    return points[order] / np.linalg.norm(points[order], axis=1, keepdims=True), families[order]


def write_large_cell(path: Path, count: int, *, is_identical: bool) -> None:
    """Write vectors of one large cell as a `.npy` file, in blocks so that they are never in memory together."""
    target = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(count, DIMENSIONS))
    for start in range(0, count, 50_000):
        block = near_vectors(60_000, seed=start)[: min(50_000, count - start)]
        target[start : start + len(block)] = np.tile(near_vectors(100)[:1], (len(block), 1)) if is_identical else block
    target.flush()
