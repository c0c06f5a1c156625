"""Vectors without a model: hashed word counts of the whole text under a fixed random projection.

Words and pairs of neighbouring words are counted by 64-bit hash, damped to 1 + log(count) and added into `dimensions`
sums with a sign per (hash, dimension). Nothing is fitted: a vector depends on its text alone, so that vectors kept
from earlier runs stay comparable with new ones.
"""

import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray

from transforms.embedding.contract import EncoderIdentity, TokenSpan, Vectors

HASHED_VERSION: Final = 1
"""Raised whenever the vector of a text changes."""

_FIXED_POINT = 1024
"""Weights are whole multiples of 1/1024: integer sums are exact in any order and on any machine."""

_MAX_COUNT = 4096
"""Counts above this weigh as this: a word repeated more often says nothing new."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)
_PAIR = np.uint64(0xD6E8FEB86659FD93)


@cache
def _count_weights() -> NDArray[np.int32]:
    weights = [0] + [round(_FIXED_POINT * (1 + math.log(count))) for count in range(1, _MAX_COUNT + 1)]
    return np.array(weights, dtype=np.int32)


@cache
def _word_bytes() -> NDArray[np.bool_]:
    # Letters, digits and `_`, and every byte of a character beyond ASCII: scripts without spaces make long words.
    table = np.zeros(256, dtype=np.bool_)
    table[[ord(letter) for letter in "abcdefghijklmnopqrstuvwxyz0123456789_"]] = True
    table[128:] = True
    return table


@numba.njit(cache=True, inline="always")
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(30))) * _MIX_A
    value = (value ^ (value >> np.uint64(27))) * _MIX_B
    return value ^ (value >> np.uint64(31))


@numba.njit(cache=True)
def _features(text: NDArray[np.uint8], is_word: NDArray[np.bool_], seed: np.uint64) -> NDArray[np.uint64]:
    """Return the hashes of the words and of the pairs of neighbouring words of a lower-case text."""
    found = np.empty(text.size + 2, dtype=np.uint64)
    num_found = 0
    previous = np.uint64(0)
    position = 0
    while position < text.size:
        if not is_word[text[position]]:
            position += 1
            continue
        word = _FNV_OFFSET ^ seed
        while position < text.size and is_word[text[position]]:
            word = (word ^ np.uint64(text[position])) * _FNV_PRIME
            position += 1
        word = _mixed(word) | np.uint64(1)
        found[num_found] = word
        num_found += 1
        if previous != np.uint64(0):
            found[num_found] = _mixed(previous * _PAIR + word)
            num_found += 1
        previous = word
    return found[:num_found]


@numba.njit(cache=True)
def _project(
    features: NDArray[np.uint64], weights: NDArray[np.int32], sums: NDArray[np.int64], block: NDArray[np.int32]
) -> None:
    """Add each distinct feature's weight into `sums` [dimensions] with the signs its hash draws.

    `block` [dimensions] is scratch: 32-bit sums are drained into `sums` before they could overflow.
    """
    features.sort()
    num_words = (sums.size + 63) // 64
    pending = 0
    start = 0
    while start < features.size:
        end = start + 1
        while end < features.size and features[end] == features[start]:
            end += 1
        weight = weights[min(end - start, weights.size - 1)]
        state = features[start]
        for word in range(num_words):
            state += _GOLDEN
            bits = _mixed(state)
            base = word * 64
            for bit in range(min(64, sums.size - base)):
                sign = np.int32((bits >> np.uint64(bit)) & np.uint64(1)) * np.int32(2) - np.int32(1)
                block[base + bit] += sign * weight
        pending += 1
        if pending == 100_000:
            sums += block
            block[:] = 0
            pending = 0
        start = end
    sums += block
    block[:] = 0


def hashed_vector(text: str, dimensions: int, *, seed: int = 0) -> NDArray[np.float32]:
    """Return the L2-normalised vector [dimensions] of a text; zeros when it has no word.

    Cosines of the vectors estimate those of the damped counts with a standard deviation of about
    (1 - cosine²)/√dimensions.
    """
    raw = np.frombuffer(text.lower().encode("utf-8", "surrogatepass"), dtype=np.uint8)
    sums = np.zeros(dimensions, dtype=np.int64)
    features = _features(raw, _word_bytes(), np.uint64(seed))
    _project(features, _count_weights(), sums, np.zeros(dimensions, dtype=np.int32))
    length = math.sqrt(sum(value * value for value in sums.tolist()))
    return (sums / length if length else sums).astype(np.float32)


class HashedEncoder:
    """The encoder that needs no model.

    Args:
        dimensions: Length of the vectors.
        seed: Seed of hashes and signs, part of the identity.
    """

    takes_windows = False

    def __init__(self, dimensions: int = 256, *, seed: int = 0) -> None:
        self.dimensions = dimensions
        self._seed = seed

    @cached_property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on beside the text; the sums are whole numbers, so no device is part of it."""
        return EncoderIdentity(
            name=f"hashed-{self.dimensions}",
            revision=f"{HASHED_VERSION}.{self._seed}",
            precision="int32",
            device_class="any",
        )

    @property
    def batch_size(self) -> int:
        """Return 1: texts go through one by one."""
        return 1

    @property
    def window_tokens(self) -> int:
        """Return 1: the whole text is one token."""
        return 1

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors [texts, dimensions] of whole texts."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = hashed_vector(text, self.dimensions, seed=self._seed)
        return vectors

    def token_spans(self, text: str) -> list[TokenSpan]:
        """Return one span, the whole text: this encoder cuts nothing."""
        return [(0, len(text))] if text else []
