"""Approach groups: runs of one cell that go about their task in the same way.

Rollouts that end in the same patch share three shingles in ten as a rule, rollouts of other tasks one in a hundred:
what repeats an approach lies far below the threshold for copies. Such groups count toward a cap; they drop nothing.
"""

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.bands import Rows, least_matches, num_equal, read_only
from transforms.lexical.compiled import compiled
from transforms.lexical.signatures import Signatures

_MAX_COMPARED = 1024
"""Approaches of a cell that a run is compared with, the best ones: a cell with more of them has no use for a cap."""


def approach_groups(
    signatures: Signatures,
    rows: Rows,
    bounds: NDArray[np.int64],
    *,
    keeper: NDArray[np.int64],
    actions: NDArray[np.int64],
    min_similarity: float,
) -> NDArray[np.int64]:
    """Return the place of the first member of each run's approach group, shape (runs,).

    The runs of a cell are walked from the best to the worst. A copy belongs where its keeper does; a run whose calls
    equal those of an earlier one, where that one does; else it joins the best first member whose text is similar
    enough, and is the first member of its own group when there is none.

    Args:
        signatures: Signatures, shape (any, 128).
        rows: Row of each run's signature, -1 for an empty text; cell after cell, in a cell from best to worst.
        bounds: Cell i is `rows[bounds[i]:bounds[i + 1]]`, shape (cells + 1,).
        keeper: Place of the run that each is a copy of, its own for the others; never after it.
        actions: A number for each run's calls in order, equal where they are, -1 for a run without a call.
        min_similarity: Estimated Jaccard at or above which two texts are one approach.
    """
    cells = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    _, codes = np.unique(np.stack([cells, actions]), axis=1, return_inverse=True)
    codes = np.where(actions < 0, -1, codes.reshape(-1)).astype(np.int64)
    approach = np.arange(len(rows), dtype=np.int64)
    _walk(read_only(signatures), rows, bounds, keeper, codes, least_matches(min_similarity), approach)
    return approach


@compiled
def _walk(
    signatures: Signatures,
    rows: Rows,
    bounds: NDArray[np.int64],
    keeper: NDArray[np.int64],
    codes: NDArray[np.int64],
    need: int,
    approach: NDArray[np.int64],
) -> None:
    of_calls = np.full(rows.size + 1, -1, dtype=np.int64)
    firsts = np.empty(_MAX_COMPARED, dtype=np.int64)
    for cell in range(bounds.size - 1):
        num_firsts = 0
        for run in range(bounds[cell], bounds[cell + 1]):
            code = codes[run]
            if keeper[run] != run:
                approach[run] = approach[keeper[run]]
            elif code >= 0 and of_calls[code] >= 0:
                approach[run] = of_calls[code]
            elif rows[run] >= 0:
                for index in range(num_firsts):
                    if num_equal(signatures[rows[run]], signatures[rows[firsts[index]]]) >= need:
                        approach[run] = firsts[index]
                        break
                if approach[run] == run and num_firsts < _MAX_COMPARED:
                    firsts[num_firsts] = run
                    num_firsts += 1
            if code >= 0 and of_calls[code] < 0:
                of_calls[code] = approach[run]
