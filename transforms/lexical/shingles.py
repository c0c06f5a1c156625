"""Shingles: the overlapping word sequences by which texts are compared."""

import re

SHINGLE_WORDS = 5
"""Words per shingle: word 5-grams tell same-task rollouts from others with an AUC of .99 once system prompts and
boilerplate are out."""

SHINGLE_RULE = "w5-2"
"""Names how shingles are made and which words are kept; signatures made by unequal rules are never compared."""

WORD = re.compile(r"\w+")
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
