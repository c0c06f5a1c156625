"""Agent-like texts with planted groups of graded similarity, and their exact Jaccard similarity.

A text is a run of some twenty steps: a thought, a command, what came back. Groups are a run and copies of it in which
each word was replaced with a probability that the group drew; single runs stand among them. Runs of different groups
share commands, file names and phrases, and no more than a few word 5-grams.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from transforms.lexical.shingles import jaccard, shingles

NOISE: Final = (0.0, 0.001, 0.002, 0.005, 0.01, 0.015, 0.03, 0.06, 0.1, 0.2)
"""Probabilities that a word of a copy is replaced."""

_LETTERS: Final = "etaoinshrdlcumwfgypbvk"
_VERBS: Final = ("look at", "open", "check", "change", "run", "search", "compare", "repair", "explain", "revert")
_COMMANDS: Final = ("grep -rn", "sed -n 1,80p", "python -m pytest -q", "cat", "git diff", "ls -la", "find . -name")


class Corpus(NamedTuple):
    """Texts, and the group each belongs to; the texts of a group lie apart from each other."""

    texts: list[str]
    groups: list[int]
    noise: list[float]


def make_corpus(count: int, *, seed: int = 11, words: int = 690) -> Corpus:
    """Return `count` texts of about `words` words: half of them in groups of two to four."""
    rng = random.Random(seed)
    vocabulary = _vocabulary(rng, 30_000)
    rows: list[tuple[str, int, float]] = []
    group = 0
    while len(rows) < count:
        noise = rng.choice(NOISE)
        base = run_words(rng, vocabulary, words)
        rows.append((" ".join(base), group, noise))
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            rows.append((" ".join(with_noise(rng, base, vocabulary, noise)), group, noise))
        group += 1
    rows = rows[:count]
    rng.shuffle(rows)
    texts, groups, levels = zip(*rows, strict=True)
    return Corpus(list(texts), list(groups), list(levels))


def run_words(rng: random.Random, vocabulary: Sequence[str], count: int) -> list[str]:
    """Return the words of one run."""
    words: list[str] = []
    while len(words) < count:
        path = f"src/{_word(rng, vocabulary)}/{_word(rng, vocabulary)}.py"
        words += f"I {rng.choice(_VERBS)} {path} because".split() + [_word(rng, vocabulary) for _ in range(8)]
        words += f"$ {rng.choice(_COMMANDS)} {path}\n".split(" ")
        words += [f"{path}:{rng.randrange(900)}:" if rng.random() < 0.1 else _word(rng, vocabulary) for _ in range(18)]
    return words[:count]


def with_noise(rng: random.Random, words: Sequence[str], vocabulary: Sequence[str], noise: float) -> list[str]:
    """Return the words with each replaced with probability `noise`."""
    return [_word(rng, vocabulary) if noise and rng.random() < noise else word for word in words]


def true_pairs(corpus: Corpus) -> dict[tuple[int, int], float]:
    """Return the exact similarity of every two texts of one group."""
    sets = [shingles(text) for text in corpus.texts]
    return {(left, right): jaccard(sets[left], sets[right]) for left, right in group_pairs(corpus.groups)}


def group_pairs(groups: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Give every two texts (i, j), i < j, of one group."""
    members: dict[int, list[int]] = {}
    for text, group in enumerate(groups):
        for other in members.setdefault(group, []):
            yield other, text
        members[group].append(text)


def _vocabulary(rng: random.Random, count: int) -> list[str]:
    return [
        "".join(rng.choices(_LETTERS, k=rng.randint(3, 11))) + rng.choice(("", "", "_", "()")) for _ in range(count)
    ]


def _word(rng: random.Random, vocabulary: Sequence[str]) -> str:
    # Zipf-like: frequent words are shared by all runs.
    return vocabulary[int(len(vocabulary) ** rng.random()) - 1]
