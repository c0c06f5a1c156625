"""Where values can stand near names, told for all names of a text at once: a name far from any costs no look.

A value has 8 bytes and more without white space, and a digit, a sign or letters of random case among them. Phrases in
quotes alone have none. What passes here is still judged: this only rules out.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
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


def _table(*members: tuple[int, bytes]) -> NDArray[np.uint8]:
    """Return the bits of every byte."""
    bits = np.zeros(256, np.uint8)
    for bit, letters in members:
        bits[list(letters)] |= bit
    return bits


_BITS: Final = _table(
    (_UNBROKEN, bytes(set(range(33, 256)) - set(b"\"'`\\"))),
    (_BARE, bytes(set(range(33, 127)) - set(b"\"'`\\,;&|<>(){}[]="))),
    (_MARK, b"0123456789!@#%^*?+~"),
    (_LINK, b"#/*|>=,-"),
    (_OPENER, b">;%"),
    (_LOWER, _SMALL),
    (_UPPER, _SMALL.upper()),
    (_LETTER, _SMALL + b" "),
)
"""Of all bytes of a text: what values are made of, what links one to a name behind it, what opens one."""
_GAP, _STOP, _NUL, _ALNUM, _DIGIT, _ENTITY, _GOES_ON, _SIGN = (1 << bit for bit in range(8))
_DIGITS: Final = b"0123456789"
_KINDS: Final = _table(
    (_GAP, b"=: \t\"'`"),
    (_STOP, _SMALL + _SMALL.upper() + _DIGITS + b"\x00\n\r\\$"),
    (_NUL, b"\x00"),
    (_ALNUM, _SMALL + _SMALL.upper() + _DIGITS),
    (_DIGIT, _DIGITS),
    (_ENTITY, b"u0"),
    (_GOES_ON, b"([=:. \t\r\n\"'`\\_"),
    (_SIGN, b"=:"),
)
"""Of bytes behind a name: what a gap goes over, what ends it, and what a word in it is made of and followed by."""
_TOKEN, _QUOTE, _LINE_END, _EDGE, _CELL_END, _WORD = (1 << bit for bit in range(6))
_PLACES: Final = _table(
    (_TOKEN, _SMALL + _SMALL.upper() + _DIGITS + b"+/_.~:%-"),
    (_QUOTE, b"\"'`>\\"),
    (_LINE_END, b": \t\r"),
    (_EDGE, b" \"'`"),
    (_CELL_END, b"|,\t)\r\n"),
    (_WORD, b"_.-" + _SMALL + _SMALL.upper() + _DIGITS),
)
_BYTES_BEHIND: Final = 16
"""Bytes behind a name that are looked at for a word."""

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


class _Runs(NamedTuple):
    """Stretches of one class of bytes with a mark, by position: start and end; two far ones at the end."""

    starts: Positions
    ends: Positions


def looks(text: bytes, starts: Positions, ends: Positions) -> NDArray[np.uint8]:
    """Return for each name the bits of the looks that could find a value.

    Args:
        text: Texts with a NUL between them.
        starts: Where the names begin, in order.
        ends: Where they end.
    """
    first = max(0, int(starts[0]) - 2 * _REACH_BEFORE)
    window = text[first : int(ends[-1]) + 4 * _REACH_OF_ROWS]
    letters = np.frombuffer(window + b"\n\n\n\n", np.uint8)
    starts, ends = starts - first, ends - first
    bits = _BITS.take(letters)
    marks = _counts(_marks(bits))
    unbroken = _runs((bits & _UNBROKEN) > 0, marks)
    quoted = _opened(unbroken, letters, bits)
    phrases = _phrases(letters, bits)
    bare = _runs((bits & _BARE) > 0, marks)
    nuls = _next(_padded(np.flatnonzero(letters == 0)), ends)
    is_ahead = _reaches(bare, ends, nuls) | _reaches(quoted, ends, nuls)
    words, is_found = _words_behind(letters, ends, _KINDS)
    is_ahead = np.where(words >= 0, _covers(bare, words) | _covers(quoted, words), is_ahead)
    is_ahead |= _begins(phrases, ends)
    breaks = _padded(np.flatnonzero(_is_break(letters)))
    line_ends = breaks.take(np.searchsorted(breaks, ends))
    num_ahead = line_ends - ends
    below = np.minimum(_next(unbroken.starts, line_ends), _next(phrases, line_ends)) - line_ends
    ends_in_colon = _PLACES.take(letters.take(np.minimum(line_ends, len(letters)) - 1)) & _LINE_END > 0
    is_below = (
        (num_ahead <= _REACH_OF_LINE)
        & (below <= _REACH_OF_LINE)
        & (line_ends < nuls)
        & (ends_in_colon | (num_ahead <= _LONGEST_REST))
    )
    is_column = (num_ahead <= _REACH_OF_ROWS) & (below <= 3 * _REACH_OF_ROWS)
    if b"values" in window.lower():
        is_column |= is_ahead
    is_open = is_below | (_KINDS.take(letters.take(ends)) & _SIGN == 0)
    is_before = is_open & _follows(unbroken, phrases, letters=letters, bits=bits, starts=starts)
    found = is_ahead * np.uint8(AHEAD) | is_below * np.uint8(BELOW) | is_before * np.uint8(BEFORE)
    found |= (is_open & is_column & _closes_cell(letters, ends)) * np.uint8(COLUMN)
    tokens = _runs(_PLACES.take(letters) & _TOKEN > 0, marks, fewest=_FEWEST_IN_TOKEN)
    found |= (_next(tokens.starts, ends) <= np.minimum(np.minimum(ends + MAX_GAP_BYTES, nuls), line_ends)) * np.uint8(
        FAR
    )
    found[is_found] = 0
    return found


def _closes_cell(letters: NDArray[np.uint8], ends: Positions) -> Mask:
    """Say which names are followed by more of a name, a cell's end, two blanks, or blanks and quotes before an end."""
    is_closed = np.zeros(len(ends), bool)
    is_edge = np.ones(len(ends), bool)
    for distance in range(4):
        places = _PLACES.take(letters.take(np.minimum(ends + distance, len(letters) - 1)))
        is_closed |= is_edge & (places & (_CELL_END if distance else _CELL_END | _WORD) > 0)
        is_edge &= places & _EDGE > 0
    is_aligned = (letters.take(np.minimum(ends + 1, len(letters) - 1)) == ord(" ")) & (letters.take(ends) == ord(" "))
    return is_closed | is_edge | is_aligned


