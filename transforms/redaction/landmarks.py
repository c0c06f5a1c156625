"""Where values can stand near names, told for all names of a text at once: a name far from any costs no look.

A value has 8 bytes and more without white space, and a digit, a sign or letters of random case among them; only phrases
in quotes have none. What passes here is still judged: this only rules out.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.redaction.far import MAX_GAP_BYTES

AHEAD: Final = 1
"""Bits of a name's looks: for a value across separators or in quotes."""
FAR: Final = 2
"""For a random token on the line."""
BELOW: Final = 4
"""On the line below."""
BEFORE: Final = 8
"""Before the name."""
COLUMN: Final = 16
"""In the column below the name."""
ALL_LOOKS: Final = 31

_FEWEST_BYTES: Final = 8
_FEWEST_IN_PHRASE: Final = 19
"""Bytes of four groups of four letters."""
_REACH_AHEAD: Final = 200
_REACH_BEFORE: Final = 64
_REACH_OF_LINE: Final = 120
"""Bytes from a name to the end of its line if the value may stand below, and from there to the value."""
_REACH_OF_ROWS: Final = 400
_LONGEST_REST: Final = 40
"""Bytes of a name's rest and of what closes it before its line ends."""
_FEWEST_IN_TOKEN: Final = 16
_MOST_IN_RUN: Final = 16
"""Names within one unbroken run that are looked at: every one reads the rest of the run."""
_FAR_AWAY: Final = 1 << 60

_UNBROKEN, _BARE, _MARK, _LINK, _OPENER, _LOWER, _UPPER, _LETTER = (1 << bit for bit in range(8))
_SMALL: Final = b"abcdefghijklmnopqrstuvwxyz"
_MEMBERS: Final = (
    (_UNBROKEN, bytes(set(range(33, 256)) - set(b"\"'`\\"))),
    (_BARE, bytes(set(range(33, 127)) - set(b"\"'`\\,;&|<>(){}[]="))),
    (_MARK, b"0123456789!@#%^*?+~"),
    (_LINK, b"#/*|>=,-"),
    (_OPENER, b">;%"),
    (_LOWER, _SMALL),
    (_UPPER, _SMALL.upper()),
    (_LETTER, _SMALL + b" "),
)
_BITS: Final = np.zeros(256, np.uint8)
for _bit, _members in _MEMBERS:
    _BITS[list(_members)] |= _bit
_ENDS_NAME: Final = ~np.isin(np.arange(256), list(b"=:;&{}[]<>(/!?#"))
"""What can stand behind the name of a column: more of it, or its edge."""
_IS_TOKEN: Final = np.array([byte < 128 and (chr(byte).isalnum() or chr(byte) in "+/_.~:%-") for byte in range(256)])
_QUOTES: Final = np.isin(np.arange(256), list(b"\"'`>\\"))

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


class _Runs(NamedTuple):
    """Stretches of one class of bytes, by position: start, end, and the last mark in each; a far one at the end."""

    starts: Positions
    ends: Positions
    marks: Positions


def looks(text: bytes, starts: Positions, ends: Positions) -> NDArray[np.uint8]:
    """Return for each name the bits of the looks that could find a value.

    Args:
        text: Texts with a NUL between them.
        starts: Where the names begin, in order.
        ends: Where they end.
    """
    first = max(0, int(starts[0]) - 2 * _REACH_BEFORE)
    window = text[first : int(ends[-1]) + 4 * _REACH_OF_ROWS]
    letters = np.frombuffer(window + b"\x00\x00\x00\x00", np.uint8)
    starts, ends = starts - first, ends - first
    bits = _BITS.take(letters)
    marks = np.flatnonzero(_marks(bits))
    unbroken = _runs(bits, _UNBROKEN, marks)
    quoted = _opened(unbroken, letters, bits)
    phrases = _phrases(letters, bits)
    is_ahead = _reaches(_runs(bits, _BARE, marks), ends) | _reaches(quoted, ends) | _begins(phrases, ends)
    breaks = _padded(np.flatnonzero(_is_break(letters)))
    line_ends = breaks.take(np.searchsorted(breaks, ends))
    num_ahead = line_ends - ends
    below = np.minimum(_next(unbroken.starts, line_ends), _next(phrases, line_ends)) - line_ends
    behind = letters.take(ends)
    ends_in_colon = np.isin(letters.take(np.minimum(line_ends, len(letters)) - 1), list(b": \t\r"))
    is_below = (num_ahead <= _REACH_OF_LINE) & (below <= _REACH_OF_LINE) & (ends_in_colon | (num_ahead <= _LONGEST_REST))
    is_column = (num_ahead <= _REACH_OF_ROWS) & (below <= 3 * _REACH_OF_ROWS)
    if b"values" in window.lower():
        is_column |= is_ahead
    is_open = is_below | ~np.isin(behind, list(b"=:"))
    is_before = is_open & _follows(unbroken, phrases, letters=letters, bits=bits, starts=starts)
    found = is_ahead * np.uint8(AHEAD) | is_below * np.uint8(BELOW) | is_before * np.uint8(BEFORE)
    found |= (is_open & is_column & _ENDS_NAME.take(behind)) * np.uint8(COLUMN)
    return found | _has_token_near(letters, ends) * np.uint8(FAR)


