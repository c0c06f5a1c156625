"""Near-copies of known similarity, and the similarity itself: word 5-grams of what agent and tools said."""

import random
import re
from typing import Final

import orjson

from transforms.synthesis.episodes import Episode

_WORD: Final = re.compile(r"\w+")
_SEPARATOR: Final = "\x00"
_SHINGLE_WORDS: Final = 5


def body_text(episode: Episode) -> str:
    """Return what is compared of a rollout: thoughts, calls, answers; neither system prompt nor task."""
    parts: list[str] = []
    for turn in episode.turns:
        arguments = orjson.dumps(turn.arguments).decode() if turn.tool else ""
        parts.extend((turn.thought, turn.tool or "", arguments, turn.answer or ""))
    return "\n".join(parts)


def word_shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the word 5-grams of a text in lower case; shorter texts have none."""
    words = _WORD.findall(text.lower())
    return frozenset(zip(*(words[at:] for at in range(_SHINGLE_WORDS)), strict=False))


def jaccard(left: frozenset[tuple[str, ...]], right: frozenset[tuple[str, ...]]) -> float:
    """Return the Jaccard similarity of two sets, 0 when both are empty."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0


def replace_words(rng: random.Random, texts: list[str], *, noise_ratio: float, words: list[str]) -> list[str]:
    """Replace a share of the words, drawn over all texts together, each by a word of `words`.

    Args:
        rng: Draws the places and the new words.
        texts: The texts; they come back in the same order, with all that stands between words as it was.
        noise_ratio: Share of words to replace, in 0..1.
        words: The replacements.
    """
    joined = _SEPARATOR.join(texts)
    spans = [match.span() for match in _WORD.finditer(joined)]
    parts: list[str] = []
    end = 0
    for at in sorted(rng.sample(range(len(spans)), k=round(noise_ratio * len(spans)))):
        start, stop = spans[at]
        parts.extend((joined[end:start], rng.choice(words)))
        end = stop
    parts.append(joined[end:])
    return "".join(parts).split(_SEPARATOR)


def near_copy(rng: random.Random, episode: Episode, *, noise_ratio: float, words: list[str]) -> Episode:
    """Return the episode with a share of the words of thoughts and answers replaced; a planted secret stays whole."""
    value = episode.secret.value if episode.secret is not None else None
    places = [at for at, turn in enumerate(episode.turns) if value is None or value not in (turn.answer or "")]
    texts = [text for at in places for text in (episode.turns[at].thought, episode.turns[at].answer or "")]
    noisy = replace_words(rng, texts, noise_ratio=noise_ratio, words=words)
    turns = list(episode.turns)
    for at, thought, answer in zip(places, noisy[::2], noisy[1::2], strict=True):
        turns[at] = turns[at]._replace(thought=thought, answer=None if turns[at].answer is None else answer)
    return episode._replace(turns=tuple(turns))
