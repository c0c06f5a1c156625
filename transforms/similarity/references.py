"""Matching against a reference set: which rollouts repeat an item that was curated before.

A rollout repeats an item of its own id, which is the same record, or else one of the same task and the same outcome
class whose estimated Jaccard similarity, or else whose cosine, reaches the threshold that holds inside the lake. An
item that tells no task or outcome is compared with all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.bands import band_shape
from transforms.lexical.signatures import Signatures, estimated_similarity
from transforms.similarity.reference_sets import ReferenceItems
from transforms.similarity.rescoring import CANDIDATE_MARGIN, Matrix, pair_cosines, unit_rows

EXACT: Final = "exact"
LEXICAL: Final = "lexical"
SEMANTIC: Final = "semantic"

MAX_PER_BUCKET: Final = 64
"""Items of one cell and band that a rollout is compared with: those of the smallest ids."""

_BLOCK_ROWS: Final = 256
_ANY: Final = -1

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rollouts and the items they are compared with, shape (pairs,) each."""


class Rollouts(NamedTuple):
    """The representatives to compare.

    Attributes:
        ids: Trajectory id of each.
        task_groups: Task group of each.
        outcome_classes: Outcome class of each.
        signatures: Shape (rollouts, 128); zeros are never compared.
        vectors: Body vectors, shape (rollouts, dimensions).
    """

    ids: Sequence[str]
    task_groups: Sequence[str]
    outcome_classes: Sequence[str]
    signatures: Signatures
    vectors: Matrix


class Hit(NamedTuple):
    """A rollout, the item it repeats, the method that says so and the similarity."""

    rollout: int
    item: int
    method: str
    similarity: float


def match_items(
    rollouts: Rollouts,
    items: ReferenceItems,
    *,
    group_of_key: dict[str, str],
    min_jaccard: float,
    min_cosine: float | None,
) -> list[Hit]:
    """Return the closest item of each rollout that repeats one, in the order of the rollouts; ties by the item's id.

    Args:
        rollouts: The representatives.
        items: The set.
        group_of_key: Task key → task group of the lake.
        min_jaccard: Estimated Jaccard similarity from which a rollout repeats an item.
        min_cosine: Cosine from which it does; None compares no vectors.
    """
    cells = _Cells(rollouts, items, group_of_key)
    found: dict[int, Hit] = {}
    for ours, theirs in _band_pairs(rollouts.signatures, items.signatures, cells, band_shape(min_jaccard)):
        similarity = estimated_similarity(rollouts.signatures[ours], items.signatures[theirs])
        _keep_best(found, ours, theirs, similarity, method=LEXICAL, least=min_jaccard)
    if min_cosine is not None and items.vectors.shape[1] == rollouts.vectors.shape[1]:
        for ours, theirs in _near_pairs(rollouts.vectors, items.vectors, cells, min_cosine):
            fresh = np.array([row not in found or found[row].method == SEMANTIC for row in ours.tolist()], dtype=bool)
            ours, theirs = ours[fresh], theirs[fresh]
            joined = np.concatenate([rollouts.vectors[ours], items.vectors[theirs]])
            places = np.arange(len(ours))
            similarity = pair_cosines(joined, places, places + len(ours))
            _keep_best(found, ours, theirs, similarity, method=SEMANTIC, least=min_cosine)
    item_of = {name: item for item, name in enumerate(items.ids)}
    # What a text is without its boilerplate depends on the lake: the same record may read otherwise in another one.
    found |= {row: Hit(row, item_of[name], EXACT, 1.0) for row, name in enumerate(rollouts.ids) if name in item_of}
    return [found[row] for row in sorted(found)]


class _Cells:
    """Numbers for what may be compared: a rollout has one cell per pattern an item may name."""

    def __init__(self, rollouts: Rollouts, items: ReferenceItems, group_of_key: dict[str, str]) -> None:
        groups = {name: number for number, name in enumerate(sorted(set(rollouts.task_groups)))}
        classes = {name: number for number, name in enumerate(sorted(set(rollouts.outcome_classes)))}
        self._width = len(classes) + 1
        self._ours = [
            (groups[group], classes[name])
            for group, name in zip(rollouts.task_groups, rollouts.outcome_classes, strict=True)
        ]
        theirs = []
        for keys, name in zip(items.task_keys, items.outcome_classes, strict=True):
            mine = sorted({groups[group_of_key[key]] for key in keys if key in group_of_key})
            known_class = name is None or name in classes
            tasks = mine if keys else [_ANY]
            theirs.append(
                [self._number(task, _ANY if name is None else classes[name]) for task in tasks if known_class]
            )
        self.of_items = [(item, cell) for item, cells in enumerate(theirs) for cell in cells]
        self._named = {cell for _, cell in self.of_items}

    def of_rollouts(self) -> list[tuple[int, int]]:
        """Return (rollout, cell) for every cell that an item lies in."""
        return [
            (row, cell)
            for row, (task, name) in enumerate(self._ours)
            for cell in sorted({self._number(t, c) for t in (task, _ANY) for c in (name, _ANY)} & self._named)
        ]

    def _number(self, task: int, name: int) -> int:
        return (task + 1) * self._width + name + 1


