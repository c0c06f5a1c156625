"""Lexical groups: keeper-first stars of texts whose signatures agree, each member verified against its own keeper.

A group of up to 512 texts is compared with every keeper. In a larger one, keepers are looked up in the bands' buckets.
A bucket that holds more than 256 keepers is hot: it lists the best 256 of them, and every further one in the
sub-bucket of those that agree with it in three slots more, again at most 256. So a member is compared with 512 keepers
of a bucket at most, whatever it holds, and the work grows with the number of texts; what a hot bucket may miss is a
keeper beyond both lists, for a pair that shares no other bucket.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.lexical.bands import (
    Buckets,
    Rows,
    band_buckets,
    band_shape,
    least_matches,
    num_equal,
    read_only,
    sub_buckets,
)
from transforms.lexical.scanning import NUM_SLOTS
from transforms.lexical.signatures import Signatures
from transforms.lexical.stars import Stars

_MAX_COMPARED_WITH_ALL = 512
_MAX_LISTED = 256


def lexical_groups(signatures: Signatures, rows: Rows, *, min_similarity: float) -> Stars:
    """Group texts into keeper-first stars by estimated Jaccard similarity.

    Args:
        signatures: Signatures, shape (any, 128).
        rows: Rows of the texts from best to worst; each text has at least one shingle.
        min_similarity: Estimated Jaccard at or above which a text joins a kept one.
    """
    if len(rows) <= _MAX_COMPARED_WITH_ALL:
        bounds = np.array([0, len(rows)], dtype=np.int64)
        return small_groups(signatures, rows, bounds, min_similarity=min_similarity)
    first, inverse = _distinct_signatures(signatures, rows)
    stars = _banded_groups(signatures, rows[first], min_similarity=min_similarity)
    # Equal signatures share all estimates: they have the keeper of the best of them, or that itself.
    return Stars(first[stars.keeper][inverse], stars.similarity[inverse])


def small_groups(signatures: Signatures, rows: Rows, bounds: NDArray[np.int64], *, min_similarity: float) -> Stars:
    """Group the texts of several cells, each cell by itself, comparing every text with every keeper of its cell.

    Args:
        signatures: Signatures, shape (any, 128).
        rows: Rows of the texts, cell after cell, in a cell from best to worst.
        bounds: Cell i is `rows[bounds[i]:bounds[i + 1]]`, shape (cells + 1,).
        min_similarity: Estimated Jaccard at or above which a text joins a kept one.
    """
    keeper = np.arange(len(rows), dtype=np.int64)
    matches = np.full(len(rows), NUM_SLOTS, dtype=np.int64)
    _compare_with_all(read_only(signatures), rows, bounds, least_matches(min_similarity), keeper, matches)
    return Stars(keeper, matches / NUM_SLOTS)


def similar_pairs(signatures: Signatures, *, min_similarity: float) -> list[tuple[int, int]]:
    """Return pairs (i, j), i < j, of texts whose estimate reaches `min_similarity`, in order.

    Of up to 512 texts, all such pairs. Of more, those of neighbours in a band's bucket, and of its first with each of
    the others: enough to connect what is alike, however many share a bucket.
    """
    count = len(signatures)
    if count <= _MAX_COMPARED_WITH_ALL:
        left, right = np.triu_indices(count, 1)
    else:
        num_bands, num_rows = band_shape(min_similarity)
        buckets = band_buckets(signatures, np.arange(count), num_bands=num_bands, num_rows=num_rows).of
        text, band = np.nonzero(buckets >= 0)
        order = np.argsort(buckets[text, band], kind="stable")
        text, bucket = text[order], buckets[text, band][order]
        is_first = np.concatenate([[True], bucket[1:] != bucket[:-1]]) if len(bucket) else np.zeros(0, dtype=bool)
        first = text[np.flatnonzero(is_first)][np.cumsum(is_first) - 1]
        left = np.concatenate([first[~is_first], text[:-1][~is_first[1:]]])
        right = np.concatenate([text[~is_first], text[1:][~is_first[1:]]])
    pairs = np.unique(np.stack([left, right], axis=1).astype(np.int64), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    equal = _pair_matches(read_only(signatures), pairs)
    return [(i, j) for i, j in pairs[equal >= least_matches(min_similarity)].tolist()]


def is_small(num_texts: int) -> bool:
    """Say whether a cell of that many texts is compared with all its keepers."""
    return num_texts <= _MAX_COMPARED_WITH_ALL


class _Lists(NamedTuple):
    """Room for the keepers of each bucket: those of bucket b begin at `starts[b]`, `lengths[b]` of them are listed."""

    of: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    members: NDArray[np.int32]


def _lists(buckets: Buckets) -> _Lists:
    starts = np.concatenate([[0], np.cumsum(np.minimum(buckets.sizes, _MAX_LISTED))]).astype(np.int64)
    return _Lists(
        buckets.of, starts, np.zeros(len(buckets.sizes), dtype=np.int32), np.empty(starts[-1], dtype=np.int32)
    )


def _banded_groups(signatures: Signatures, rows: Rows, *, min_similarity: float) -> Stars:
    num_bands, num_rows = band_shape(min_similarity)
    buckets = band_buckets(signatures, rows, num_bands=num_bands, num_rows=num_rows)
    split = sub_buckets(signatures, rows, buckets, num_rows=num_rows, max_size=_MAX_LISTED)
    if split is None:
        split = Buckets(np.zeros((0, num_bands), dtype=np.int32), np.zeros(0, dtype=np.int64))
    keeper = np.arange(len(rows), dtype=np.int64)
    matches = np.full(len(rows), NUM_SLOTS, dtype=np.int64)
    need = least_matches(min_similarity)
    _walk(read_only(signatures), rows, need, _lists(buckets), _lists(split), keeper, matches)
    return Stars(keeper, matches / NUM_SLOTS)


def _distinct_signatures(signatures: Signatures, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first place of each distinct signature, ascending, and for each place which of them it is."""
    whole = band_buckets(signatures, rows, num_bands=1, num_rows=NUM_SLOTS).of[:, 0].astype(np.int64)
    places = np.arange(len(rows))
    _, first, inverse = np.unique(np.where(whole < 0, -1 - places, whole), return_index=True, return_inverse=True)
    first_of = np.where(_are_equal(read_only(signatures), rows, first[inverse]), first[inverse], places)
    first, inverse = np.unique(first_of, return_inverse=True)
    return first, inverse