@compiled
def _words_behind(letters: NDArray[np.uint8], ends: Positions, kinds: NDArray[np.uint8]) -> tuple[Positions, Mask]:
    """Return for each name the start of the word that no gap goes over, -1 for none, and whether a NUL comes first.

    Only blanks, signs and quotes stand before it, it ends near, and it has a digit or what follows it ends it all.
    """
    words, is_found = np.full(len(ends), -1, np.int64), np.zeros(len(ends), np.bool_)
    last_place = len(letters) - 1
    for index in range(len(ends)):
        end = ends[index]
        first = 0
        while first < _BYTES_BEHIND and kinds[letters[min(end + first, last_place)]] & _GAP:
            first += 1
        stop = first
        while stop < _BYTES_BEHIND and not kinds[letters[min(end + stop, last_place)]] & _STOP:
            stop += 1
        is_found[index] = stop < _BYTES_BEHIND and kinds[letters[min(end + stop, last_place)]] & _NUL > 0
        if first == 0 or first == _BYTES_BEHIND:
            continue
        last, has_digit = first, False
        while last < _BYTES_BEHIND and kinds[letters[min(end + last, last_place)]] & _ALNUM:
            has_digit |= kinds[letters[min(end + last, last_place)]] & _DIGIT > 0
            last += 1
        if last in (first, _BYTES_BEHIND):
            continue
        has_digit &= kinds[letters[min(end + first, last_place)]] & _ENTITY == 0
        goes_on = kinds[letters[min(end + last, last_place)]] & _GOES_ON > 0
        if has_digit or not goes_on:
            words[index] = end + first
    return words, is_found


def _covers(runs: _Runs, places: Positions) -> Mask:
    """Say which places have 8 bytes of one run from there on."""
    index = np.searchsorted(runs.ends[:-1], places, side="right")
    return (runs.starts.take(index) <= places) & (runs.ends.take(index) - places >= _FEWEST_BYTES)


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


