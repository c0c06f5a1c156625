"""Long tokens that could be random, told by their bytes: what the judges of values look at where no name points.

The search goes over a text in steps of a token's fewest bytes, and what passes is still judged: this only rules out.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled

FEWEST_BYTES: Final = 20
MOST_BYTES: Final = 200
"""Bytes of a token: longer ones are pictures, archives and certificates."""
FEWEST_OF_ONE_CASE: Final = 28
_FEWEST_IN_RUN: Final = 12
_LONG_PIECE: Final = 24
_MEAN_RUN: Final = 3.4
_MEAN_RUN_OF_ONE_CASE: Final = 4.6
_MEAN_CASE_RUN: Final = 2.9
"""As `values` has them: the bytes of a run of one class, in the mean, above which letters and digits are words."""
_LEAST_SWITCHES: Final = 0.25

_LOWER, _UPPER, _DIGIT, _JOINT, _OTHER, _HEX, _CALL = (1 << bit for bit in range(7))
_IN_TOKEN: Final = _LOWER | _UPPER | _DIGIT | _JOINT | _OTHER
_ALNUM: Final = _LOWER | _UPPER | _DIGIT


def _classes() -> NDArray[np.uint8]:
    classes = np.zeros(256, np.uint8)
    for bit, letters in (
        (_LOWER, b"abcdefghijklmnopqrstuvwxyz"),
        (_UPPER, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        (_DIGIT, b"0123456789"),
        (_JOINT, b"-_.~"),
        (_OTHER, b"+/"),
        (_HEX, b"0123456789abcdefABCDEF./_-"),
        (_CALL, b"(["),
    ):
        classes[list(letters)] |= bit
    return classes


_CLASSES: Final = _classes()


def long_tokens(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of the tokens that could be random, without the dots and dashes behind them.

    A token has 20 to 200 letters, digits and signs of base 64, paths and dotted names; what stands before and behind
    it is none. Every token that is truly random, in more letters than a hash has, is among them.
    """
    found = _found(np.frombuffer(text, np.uint8), _CLASSES)
    yield from zip(found[0::2].tolist(), found[1::2].tolist(), strict=True)


@compiled
def _found(letters: NDArray[np.uint8], classes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return start and end of each token in turn."""
    size = len(letters)
    places = np.empty(2 * (size // FEWEST_BYTES) + 2, np.int64)
    num_places, stop, place = 0, 0, FEWEST_BYTES - 1
    while place < size:
        if not classes[letters[place]] & _IN_TOKEN:
            stop = place + 1
            place += FEWEST_BYTES
            continue
        start = place
        while start > stop and classes[letters[start - 1]] & _IN_TOKEN:
            start -= 1
        end = place + 1
        while end < size and classes[letters[end]] & _IN_TOKEN:
            end += 1
        # What follows a token is none of its bytes: the next one that is long enough has the 20th byte from there.
        stop, place = end + 1, end + FEWEST_BYTES
        while end > start and (classes[letters[end - 1]] & _JOINT) and letters[end - 1] != ord("_"):
            end -= 1
        is_called = end < size and classes[letters[end]] & _CALL > 0
        if (
            FEWEST_BYTES <= end - start <= MOST_BYTES
            and not is_called
            and _could_be_random(letters[start:end], classes)
        ):
            places[num_places], places[num_places + 1] = start, end
            num_places += 2
    return places[:num_places]


@compiled
def _could_be_random(token: NDArray[np.uint8], classes: NDArray[np.uint8]) -> bool:
    num_lower, num_upper, num_digits, num_others, is_hexadecimal, has_sign = 0, 0, 0, 0, True, False
    for letter in token:
        kind = classes[letter]
        num_lower += kind & _LOWER > 0
        num_upper += kind & _UPPER > 0
        num_digits += kind & _DIGIT > 0
        num_others += kind & (_JOINT | _OTHER) > 0
        has_sign |= kind & _OTHER > 0
        is_hexadecimal &= kind & _HEX > 0
    size = len(token)
    if is_hexadecimal or num_lower + num_upper == 0 or num_digits + num_upper == 0:
        return False
    has_one_case = num_lower == 0 or num_upper == 0
    if has_one_case and (size < FEWEST_OF_ONE_CASE or num_others > 0):
        return False
    if num_others == 0 and num_digits >= 2 and size >= _LONG_PIECE:
        return True
    if not has_sign and _switches(token, classes):
        return True
    start = 0
    for end in range(size + 1):
        if end == size or not classes[token[end]] & _ALNUM:
            if end - start >= _FEWEST_IN_RUN and _switches(token[start:end], classes):
                return True
            start = end + 1
    return False


@compiled
def _switches(piece: NDArray[np.uint8], classes: NDArray[np.uint8]) -> bool:
    """Say whether letters and digits, joints left out, could switch their class as random ones do."""
    size, num_lower, num_upper, num_digits, num_runs, num_cases = 0, 0, 0, 0, 1, 0
    before, before_that = 0, 0
    for letter in piece:
        kind = classes[letter] & _ALNUM
        if kind == 0:
            continue
        size += 1
        num_lower += kind == _LOWER
        num_upper += kind == _UPPER
        num_digits += kind == _DIGIT
        # A capital begins a word: of a switch from capitals to small letters only one behind two capitals counts.
        if before != 0 and kind != before:
            num_runs += not (before == _UPPER and kind == _LOWER) or before_that == _UPPER
            num_cases += 1
        before_that, before = before, kind
    has_one_case = num_lower == 0 or num_upper == 0
    if num_digits == 0:
        return size <= _MEAN_CASE_RUN * num_runs and num_cases >= _LEAST_SWITCHES * size
    if num_digits == size or (has_one_case and num_digits < 2):
        return False
    longest = _MEAN_RUN_OF_ONE_CASE if has_one_case and size >= _LONG_PIECE else _MEAN_RUN
    return size <= longest * num_runs
