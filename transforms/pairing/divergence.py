"""Where two conversations part."""

from collections.abc import Sequence
from typing import TypeVar

_Element = TypeVar("_Element")


def first_divergence(left: Sequence[_Element], right: Sequence[_Element]) -> int:
    """Return the index of the first element in which the two differ.

    Elements may be messages or their hashes. Where one is the beginning of the other, or both are equal, the answer is
    the length of the shorter.
    """
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))