def _runs(is_in: Mask, marks: NDArray[np.int32], *, fewest: int = _FEWEST_BYTES) -> _Runs:
    """Return the runs of a class that are long enough for a value and hold a mark."""
    starts, ends = _edges(is_in)
    is_long = ends - starts >= fewest
    starts, ends = starts[is_long], ends[is_long]
    is_marked = marks.take(ends) > marks.take(starts)
    return _Runs(_padded(starts[is_marked]), _padded(ends[is_marked]))


def _opened(unbroken: _Runs, letters: NDArray[np.uint8], bits: NDArray[np.uint8]) -> _Runs:
    """Return the runs that follow a quote, or hold what a quote is written as or an element's end."""
    starts, ends = unbroken.starts[:-2], unbroken.ends[:-2]
    openers = _counts((bits & _OPENER) > 0)
    is_opened = _PLACES.take(letters.take(np.maximum(starts - 1, 0))) & _QUOTE > 0
    is_opened |= openers.take(ends) > openers.take(starts)
    return _Runs(_padded(starts[is_opened]), _padded(ends[is_opened]))


def _phrases(letters: NDArray[np.uint8], bits: NDArray[np.uint8]) -> Positions:
    """Return where small words begin in quotes."""
    starts, ends = _edges((bits & _LETTER) > 0)
    starts = starts[ends - starts >= _FEWEST_IN_PHRASE]
    return _padded(starts[_PLACES.take(letters.take(np.maximum(starts - 1, 0))) & _QUOTE > 0])


def _counts(is_in: Mask) -> NDArray[np.int32]:
    """Return how many bytes of a class stand before each place."""
    counts = np.zeros(len(is_in) + 1, np.int32)
    np.cumsum(is_in, dtype=np.int32, out=counts[1:])
    return counts


def _is_break(letters: NDArray[np.uint8]) -> Mask:
    """Say where lines end, also those written as a backslash and an n."""
    found = letters == ord("\n")
    found[:-1] |= (letters[:-1] == ord("\\")) & (letters[1:] == ord("n"))
    return found


def _next(positions: Positions, since: Positions) -> Positions:
    return positions.take(np.searchsorted(positions[:-1], since))


def _begins(positions: Positions, ends: Positions) -> Mask:
    return _next(positions, ends) - ends <= _REACH_AHEAD


def _reaches(runs: _Runs, ends: Positions, nuls: Positions) -> Mask:
    """Say which names have 8 bytes of a run near behind them, no NUL between; of those in one run, the first 16."""
    index = np.searchsorted(runs.ends[:-1], ends + _FEWEST_BYTES)
    run_starts = runs.starts.take(index)
    rank = np.arange(len(ends)) - np.searchsorted(index, index)
    return (run_starts <= np.minimum(ends + _REACH_AHEAD, nuls)) & ((rank < _MOST_IN_RUN) | (run_starts > ends))


def _follows(
    unbroken: _Runs, phrases: Positions, *, letters: NDArray[np.uint8], bits: NDArray[np.uint8], starts: Positions
) -> Mask:
    """Say which names follow a value, with something between the two that could link them."""
    run_ends = np.concatenate([np.full(1, -_FAR_AWAY), unbroken.ends])
    last = run_ends.take(np.searchsorted(unbroken.ends, starts, side="right"))
    previous = np.maximum(last - 1, 0)
    lines = np.concatenate([np.full(1, -1), np.flatnonzero(letters == ord("\n"))])
    is_same_line = lines.take(np.searchsorted(lines, starts) - 1) < last
    is_link = (bits & _LINK) > 0
    for word in (b"for", b"ere"):
        is_link[2:] |= (letters[:-2] == word[0]) & (letters[1:-1] == word[1]) & (letters[2:] == word[2])
    links = _counts(is_link)
    is_linked = links.take(starts) > links.take(previous)
    if len(phrases) > 2:
        near = np.searchsorted(phrases, starts) > np.searchsorted(phrases, starts - 4 * _REACH_BEFORE)
        return is_linked & ((starts - last <= _REACH_BEFORE) | near)
    return is_linked & is_same_line & (starts - last <= _REACH_BEFORE)
