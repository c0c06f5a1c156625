"""Lake-wide search for near vectors: k-means buckets, each vector in its two nearest, every pair of a bucket compared.

One bucket per vector, as SemDeDup has it, loses the pairs that a border parts (15 % of them at cosine .93); the second
bucket finds nearly all of those. Inside a bucket a float32 product finds candidates and `pair_cosines` decides. A
product of a bucket of some hundred rows takes milliseconds: an index would cost more to build than it saves.

Who wants to know what is near among itself asks `near_pairs`; a set of queries against a base is the same question
with `num_base` set. `nearest` looks a single vector up.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.similarity.centres import Whole, fit_centres, nearest_centres, whole_rows
from transforms.similarity.rescoring import CANDIDATE_MARGIN, Matrix, pair_cosines, unit_rows, usable_rows

Rows = NDArray[np.int64]
"""Numbers of rows of a matrix of vectors, or places in such a list; shape (rows,)."""

ROWS_PER_BUCKET: Final = 200
"""Rows a bucket is made for. Buckets grow beyond it only where 2√n buckets are fewer (from 160,000 rows on)."""

MAX_BUCKET_ROWS: Final = 4000
"""A bucket above it is split again: its product of all pairs takes 64 MB."""

_NEAREST = 2
_MIN_BUCKETS = 4
_SAMPLE_PER_BUCKET = 40
_MAX_DEPTH = 6
_UNSPLIT_SHARE = 0.95
_BLOCK_ROWS = 1024
_READ_ROWS = 16384


class Pairs(NamedTuple):
    """Near pairs, ordered by `later`, then `earlier`.

    Attributes:
        later: Place of the one, always behind the other; int64, shape (pairs,).
        earlier: Place of the other; int64, shape (pairs,).
        cosine: From `pair_cosines`; float64, shape (pairs,).
    """

    later: Rows
    earlier: Rows
    cosine: NDArray[np.float64]


class ContentOrder(NamedTuple):
    """Rows by content: nothing but the vectors and the seed decides.

    Attributes:
        drawn: Places of the usable rows, in an order drawn by a hash of (seed, vector); equal vectors lie together.
        twin: For each place the first one with the same vector, its own for an unusable row; shape (rows,).
    """

    drawn: Rows
    twin: Rows


def content_order(vectors: Matrix, rows: Rows, *, seed: int) -> ContentOrder:
    """Draw an order of rows that depends on their content, and find the equal ones.

    Args:
        vectors: Shape (any, dimensions).
        rows: The rows of `vectors` that count, best first.
        seed: Seed of the draw.
    """
    secret = seed.to_bytes(16, "little", signed=True)
    digests: list[bytes] = []
    usable = np.empty(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), _READ_ROWS):
        block = np.ascontiguousarray(vectors[rows[start : start + _READ_ROWS]])
        usable[start : start + _READ_ROWS] = usable_rows(block)
        digests += [hashlib.blake2b(row, digest_size=16, key=secret).digest() for row in block]
    keys = np.frombuffer(b"".join(digests), dtype=">u8").reshape(-1, 2).astype(np.uint64)
    order = np.lexsort((np.arange(len(rows)), keys[:, 1], keys[:, 0]))
    is_first = np.ones(len(rows), dtype=np.bool_)
    is_first[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    twin = np.empty(len(rows), dtype=np.int64)
    twin[order] = order[is_first][np.cumsum(is_first) - 1]
    twin[~usable] = np.flatnonzero(~usable)
    return ContentOrder(order[usable[order]], twin)


def num_buckets(count: int) -> int:
    """Return how many buckets a set of `count` rows is shared out to."""
    return max(_MIN_BUCKETS, min(count // ROWS_PER_BUCKET, int(2 * count**0.5)))


def bucket_centres(vectors: Matrix, drawn: Rows) -> Whole:
    """Return the centres of the buckets of some rows.

    Args:
        vectors: Shape (any, dimensions).
        drawn: The rows in an order drawn by content: the first are the sample.
    """
    count = num_buckets(len(drawn))
    return fit_centres(whole_rows(vectors[drawn[: count * _SAMPLE_PER_BUCKET]]), count)


def share_out_rows(vectors: Matrix, rows: Rows, centres: Whole) -> Iterator[tuple[int, Rows]]:
    """Give each bucket that has any the places of its rows: those for which it is one of the two nearest."""
    found = [
        nearest_centres(whole_rows(vectors[rows[start : start + _READ_ROWS]]), centres, count=_NEAREST)
        for start in range(0, len(rows), _READ_ROWS)
    ]
    buckets = np.concatenate(found).reshape(-1)
    order = np.argsort(buckets, kind="stable")
    ends = np.cumsum(np.bincount(buckets, minlength=len(centres)))
    for bucket, places in enumerate(np.split(order // _NEAREST, ends[:-1])):
        if len(places):
            yield bucket, places


def split_buckets(
    vectors: Matrix, rows: Rows, drawn: Rows, *, max_rows: int = MAX_BUCKET_ROWS, depth: int = 0
) -> Iterator[Rows]:
    """Share rows out to buckets, splitting those above `max_rows` again; each comes in two buckets or more.

    A bucket that k-means cannot split, as one of nearly equal vectors, comes as it is.

    Args:
        vectors: Shape (any, dimensions).
        rows: The row of each place.
        drawn: Places, in an order drawn by content.
        max_rows: Rows above which a bucket is split.
        depth: How often the rows were split already.

    Yields:
        Places of each bucket, ascending.
    """
    if len(drawn) <= ROWS_PER_BUCKET * _NEAREST:
        yield np.sort(drawn)
        return
    for _, found in share_out_rows(vectors, rows[drawn], bucket_centres(vectors, rows[drawn])):
        bucket = drawn[found]
        if len(bucket) <= max_rows or len(bucket) >= _UNSPLIT_SHARE * len(drawn) or depth >= _MAX_DEPTH:
            yield np.sort(bucket)
        else:
            yield from split_buckets(vectors, rows, bucket, max_rows=max_rows, depth=depth + 1)


def bucket_candidates(
    units: NDArray[np.float32], places: Rows, *, cut: np.float32, num_base: int = 0, limit: int | None = None
) -> NDArray[np.int64]:
    """Return the candidate pairs of a bucket, shape (pairs, 2): place of the later, place of the earlier.

    Args:
        units: Unit vectors of the bucket's rows, in the order of `places`.
        places: Ascending places of the rows.
        cut: Score from which a pair is a candidate.
        num_base: The first so many places are a base: they are only ever the earlier of a pair, and nothing else is.
            0: all are compared with all.
        limit: Pairs per row at most: the earliest count. Above `MAX_BUCKET_ROWS` rows each is compared with the first
            so many alone, which bounds the work in a bucket of nearly equal vectors.
    """
    first = int(np.searchsorted(places, num_base))
    found = []
    for start in range(first, len(places), _BLOCK_ROWS):
        end = min(start + _BLOCK_ROWS, len(places))
        width = first if num_base else end
        width = width if limit is None else min(width, MAX_BUCKET_ROWS)
        later, earlier = np.nonzero((units[start:end] @ units[:width].T) >= cut)
        later += start
        is_pair = earlier < later
        later, earlier = later[is_pair], earlier[is_pair]
        if limit is not None:
            nth = np.arange(len(later)) - np.searchsorted(later, later)
            later, earlier = later[nth < limit], earlier[nth < limit]
        found.append(np.column_stack([places[later], places[earlier]]))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)


def verified_pairs(
    vectors: Matrix, rows: Rows, candidates: Iterable[NDArray[np.int64]], *, min_similarity: float
) -> Pairs:
    """Return those of the candidate pairs that reach `min_similarity`, each once.

    Args:
        vectors: Shape (any, dimensions).
        rows: Row of each place.
        candidates: Arrays of (later place, earlier place).
        min_similarity: Cosine a pair must reach.
    """
    codes = [each[:, 0] * len(rows) + each[:, 1] for each in candidates]
    later, earlier = np.divmod(np.unique(np.concatenate([np.empty(0, dtype=np.int64), *codes])), max(1, len(rows)))
    cosines = pair_cosines(vectors, rows[later], rows[earlier])
    near = cosines >= min_similarity
    return Pairs(later[near], earlier[near], cosines[near])


def near_pairs(
    vectors: Matrix, rows: Rows, *, min_similarity: float, seed: int, num_base: int = 0, limit: int | None = None
) -> Pairs:
    """Find the pairs of rows whose cosine reaches `min_similarity`; about one in a hundred is missed.

    Rows that are zero or not finite are in no pair.

    Args:
        vectors: Shape (any, dimensions).
        rows: The rows of `vectors` that count, in the order pairs are told in.
        min_similarity: Cosine of a pair.
        seed: Seed of the buckets.
        num_base: The first so many of `rows` are a base that the others are looked up in; 0: all against all.
        limit: Pairs told per row and bucket at most, the earliest ones; None tells all, and may need memory quadratic
            in the size of a group of near vectors.
    """
    drawn = content_order(vectors, rows, seed=seed).drawn
    cut = np.float32(min_similarity - CANDIDATE_MARGIN)

    def candidates() -> Iterator[NDArray[np.int64]]:
        for places in split_buckets(vectors, rows, drawn):
            yield bucket_candidates(unit_rows(vectors[rows[places]]), places, cut=cut, num_base=num_base, limit=limit)

    return verified_pairs(vectors, rows, candidates(), min_similarity=min_similarity)


def nearest(vectors: Matrix, query: int, *, count: int) -> tuple[Rows, NDArray[np.float64]]:
    """Return the rows nearest to a row, itself left out, nearest first, ties to the smaller row; and their cosines.

    All rows are compared: for one query no bucket pays.

    Args:
        vectors: Shape (any, dimensions).
        query: The row looked up.
        count: Rows wanted; fewer come back where fewer are usable.
    """
    unit = unit_rows(vectors[query : query + 1])[0]
    scores = np.concatenate(
        [unit_rows(vectors[start : start + _READ_ROWS]) @ unit for start in range(0, len(vectors), _READ_ROWS)]
    )
    scores[query] = -np.inf
    wanted = min(count, len(scores) - 1)
    if wanted < 1 or not unit.any():
        return np.empty(0, dtype=np.int64), np.empty(0)
    # A row within the margin of the last one wanted may come before it once cosines are exact.
    least = np.partition(scores, -wanted)[-wanted] - np.float32(CANDIDATE_MARGIN)
    close = np.flatnonzero(scores >= least)
    close = close[usable_rows(vectors[close])]
    cosines = pair_cosines(vectors, np.full(len(close), query), close)
    order = np.lexsort((close, -cosines))[:wanted]
    return close[order], cosines[order]
