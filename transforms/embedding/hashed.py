"""Vectors without a model: hashed word counts of the whole text under a fixed random projection.

Words, those of the lexical stage, and pairs of neighbouring words are counted by 64-bit hash, damped to
1 + log(count) and added into `dimensions` sums with a sign per (hash, dimension). Nothing is fitted: a vector depends
on its text alone, so that vectors kept from earlier runs stay comparable with new ones.
"""

import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.embedding.contract import EncoderIdentity, TokenSpan, Vectors, is_blank
from transforms.lexical.folding import fold_tables
from transforms.lexical.scanning import NEEDS_LOWERING, fold_text

HASHED_VERSION: Final = 3
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


@compiled
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(30))) * _MIX_A
    value = (value ^ (value >> np.uint64(27))) * _MIX_B
    return value ^ (value >> np.uint64(31))


@compiled
def _features(text: NDArray[np.uint8], seed: np.uint64) -> NDArray[np.uint64]:
    """Return the hashes of the words and of the pairs of neighbouring words of a folded text."""
    found = np.empty(text.size + 2, dtype=np.uint64)
    num_found = 0
    previous = np.uint64(0)
    position = 0
    while position < text.size:
        if text[position] == 0:
            position += 1
            continue
        word = _FNV_OFFSET ^ seed
        while position < text.size and text[position] != 0:
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


@compiled
def _counted(features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return a hash table of the features: keys and their counts; where the count is 0 there is none."""
    bits = 4
    while (1 << bits) < 2 * features.size:
        bits += 1
    keys = np.empty(1 << bits, dtype=np.uint64)
    counts = np.zeros(1 << bits, dtype=np.int32)
    # The high bits: the lowest one of a word's hash is always set.
    shift = np.uint64(64 - bits)
    for feature in features:
        slot = np.int64(feature >> shift)
        while counts[slot] != 0 and keys[slot] != feature:
            slot = (slot + 1) & (keys.size - 1)
        keys[slot] = feature
        counts[slot] += 1
    return keys, counts


@compiled
def _drain(planes: NDArray[np.uint64], weight: np.int64, ups: NDArray[np.int64]) -> None:
    """Add the counts in bit planes [5, words], times the weight, to `ups` [words × 64] and clear the planes."""
    one = np.uint64(1)
    for word in range(planes.shape[1]):
        first, second, third = planes[0, word], planes[1, word], planes[2, word]
        fourth, fifth = planes[3, word], planes[4, word]
        for bit in range(64):
            place = np.uint64(bit)
            low = ((first >> place) & one) + (((second >> place) & one) << one)
            middle = (((third >> place) & one) << np.uint64(2)) + (((fourth >> place) & one) << np.uint64(3))
            ups[word * 64 + bit] += np.int64(low + middle + (((fifth >> place) & one) << np.uint64(4))) * weight
    planes[:] = 0


@compiled
def _project(features: NDArray[np.uint64], weights: NDArray[np.int32], dimensions: int) -> NDArray[np.int64]:
    """Return the sums [dimensions] of each distinct feature's weight with the signs its hash draws.

    A bit that is set is a plus: a sum is twice the weights of its pluses less all weights. Features met once, which
    are most and weigh the same, have their pluses counted 64 dimensions at a time, as binary numbers that stand
    across five words (ones, twos, fours …); these hold 31 features.
    """
    keys, counts = _counted(features)
    num_words = (dimensions + 63) // 64
    planes = np.zeros((5, num_words), dtype=np.uint64)
    ups = np.zeros(num_words * 64, dtype=np.int64)
    total = np.int64(0)
    num_pending = 0
    for slot in range(keys.size):
        if counts[slot] == 0:
            continue
        weight = np.int64(weights[min(counts[slot], weights.size - 1)])
        total += weight
        state = keys[slot]
        for word in range(num_words):
            state += _GOLDEN
            bits = _mixed(state)
            if counts[slot] == 1:
                for level in range(5):
                    carry = planes[level, word] & bits
                    planes[level, word] ^= bits
                    bits = carry
            else:
                for bit in range(64):
                    ups[word * 64 + bit] += np.int64((bits >> np.uint64(bit)) & np.uint64(1)) * weight
        num_pending += counts[slot] == 1
        if num_pending == 31:
            _drain(planes, np.int64(weights[1]), ups)
            num_pending = 0
    _drain(planes, np.int64(weights[1]), ups)
    return 2 * ups[:dimensions] - total


def _folded(text: str) -> NDArray[np.uint8]:
    """Return a text in lower case with zeros between its words."""
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    folded = np.empty(2 * raw.size, dtype=np.uint8)
    size = int(fold_text(raw, *fold_tables(), folded))
    return _folded(text.lower()) if size == NEEDS_LOWERING else folded[:size]


def hashed_vector(text: str, dimensions: int, *, seed: int = 0) -> NDArray[np.float32]:
    """Return the L2-normalised vector [dimensions] of a text; zeros when it has no word.

    Cosines of the vectors estimate those of the damped counts with a standard deviation of about
    (1 - cosine²)/√dimensions.
    """
    if is_blank(text):
        return np.zeros(dimensions, dtype=np.float32)
    sums = _project(_features(_folded(text), np.uint64(seed)), _count_weights(), dimensions)
    length = math.sqrt(_sum_of_squares(sums))
    return (sums / length if length else sums).astype(np.float32)


def _sum_of_squares(sums: NDArray[np.int64]) -> int:
    largest = int(np.abs(sums).max(initial=0))
    if largest * largest * len(sums) < 2**63:
        return int(sums @ sums)
    return sum(value * value for value in sums.tolist())


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
        """Return the vectors [texts, dimensions] of whole texts; zeros for a blank one."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = hashed_vector(text, self.dimensions, seed=self._seed)
        return vectors

    def token_spans(self, text: str) -> list[TokenSpan]:
        """Return one span, the whole text: this encoder cuts nothing."""
        return [(0, len(text))] if text else []
