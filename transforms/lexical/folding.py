"""Tables of the scan: how characters fold to lower case, and where words begin and end among eight bytes."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.shingles import ALONE

NUM_CODE_POINTS: Final = 0x110000

IN_CONTEXT: Final = np.uint32(0xFFFFFFFF)
"""What a character folds to whose lower case depends on its neighbours, or is more than one."""

IS_ALONE: Final = np.uint32(1 << 24)
"""Set in what a character folds to that is a word by itself."""

NOT_ASCII: Final = np.uint8(1)
"""What a byte beyond ASCII folds to: the code point tells."""

_SPLITS: Final = ("\u0130", "\u03a3")
"""The only characters whose lower case is more than one character or depends on its neighbours."""


@cache
def fold_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return how characters fold: by byte (256) and by code point (1,114,112).

    A word character folds to its lower case, marked if it is a word by itself, any other to 0. A byte beyond ASCII
    folds to 1: the code point tells.
    Characters whose lower case depends on their neighbours, or is more than one, fold to 2^32 − 1.
    """
    points = np.arange(NUM_CODE_POINTS, dtype="<u4")
    splits = [ord(character) for character in _SPLITS]
    # All characters are folded as one text; those that would fold to more than one character are put back after.
    points[splits] = 0
    lower = points.tobytes().decode("utf-32-le", "surrogatepass").lower()
    folded = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    is_word = np.strings.isalnum(folded.view("<U1")) | (folded == ord("_"))
    by_point = np.where(is_word, folded, 0).astype(np.uint32)
    for first, last in ALONE:
        by_point[first : last + 1] |= np.where(by_point[first : last + 1] != 0, IS_ALONE, np.uint32(0))
    by_point[splits] = IN_CONTEXT
    by_byte = np.ones(256, dtype=np.uint8)
    by_byte[:128] = by_point[:128]
    by_byte.flags.writeable = False
    by_point.flags.writeable = False
    return by_byte, by_point


def _places_of_bits() -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the places of the bits that are set in a byte, ascending, and how many are.

    Two places lie in one number, the first in its lower half; shape (256, 4). Places beyond the last are 0.
    """
    places = np.zeros((256, 8), dtype=np.uint64)
    counts = np.zeros(256, dtype=np.uint8)
    for byte in range(256):
        found = [place for place in range(8) if byte >> place & 1]
        places[byte, : len(found)] = found
        counts[byte] = len(found)
    return places[:, ::2] | (places[:, 1::2] << np.uint64(32)), counts


CHANGES, NUM_CHANGES = _places_of_bits()
"""By the mask of the bytes of eight at which a word begins or ends: their places and their number."""
