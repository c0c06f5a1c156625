"""Shingles: the overlapping word sequences by which texts are compared."""

import re
from typing import Final

SHINGLE_WORDS = 5
"""Words per shingle: word 5-grams tell same-task rollouts from others with an AUC of .99 once system prompts and
boilerplate are out."""

SHINGLE_RULE = "w5-3"
"""Names how shingles are made and which words are kept; signatures made by unequal rules are never compared."""

ALONE: Final = (
    *((0x3005, 0x3007), (0x3041, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF)),
)
"""First and last code points of Han ideographs and kana: between these no blanks stand, so that each is a word. In a
text without blanks all would else be one word, and two copies with one character changed would share nothing."""

_ALONE: Final = "".join(f"{chr(first)}-{chr(last)}" for first, last in ALONE)

WORD = re.compile(rf"[^\W{_ALONE}]+|(?=\w)[{_ALONE}]")
"""A word of a text in lower case."""


def shingles(text: str) -> set[str]:
    """Return the set of word 5-grams of a text, in lower case, punctuation left out.

    A text of fewer than five words is one shingle: itself, as written but for its white space, so that unlike short
    texts share nothing. An empty text has none.
    """
    words = WORD.findall(text.lower())
    if len(words) < SHINGLE_WORDS:
        whole = " ".join(text.split())
        return {whole} if whole else set()
    return {" ".join(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1)}


def jaccard(left: set[str], right: set[str]) -> float:
    """Return the share of shingles two sets have in common, 0 to 1; two empty sets have nothing in common."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0
