"""Bands: texts whose signatures agree in a whole band of slots meet in a bucket."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.lexical.scanning import NUM_SLOTS
from transforms.lexical.signatures import Signatures

_MIN_RECALL = 0.98
"""Chance that a pair exactly at the threshold becomes a candidate, at least."""

_FURTHER_SLOTS = 3
"""Slots after its band by which the members of a hot bucket are told apart."""

_PRIME = np.uint64(0x9FB21C651E98DF25)
_MIX = np.uint64(0xC4CEB9FE1A85EC53)

Rows = NDArray[np.int64]
"""Rows of a matrix of signatures, shape (texts,)."""


class Buckets(NamedTuple):
    """The buckets of some texts.

    Attributes:
        of: Bucket of each text in each band, -1 where it is alone; int32, shape (texts, bands).
        sizes: Texts in each bucket; int64, shape (buckets,).
    """

    of: NDArray[np.int32]
    sizes: NDArray[np.int64]


def band_shape(min_similarity: float) -> tuple[int, int]:
    """Return (bands, rows per band): the widest bands that still find a pair at the threshold with 98 %.

    A pair of similarity s agrees in some band with probability 1 − (1 − s^rows)^bands; .8 gives 18 bands of 7 rows.
    """
    for num_rows in range(NUM_SLOTS, 1, -1):
        num_bands = NUM_SLOTS // num_rows
        if 1 - (1 - min_similarity**num_rows) ** num_bands >= _MIN_RECALL:
            return num_bands, num_rows
    return NUM_SLOTS, 1


def least_matches(min_similarity: float) -> int:
    """Return the smallest number of equal slots whose share of all reaches `min_similarity`."""
    return next(matches for matches in range(NUM_SLOTS + 1) if matches / NUM_SLOTS >= min_similarity)


def band_buckets(signatures: Signatures, rows: Rows, *, num_bands: int, num_rows: int) -> Buckets:
    """Return the buckets of some texts; those of different bands have different numbers.

    Bands are compared by a 64-bit hash of theirs: two that share it by chance are a candidate more, to be verified.
    """
    hashes = _band_hashes(read_only(signatures), rows, num_bands, num_rows, num_rows)
    return _numbered(hashes)


def sub_buckets(
    signatures: Signatures, rows: Rows, buckets: Buckets, *, num_rows: int, max_size: int
) -> Buckets | None:
    """Return how buckets of more than `max_size` texts split by three slots more; None when there are none.

    A text outside such buckets is in no sub-bucket.
    """
    is_hot = buckets.sizes > max_size
    if not is_hot.any():
        return None
    num_bands = buckets.of.shape[1]
    hashes = _band_hashes(read_only(signatures), rows, num_bands, num_rows, num_rows + _FURTHER_SLOTS)
    hot = (buckets.of >= 0) & is_hot[buckets.of]
    return _numbered(hashes, among=hot)


def read_only(signatures: Signatures) -> Signatures:
    """Return the signatures as the one kind of array that compiled loops are made for; nothing is copied."""
    view = np.asarray(signatures).view()
    view.flags.writeable = False
    return view


def _numbered(hashes: NDArray[np.uint64], *, among: NDArray[np.bool_] | None = None) -> Buckets:
    """Number the hashes, shape (bands, texts), that several texts of a band share."""
    num_bands, num_texts = hashes.shape
    numbers = np.full((num_texts, num_bands), -1, dtype=np.int32)
    sizes: list[NDArray[np.int64]] = []
    next_bucket = 0
    for band in range(num_bands):
        texts = np.arange(num_texts) if among is None else np.flatnonzero(among[:, band])
        order = texts[np.argsort(hashes[band, texts], kind="stable")]
        ordered = hashes[band, order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(order) else order
        counts = np.diff(np.append(starts, len(order)))
        is_shared = counts > 1
        number = np.where(is_shared, next_bucket + np.cumsum(is_shared) - 1, -1).astype(np.int32)
        numbers[order, band] = np.repeat(number, counts)
        sizes.append(counts[is_shared])
        next_bucket += int(is_shared.sum())
    return Buckets(numbers, np.concatenate([np.zeros(0, dtype=np.int64), *sizes]))


@compiled
def num_equal(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> np.int64:
    """Return in how many slots two signatures agree."""
    count = np.int32(0)
    for slot in range(NUM_SLOTS):
        count += np.int32(left[slot] == right[slot])
    return np.int64(count)


@compiled
def _band_hashes(
    signatures: Signatures, rows: Rows, num_bands: int, num_rows: int, num_read: int
) -> NDArray[np.uint64]:
    """Return a hash of `num_read` slots from the start of each band on, shape (bands, texts)."""
    hashes = np.empty((num_bands, rows.size), dtype=np.uint64)
    for text in range(rows.size):
        slots = signatures[rows[text]]
        for band in range(num_bands):
            value = np.uint64(band)
            for offset in range(num_read):
                value = (value ^ np.uint64(slots[(band * num_rows + offset) % slots.size])) * _PRIME
                value ^= value >> np.uint64(29)
            hashes[band, text] = value * _MIX
    return hashes
