"""Where to look in a text: matches of a pattern from a place on, and the stretches around places."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import cast

import re2

from transforms.redaction.columns import Place

SpansFrom = Callable[[bytes, int, int], list[Place]]
"""Gives the first match in a text from a place to another, and the groups in it; (-1, -1) for none."""


def spans_of(pattern: "re2._Regexp") -> SpansFrom:
    """Return the search of a pattern past its package's match objects, which cost as much as the matching."""
    return cast("SpansFrom", partial(pattern._regexp.Match, re2._re2.RE2.Anchor.UNANCHORED))


def stretches_around(places: Iterable[Place], *, before: int, behind: int, size: int) -> Iterator[Place]:
    """Yield the stretches that reach so many bytes before and behind places, those that touch as one.

    Args:
        places: Start and end, by their starts.
        before: Bytes before a place.
        behind: Bytes behind it.
        size: Bytes of the text.
    """
    first = last = 0
    for start, end in places:
        if start - before > last:
            if last:
                yield first, last
            first = start - before
        last = max(last, min(size, end + behind))
    if last:
        yield first, last