def _has_token_near(letters: NDArray[np.uint8], ends: Positions) -> Mask:
    starts, stops = _edges(_IS_TOKEN.take(letters))
    starts = _padded(starts[stops - starts >= _FEWEST_IN_TOKEN])
    return _next(starts, ends) - ends <= MAX_GAP_BYTES


def _marks(bits: NDArray[np.uint8]) -> Mask:
    """Say where a digit or sign stands or letters begin that switch case as no words do."""
    lower, upper = (bits & _LOWER) > 0, (bits & _UPPER) > 0
    found = (bits & _MARK) > 0
    found[:-3] |= lower[:-3] & upper[1:-2] & (upper[2:-1] | (lower[2:-1] & upper[3:]))
    return found


def _edges(is_in: Mask) -> tuple[Positions, Positions]:
    """Return start and end of the stretches of true; the last is false."""
    edges = np.flatnonzero(is_in[1:] != is_in[:-1]) + 1
    if is_in[0]:
        edges = np.concatenate([np.zeros(1, np.int64), edges])
    return edges[::2], edges[1::2]


def _padded(positions: Positions) -> Positions:
    return np.concatenate([positions, np.full(2, _FAR_AWAY)])


def _runs(bits: NDArray[np.uint8], kind: int, marks: Positions) -> _Runs:
    """Return the runs of a class that are long enough for a value and hold a mark."""
    starts, ends = _edges((bits & kind) > 0)
    is_long = ends - starts >= _FEWEST_BYTES
    starts, ends = starts[is_long], ends[is_long]
    last = np.concatenate([np.full(1, -1), marks]).take(np.searchsorted(marks, ends))
    is_marked = last >= starts
    return _Runs(*(_padded(positions[is_marked]) for positions in (starts, ends, last)))


def _opened(unbroken: _Runs, letters: NDArray[np.uint8], bits: NDArray[np.uint8]) -> _Runs:
    """Return the runs that follow a quote, or hold what a quote is written as or an element's end."""
    starts = unbroken.starts[:-2]
    is_opened = _QUOTES.take(letters.take(np.maximum(starts - 1, 0)))
    is_opened |= _counts(bits, _OPENER, starts, unbroken.ends[:-2]) > 0
    is_opened = np.concatenate([is_opened, np.ones(2, bool)])
    return _Runs(*(positions[is_opened] for positions in unbroken))


def _phrases(letters: NDArray[np.uint8], bits: NDArray[np.uint8]) -> Positions:
    """Return where small words begin in quotes."""
    starts, ends = _edges((bits & _LETTER) > 0)
    starts = starts[ends - starts >= _FEWEST_IN_PHRASE]
    return _padded(starts[_QUOTES.take(letters.take(np.maximum(starts - 1, 0)))])


def _counts(bits: NDArray[np.uint8], kind: int, starts: Positions, ends: Positions) -> Positions:
    """Return how many bytes of a class stand in each stretch."""
    places = np.flatnonzero(bits & kind)
    return np.searchsorted(places, ends) - np.searchsorted(places, starts)


def _is_break(letters: NDArray[np.uint8]) -> Mask:
    """Say where lines end, also those written as a backslash and an n."""
    found = letters == ord("\n")
    found[:-1] |= (letters[:-1] == ord("\\")) & (letters[1:] == ord("n"))
    return found


def _next(positions: Positions, since: Positions) -> Positions:
    return positions.take(np.searchsorted(positions[:-1], since))


def _begins(positions: Positions, ends: Positions) -> Mask:
    return _next(positions, ends) - ends <= _REACH_AHEAD


def _reaches(runs: _Runs, ends: Positions) -> Mask:
    """Say which names have 8 bytes of a run near behind them; of names within one run, the first 16."""
    index = np.searchsorted(runs.marks[:-1], ends)
    index += runs.ends.take(index) < ends + _FEWEST_BYTES
    run_starts = runs.starts.take(index)
    rank = np.arange(len(ends)) - np.searchsorted(index, index)
    return (run_starts <= ends + _REACH_AHEAD) & ((rank < _MOST_IN_RUN) | (run_starts > ends))


def _follows(
    unbroken: _Runs, phrases: Positions, *, letters: NDArray[np.uint8], bits: NDArray[np.uint8], starts: Positions
) -> Mask:
    """Say which names follow a value, with something between the two that could link them."""
    run_ends = np.concatenate([np.full(1, -_FAR_AWAY), unbroken.ends])
    last = run_ends.take(np.searchsorted(unbroken.ends, starts, side="right"))
    previous = np.maximum(last - 1, 0)
    is_link = (bits & _LINK) > 0
    for word in (b"for", b"ere"):
        is_link[2:] |= (letters[:-2] == word[0]) & (letters[1:-1] == word[1]) & (letters[2:] == word[2])
    links = np.flatnonzero(is_link)
    is_linked = np.searchsorted(links, starts) > np.searchsorted(links, previous)
    if len(phrases) > 2:
        near = np.searchsorted(phrases, starts) > np.searchsorted(phrases, starts - 4 * _REACH_BEFORE)
        return is_linked & ((starts - last <= _REACH_BEFORE) | near)
    return is_linked & (starts - last <= _REACH_BEFORE)
