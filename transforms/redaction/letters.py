"""Whether letters read like words: pairs of letters as they follow each other in names of code."""

import re
from itertools import pairwise
from typing import Final

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
_SCORES: Final = {
    (97 + row, 97 + column): int(score) for row, scores in enumerate(_PAIRS) for column, score in enumerate(scores)
}
_LETTERS = re.compile(rb"[a-z]{3,}")
_ODD_CASE = re.compile(rb"[a-z][A-Z][a-z][A-Z]|[a-z][A-Z](?:[a-z]?\Z)|\A[a-z][A-Z][a-z]")
_MOST_OF_ODD_CASE: Final = 12
"""Letters up to which the case tells more than the pairs."""
_CASE_GRACE: Final = 1.2
_FEWEST_PAIRS: Final = 6
_FEWEST_PAIRS_OF_WORDS: Final = 8
_LOWEST_MEANS: Final = ((14, 4.6), (10, 4.3), (_FEWEST_PAIRS, 3.9))
"""Pairs and the mean score under which one word in a hundred lies, and of random letters 97, 90 and 80."""
_HIGHEST_MEANS: Final = ((14, 5.1), (_FEWEST_PAIRS_OF_WORDS, 5.5))
"""Pairs and the mean score over which half of the words lie, and of random letters less than one in a hundred."""


def is_gibberish(value: bytes) -> bool:
    """Say whether the letters of a value without joints, in runs of 3 and more, follow each other as no words' do.

    Of letters that switch case within words it takes less.
    """
    if not value.isalnum():
        return False
    num_pairs, total = _scored(value)
    grace = _CASE_GRACE if len(value) <= _MOST_OF_ODD_CASE and _ODD_CASE.search(value) else 0
    for fewest, mean in _LOWEST_MEANS:
        if num_pairs >= fewest:
            return total < (mean + grace) * num_pairs
    return False


def reads_as_words(value: bytes) -> bool:
    """Say whether the letters of a value follow each other as those of words do, and of random ones hardly ever."""
    num_pairs, total = _scored(value)
    for fewest, mean in _HIGHEST_MEANS:
        if num_pairs >= fewest:
            return total > mean * num_pairs
    return False


def _scored(value: bytes) -> tuple[int, int]:
    """Return how many pairs of letters runs of 3 and more have, and the sum of their scores."""
    num_pairs, total, score = 0, 0, _SCORES.__getitem__
    for run in _LETTERS.findall(value.lower()):
        num_pairs += len(run) - 1
        total += sum(map(score, pairwise(run)))
    return num_pairs, total