@compiled
def _are_equal(signatures: Signatures, rows: Rows, others: NDArray[np.int64]) -> NDArray[np.bool_]:
    equal = np.empty(rows.size, dtype=np.bool_)
    for text in range(rows.size):
        equal[text] = num_equal(signatures[rows[text]], signatures[rows[others[text]]]) == NUM_SLOTS
    return equal


@compiled
def _pair_matches(signatures: Signatures, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    equal = np.empty(pairs.shape[0], dtype=np.int64)
    for index in range(pairs.shape[0]):
        equal[index] = num_equal(signatures[pairs[index, 0]], signatures[pairs[index, 1]])
    return equal


@compiled
def _compare_with_all(
    signatures: Signatures,
    rows: Rows,
    bounds: NDArray[np.int64],
    need: int,
    keeper: NDArray[np.int64],
    matches: NDArray[np.int64],
) -> None:
    kept = np.empty(rows.size, dtype=np.int64)
    for cell in range(bounds.size - 1):
        num_kept = 0
        for text in range(bounds[cell], bounds[cell + 1]):
            for index in range(num_kept):
                equal = num_equal(signatures[rows[text]], signatures[rows[kept[index]]])
                if equal >= need:
                    keeper[text] = kept[index]
                    matches[text] = equal
                    break
            if keeper[text] == text:
                kept[num_kept] = text
                num_kept += 1


@compiled
def _walk(
    signatures: Signatures,
    rows: Rows,
    need: int,
    lists: _Lists,
    split: _Lists,
    keeper: NDArray[np.int64],
    matches: NDArray[np.int64],
) -> None:
    """Give each text the best keeper it meets in a bucket and resembles, and list it as a keeper if there is none."""
    asked_by = np.full(rows.size, -1, dtype=np.int32)
    has_split = split.of.shape[0] > 0
    for text in range(rows.size):
        _look_up(signatures, rows, need, lists, text, asked_by, keeper, matches)
        if has_split:
            _look_up(signatures, rows, need, split, text, asked_by, keeper, matches)
        if keeper[text] == text:
            _list_keeper(lists, text)
            if has_split:
                _list_keeper(split, text)


@compiled
def _look_up(
    signatures: Signatures,
    rows: Rows,
    need: int,
    lists: _Lists,
    text: int,
    asked_by: NDArray[np.int32],
    keeper: NDArray[np.int64],
    matches: NDArray[np.int64],
) -> None:
    """Compare a text with the listed keepers of its buckets that are better than the one it has, best first."""
    for band in range(lists.of.shape[1]):
        bucket = lists.of[text, band]
        if bucket < 0:
            continue
        start = lists.starts[bucket]
        for place in range(start, start + lists.lengths[bucket]):
            other = np.int64(lists.members[place])
            if other >= keeper[text]:
                break
            if asked_by[other] == text:
                continue
            asked_by[other] = text
            equal = num_equal(signatures[rows[text]], signatures[rows[other]])
            if equal >= need:
                keeper[text] = other
                matches[text] = equal
                break


@compiled
def _list_keeper(lists: _Lists, text: int) -> None:
    """List a keeper in each of its buckets that has room."""
    for band in range(lists.of.shape[1]):
        bucket = lists.of[text, band]
        if bucket >= 0 and lists.lengths[bucket] < lists.starts[bucket + 1] - lists.starts[bucket]:
            lists.members[lists.starts[bucket] + lists.lengths[bucket]] = text
            lists.lengths[bucket] += 1