def _band_pairs(ours: Signatures, theirs: Signatures, cells: _Cells, shape: tuple[int, int]) -> Iterator[Pairs]:
    """Give the pairs of a cell that agree in a whole band, at most `MAX_PER_BUCKET` items a rollout, cell and band."""
    num_bands, num_rows = shape
    mine, items = cells.of_rollouts(), cells.of_items
    if not mine or not items:
        return
    rows, row_cells = (np.array(column, dtype=np.int64) for column in zip(*mine, strict=True))
    places, place_cells = (np.array(column, dtype=np.int64) for column in zip(*items, strict=True))
    usable, has_text = ours[rows].any(axis=1), theirs[places].any(axis=1)
    rows, row_cells, places, place_cells = rows[usable], row_cells[usable], places[has_text], place_cells[has_text]
    for band in range(num_bands):
        columns = slice(band * num_rows, (band + 1) * num_rows)
        left, right = _keys(row_cells, ours[rows, columns]), _keys(place_cells, theirs[places, columns])
        order = np.argsort(right, kind="stable")
        starts = np.searchsorted(right, left, side="left", sorter=order)
        ends = np.minimum(np.searchsorted(right, left, side="right", sorter=order), starts + MAX_PER_BUCKET)
        counts = ends - starts
        for first in range(0, len(rows), _BLOCK_ROWS):
            block = slice(first, first + _BLOCK_ROWS)
            sizes = counts[block]
            offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            yield np.repeat(rows[block], sizes), places[order[np.repeat(starts[block], sizes) + offsets]]


def _keys(cells: NDArray[np.int64], bands: Signatures) -> NDArray[np.void]:
    """Return one comparable value per row, shape (rows,): equal where the cell and the whole band are."""
    joined = np.hstack([cells.astype(">u8").view(np.uint8).reshape(len(cells), 8), _big_endian(bands)])
    return np.ascontiguousarray(joined).view(np.dtype((np.bytes_, joined.shape[1]))).ravel()


def _big_endian(bands: Signatures) -> NDArray[np.uint8]:
    return np.ascontiguousarray(bands.astype(">u4")).view(np.uint8).reshape(len(bands), 4 * bands.shape[1])


def _near_pairs(ours: Matrix, theirs: Matrix, cells: _Cells, min_cosine: float) -> Iterator[Pairs]:
    """Give the pairs of a cell whose fast cosine is near the threshold or above it."""
    items_of: dict[int, list[int]] = {}
    for item, cell in cells.of_items:
        items_of.setdefault(cell, []).append(item)
    rows_of: dict[int, list[int]] = {}
    for row, cell in cells.of_rollouts():
        rows_of.setdefault(cell, []).append(row)
    for cell in sorted(rows_of):
        items = np.array(items_of[cell], dtype=np.int64)
        units = unit_rows(theirs[items])
        for first in range(0, len(rows_of[cell]), _BLOCK_ROWS):
            rows = np.array(rows_of[cell][first : first + _BLOCK_ROWS], dtype=np.int64)
            near = (unit_rows(ours[rows]) @ units.T) >= np.float32(min_cosine - CANDIDATE_MARGIN)
            left, right = np.nonzero(near)
            yield rows[left], items[right]


def _keep_best(
    found: dict[int, Hit],
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
    similarity: NDArray[np.float64],
    *,
    method: str,
    least: float,
) -> None:
    close = similarity >= least
    for row, item, value in zip(ours[close].tolist(), theirs[close].tolist(), similarity[close].tolist(), strict=True):
        known = found.get(row)
        if known is None or (-value, item) < (-known.similarity, known.item):
            found[row] = Hit(row, item, method, value)
