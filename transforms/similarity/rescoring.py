"""The one routine that decides how similar two vectors are.

BLAS and FAISS find candidates fast, but the last bits of their scores move with the number of threads and with what
else is in a batch. A threshold on such scores would flip pairs. Here a cosine is a sum in float64 over the two rows
alone, in NumPy's fixed pairwise order and without threads, so it is the same wherever and beside whatever it is taken.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]
"""Vectors, shape (rows, dimensions), of any float type and length."""

CANDIDATE_MARGIN = 1e-3
"""How far below a threshold a fast float32 score still makes a candidate: float32 sums of 8,192 products of unit
vectors err by less than 5e-4."""

_BLOCK_PAIRS = 2048
"""Pairs gathered at a time; bounds memory, changes no result."""


def pair_cosines(vectors: Matrix, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of rows, shape (pairs,).

    Equal rows have exactly 1; a row that is zero or not finite has 0 with every row.
    """
    cosines = np.zeros(len(left), dtype=np.float64)
    for start in range(0, len(left), _BLOCK_PAIRS):
        block = slice(start, start + _BLOCK_PAIRS)
        cosines[block] = _block_cosines(vectors[left[block]], vectors[right[block]])
    return cosines


def _block_cosines(first: Matrix, second: Matrix) -> NDArray[np.float64]:
    a = np.ascontiguousarray(first, dtype=np.float64)
    b = np.ascontiguousarray(second, dtype=np.float64)
    usable = usable_rows(a) & usable_rows(b)
    a[~usable] = b[~usable] = 0
    lengths = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    cosines = np.divide((a * b).sum(axis=1), lengths, out=np.zeros(len(a)), where=lengths > 0)
    cosines[usable & (a == b).all(axis=1)] = 1
    return np.clip(cosines, -1, 1)


def usable_rows(vectors: Matrix) -> NDArray[np.bool_]:
    """Say which rows can be compared: finite throughout and not zero, shape (rows,)."""
    return np.asarray(np.isfinite(vectors).all(axis=1) & vectors.any(axis=1), dtype=np.bool_)


def unit_rows(vectors: Matrix) -> NDArray[np.float32]:
    """Return the rows as float32 vectors of length 1, for fast searches; unusable rows are zeros."""
    raw = np.array(vectors, dtype=np.float64)
    raw[~usable_rows(raw)] = 0
    lengths = np.sqrt((raw * raw).sum(axis=1, keepdims=True))
    return np.divide(raw, lengths, out=raw, where=lengths > 0).astype(np.float32)
