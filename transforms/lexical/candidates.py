"""Candidates: texts whose signatures agree in a whole band, found by sorting, then verified by the whole signature."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.signatures import NUM_PERMUTATIONS, Signatures, estimated_similarity
from transforms.lexical.stars import Stars, keeper_first_groups

_MIN_RECALL = 0.98
"""Chance that a pair exactly at the threshold becomes a candidate, at least."""


def band_shape(min_similarity: float) -> tuple[int, int]:
    """Return (bands, rows per band): the widest bands that still find a pair at the threshold with 98 %.

    A pair of similarity s agrees in some band with probability 1 − (1 − s^rows)^bands; .8 gives 18 bands of 7 rows.
    """
    for num_rows in range(NUM_PERMUTATIONS, 1, -1):
        num_bands = NUM_PERMUTATIONS // num_rows
        if 1 - (1 - min_similarity**num_rows) ** num_bands >= _MIN_RECALL:
            return num_bands, num_rows
    return NUM_PERMUTATIONS, 1


def band_buckets(signatures: Signatures, *, num_bands: int, num_rows: int) -> NDArray[np.int64]:
    """Return the bucket of each text in each band, shape (texts, bands); equal numbers mean equal bands.

    Buckets of different bands have different numbers, and a text alone in its bucket has the number -1.
    """
    buckets = np.full((len(signatures), num_bands), -1, dtype=np.int64)
    next_bucket = 0
    for band in range(num_bands):
        rows = np.ascontiguousarray(signatures[:, band * num_rows : (band + 1) * num_rows])
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * num_rows))).ravel()
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        is_shared = counts[inverse] > 1
        buckets[is_shared, band] = next_bucket + inverse[is_shared]
        next_bucket += len(counts)
    return buckets


def lexical_groups(
    signatures: Signatures, order: Sequence[int] | NDArray[np.int64], *, min_similarity: float
) -> Stars:
    """Group texts into keeper-first stars by estimated Jaccard similarity.

    Args:
        signatures: Signatures of texts that have at least one shingle, shape (texts, 128).
        order: The texts from best to worst.
        min_similarity: Estimated Jaccard at or above which a text joins a kept one.
    """
    num_bands, num_rows = band_shape(min_similarity)
    buckets = band_buckets(signatures, num_bands=num_bands, num_rows=num_rows)
    shared = [row[row >= 0].tolist() for row in buckets]
    kept: dict[int, list[int]] = defaultdict(list)

    def neighbours(text: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        candidates = np.array(sorted({other for bucket in shared[text] for other in kept[bucket]}), dtype=np.int64)
        similarity = estimated_similarity(signatures[text], signatures[candidates])
        is_similar = similarity >= min_similarity
        return candidates[is_similar], similarity[is_similar]

    def keep(text: int) -> None:
        for bucket in shared[text]:
            kept[bucket].append(text)

    return keeper_first_groups(order, neighbours, on_keep=keep)


def similar_pairs(signatures: Signatures, *, min_similarity: float) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, that share a band and whose estimate reaches `min_similarity`, in order."""
    num_bands, num_rows = band_shape(min_similarity)
    buckets = band_buckets(signatures, num_bands=num_bands, num_rows=num_rows)
    members: dict[int, list[int]] = defaultdict(list)
    pairs = []
    for text, row in enumerate(buckets):
        shared = row[row >= 0].tolist()
        candidates = np.array(sorted({other for bucket in shared for other in members[bucket]}), dtype=np.int64)
        similarity = estimated_similarity(signatures[text], signatures[candidates])
        pairs += [(other, text) for other in candidates[similarity >= min_similarity].tolist()]
        for bucket in shared:
            members[bucket].append(text)
    return sorted(pairs)
