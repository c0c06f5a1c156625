"""Whether letters read like words, and how a value switches between small letters, capitals and digits.

Pairs of letters are scored as they follow each other in names of code. All loops over bytes are compiled, in one file:
what is kept of one on disk knows of no change in another.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled

_PAIRS: Final = (
    *("16762461614868160878553452", "62336220530620520553510030", "70537127606621821647611030"),
    *("62348330720423530453520230", "74786653512768465987354632", "51225510700522620534500030"),
    *("51317245500435421642500020", "61017010600222600434400030", "65766660113779852677160406"),
    *("30004000200000300010300000", "30026010500312220242202020", "72358320802732730266540070"),
    *("75127010702352670252520010", "73777583624435641378552131", "45663452524778660866656320"),
    *("72327214601622750756510050", "00000000000201000210600000", "83559451804465740676543050"),
    *("50628326704543663278624040", "72538326900543741765523162", "56545440500657350666000101"),
    *("60117000600121410011000000", "50025003500203400430000000", "31314101400120050114000210"),
    *("31223210300333350144101001", "40006000400000200010000002"),
)
"""For a letter, by row, and the next, by column: 5 and the binary logarithm of how much oftener than by chance the
pair stands in the 11,000 commonest words of names and comments in Python packages, from 0 to 9."""
_SCORES: Final = np.array([[int(score) for score in scores] for scores in _PAIRS], np.int64)
_MOST_OF_ODD_CASE: Final = 12
"""Letters up to which the case tells more than the pairs."""
_CASE_GRACE: Final = 1.2
_FEWEST_PAIRS: Final = 6
_FEWEST_PAIRS_OF_WORDS: Final = 8
_MANY_PAIRS: Final = 14
_LOW_MEAN_OF_MANY: Final = 4.6
_LOW_MEAN_OF_SOME: Final = 4.3
_LOW_MEAN_OF_FEW: Final = 3.9
"""The mean score under which one word in a hundred lies, and of random letters 97, 90 and 80: from 14, 10, 6 pairs."""
_SOME_PAIRS: Final = 10
_HIGH_MEAN_OF_MANY: Final = 5.1
_HIGH_MEAN_OF_FEW: Final = 5.5
"""The mean score over which half of the words lie, and of random letters less than one in a hundred: from 14 and 8."""
_FEWEST_NOISE: Final = 10
_LONGEST_MEAN_RUN: Final = 3.4
"""Characters: words and numbers in names make runs of one class of 4 and more, random letters and digits of 1.6 (all
of them), 2.1 (hexadecimal), 2.5 (one case) and 3.3 (base 32)."""
_LONGEST_MEAN_RUN_OF_ONE_CASE: Final = 4.6
_LONG_PIECE: Final = 24
"""Characters without a joint: no name in one case has so many and numbers among them."""
_LONGEST_MEAN_CASE_RUN: Final = 2.9
"""Characters: names in camel case have words of 3 letters and more."""
_FEWEST_IN_RUN: Final = 12
_FEWEST_TRULY_RANDOM: Final = 16
_FEWEST_REPEATED: Final = 6

_OTHER, _SMALL, _CAPITAL, _DIGIT, _JOINT = range(5)
_CLASSES: Final = np.zeros(256, np.uint8)
_CLASSES[ord("a") : ord("z") + 1] = _SMALL
_CLASSES[ord("A") : ord("Z") + 1] = _CAPITAL
_CLASSES[ord("0") : ord("9") + 1] = _DIGIT
_CLASSES[list(b"-_.~")] = _JOINT
"""What a byte is; joints stand between groups of a token."""
_NO_CLASS: Final = 255
_CASE: Final = 32
"""The bit that alone tells a small letter from its capital."""
_EXAMPLE: Final = np.array(list(b"example"), np.uint8)
_REDACTED: Final = np.array(list(b"redacted"), np.uint8)
_PLACEHOLDER: Final = np.array(list(b"placeholder"), np.uint8)

NOT_RANDOM: Final = 0
RANDOM: Final = 1
"""What the letters and digits of a value say of it by themselves; words of documentation are not random."""
RANDOM_TOKEN: Final = 2
"""Random, and made of letters and digits, with one of these among them."""
RANDOM_PIECE: Final = 3
"""One of the long pieces switches classes as random ones do, and the whole reads as no words."""
NO_RANDOM_PIECE: Final = 4
"""None does; a value in groups may still be random."""

Letters = NDArray[np.uint8]


@compiled
def is_gibberish(value: bytes) -> bool:
    """Say whether the letters of a value without joints, in runs of 3 and more, follow each other as no words' do.

    Of letters that switch case within words it takes less.
    """
    return _is_gibberish(_copied(value, _NO_CLASS))


@compiled
def reads_as_words(value: bytes) -> bool:
    """Say whether the letters of a value follow each other as those of words do, and of random ones hardly ever."""
    return _reads_as_words(_copied(value, _NO_CLASS))


@compiled
def is_case_noise(value: bytes) -> bool:
    """Say whether letters alone switch case as random text does, every other letter; names switch at their words."""
    return _is_case_noise(_copied(value, _NO_CLASS))


@compiled
def switches_classes(value: bytes) -> bool:
    """Say whether letters and digits switch class as random ones do."""
    letters = _copied(value, _NO_CLASS)
    return _switches_classes(letters)


@compiled
def names_example(value: bytes) -> bool:
    """Say whether a value holds a word of documentation."""
    return _names_example(_copied(value, _NO_CLASS))


@compiled
def is_joined_words(value: bytes) -> bool:
    """Say whether letters, digits, underscores, dots and colons are words and numbers, and no random ones."""
    letters = _copied(value, _NO_CLASS)
    if len(letters) == 0 or not (_is_letter(letters[0]) or letters[0] == 95):
        return False
    for letter in letters:
        if not (_is_alnum(letter) or letter == 95 or letter == 46 or letter == 58):
            return False
    return len(letters) >= _LONGEST_MEAN_RUN * _num_runs(letters) and not _is_gibberish(letters)


@compiled
def mixture(value: bytes) -> int:
    """Return whether letters and digits are mixed as in a key: NOT_RANDOM, RANDOM or RANDOM_TOKEN."""
    letters = _copied(value, _NO_CLASS)
    num_small, num_capitals, num_digits = _counts(letters)
    if num_small + num_capitals == 0:
        return NOT_RANDOM
    has_one_case = num_small == 0 or num_capitals == 0
    is_mixed = num_digits >= 2 or (num_digits == 1 and not has_one_case)
    if not (is_mixed or _is_case_noise(letters) or _is_gibberish(letters)) or _is_repeated(letters):
        return NOT_RANDOM
    if _names_example(letters):
        return NOT_RANDOM
    is_token = num_digits > 0 and num_small + num_capitals + num_digits == len(letters)
    return RANDOM_TOKEN if is_token else RANDOM


@compiled
def true_randomness(value: bytes) -> int:
    """Return whether letters and digits switch as random ones do, in one long piece or all together.

    One of NOT_RANDOM, RANDOM, RANDOM_PIECE and NO_RANDOM_PIECE.
    """
    letters = _copied(value, _NO_CLASS)
    if len(letters) < _FEWEST_TRULY_RANDOM or _is_repeated(letters):
        return NOT_RANDOM
    num_small, num_capitals, num_digits = _counts(letters)
    if num_small + num_capitals + num_digits == len(letters):
        if _switches_classes(letters) and (_is_hexadecimal(letters) or not _reads_as_words(letters)):
            return RANDOM
        is_long = len(letters) >= _LONG_PIECE and num_digits >= 2 and _is_gibberish(letters)
        return RANDOM if is_long else NOT_RANDOM
    start = 0
    for end in range(len(letters) + 1):
        if end < len(letters) and _is_alnum(letters[end]):
            continue
        if end - start >= _FEWEST_IN_RUN and _switches_classes(letters[start:end]):
            return NOT_RANDOM if _names_example(letters) or _reads_as_words(letters) else RANDOM_PIECE
        start = end + 1
    squeezed = _copied(value, _JOINT)
    return RANDOM if _switches_classes(squeezed) and _is_gibberish(squeezed) else NO_RANDOM_PIECE


@compiled
def _copied(value: bytes, without: int) -> Letters:
    """Return the bytes of a value but those of a class: loops are compiled once, for arrays that nobody else holds."""
    letters = np.empty(len(value), np.uint8)
    size = 0
    for place in range(len(value)):
        if _CLASSES[value[place]] != without:
            letters[size] = value[place]
            size += 1
    return letters[:size]


@compiled
def _is_letter(letter: int) -> bool:
    return _CLASSES[letter] == _SMALL or _CLASSES[letter] == _CAPITAL


@compiled
def _is_alnum(letter: int) -> bool:
    return _is_letter(letter) or _CLASSES[letter] == _DIGIT


@compiled
def _counts(letters: Letters) -> tuple[int, int, int]:
    """Return how many small letters, capitals and digits there are."""
    num_small, num_capitals, num_digits = 0, 0, 0
    for letter in letters:
        num_small += _CLASSES[letter] == _SMALL
        num_capitals += _CLASSES[letter] == _CAPITAL
        num_digits += _CLASSES[letter] == _DIGIT
    return num_small, num_capitals, num_digits


@compiled
def _num_runs(letters: Letters) -> int:
    """Return how many words and numbers camel case has in a value, whatever joins them: a capital begins a word."""
    num_runs, before, before_that = 1, _OTHER, _OTHER
    for letter in letters:
        kind = _CLASSES[letter]
        if kind in (_OTHER, _JOINT):
            continue
        if before != _OTHER and kind != before:
            # Of switches from capitals to small letters only one behind two capitals begins a word.
            num_runs += before != _CAPITAL or kind != _SMALL or before_that == _CAPITAL
        before_that, before = before, kind
    return num_runs


@compiled
def _switches_classes(letters: Letters) -> bool:
    num_small, num_capitals, num_digits = _counts(letters)
    has_both_cases = (num_small > 0) == (num_capitals > 0)
    if num_digits == len(letters) or num_digits < (1 if has_both_cases else 2):
        return num_digits == 0 and _is_case_noise(letters)
    is_long = not has_both_cases and len(letters) >= _LONG_PIECE
    return len(letters) <= (_LONGEST_MEAN_RUN_OF_ONE_CASE if is_long else _LONGEST_MEAN_RUN) * _num_runs(letters)


@compiled
def _is_case_noise(letters: Letters) -> bool:
    if len(letters) < _FEWEST_NOISE:
        return False
    num_switches = 0
    for place, letter in enumerate(letters):
        if not _is_letter(letter):
            return False
        num_switches += place > 0 and _CLASSES[letter] != _CLASSES[letters[place - 1]]
    has_words = len(letters) > _LONGEST_MEAN_CASE_RUN * _num_runs(letters)
    return not has_words and num_switches >= 0.25 * len(letters)


@compiled
def _is_hexadecimal(letters: Letters) -> bool:
    """Say whether digits and letters up to f, of one case, are all."""
    num_small, num_capitals = 0, 0
    for letter in letters:
        num_small += 97 <= letter <= 102
        num_capitals += 65 <= letter <= 70
        if not (97 <= letter <= 102 or 65 <= letter <= 70 or _CLASSES[letter] == _DIGIT):
            return False
    return num_small == 0 or num_capitals == 0


@compiled
def _is_repeated(letters: Letters) -> bool:
    """Say whether a value is one stretch over and over, three times and more."""
    size = len(letters)
    if size < 2 * _FEWEST_REPEATED:
        return False
    for period in range(1, size - _FEWEST_REPEATED + 1):
        place = 0
        while place < _FEWEST_REPEATED and letters[period + place] == letters[place]:
            place += 1
        if place == _FEWEST_REPEATED:
            while period + place < size and letters[period + place] == letters[place]:
                place += 1
            return 3 * period <= size and period + place == size
    return False


@compiled
def _names_example(letters: Letters) -> bool:
    for place in range(len(letters)):
        first = letters[place] | _CASE
        is_found = (
            (first == _EXAMPLE[0] and _begins(letters, place, _EXAMPLE))
            or (first == _REDACTED[0] and _begins(letters, place, _REDACTED))
            or (first == _PLACEHOLDER[0] and _begins(letters, place, _PLACEHOLDER))
        )
        if is_found:
            return True
    return False


@compiled
def _begins(letters: Letters, place: int, word: Letters) -> bool:
    """Say whether a word of small letters stands at a place, in any case."""
    size = 0
    while size < len(word) and place + size < len(letters) and letters[place + size] | _CASE == word[size]:
        size += 1
    return size == len(word)


@compiled
def _is_gibberish(letters: Letters) -> bool:
    for letter in letters:
        if not _is_alnum(letter):
            return False
    num_pairs, total = _scored(letters)
    grace = _CASE_GRACE if len(letters) <= _MOST_OF_ODD_CASE and _has_odd_case(letters) else 0.0
    if num_pairs >= _MANY_PAIRS:
        return total < (_LOW_MEAN_OF_MANY + grace) * num_pairs
    if num_pairs >= _SOME_PAIRS:
        return total < (_LOW_MEAN_OF_SOME + grace) * num_pairs
    return num_pairs >= _FEWEST_PAIRS and total < (_LOW_MEAN_OF_FEW + grace) * num_pairs


@compiled
def _reads_as_words(letters: Letters) -> bool:
    num_pairs, total = _scored(letters)
    if num_pairs >= _MANY_PAIRS:
        return total > _HIGH_MEAN_OF_MANY * num_pairs
    return num_pairs >= _FEWEST_PAIRS_OF_WORDS and total > _HIGH_MEAN_OF_FEW * num_pairs


@compiled
def _has_odd_case(letters: Letters) -> bool:
    """Say whether a capital stands within a word: twice in turn with small letters, at the end or at the beginning."""
    size = len(letters)
    for place in range(size - 1):
        if _CLASSES[letters[place]] != _SMALL or _CLASSES[letters[place + 1]] != _CAPITAL:
            continue
        is_turn = place + 2 < size and _CLASSES[letters[place + 2]] == _SMALL
        ends = place + 2 == size or (is_turn and place + 3 == size)
        goes_on = is_turn and place + 3 < size and _CLASSES[letters[place + 3]] == _CAPITAL
        if ends or goes_on or (is_turn and place == 0):
            return True
    return False


@compiled
def _scored(letters: Letters) -> tuple[int, int]:
    """Return how many pairs of letters runs of 3 and more have, and the sum of their scores."""
    num_pairs, total, start = 0, 0, 0
    for end in range(len(letters) + 1):
        if end < len(letters) and _is_letter(letters[end]):
            continue
        if end - start >= 3:
            num_pairs += end - start - 1
            for place in range(start + 1, end):
                total += _SCORES[(letters[place - 1] | _CASE) - 97, (letters[place] | _CASE) - 97]
        start = end + 1
    return num_pairs, total
