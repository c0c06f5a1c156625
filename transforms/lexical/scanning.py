"""The scan: word 5-grams, MinHash slots and a bottom sketch of a text, straight from its bytes.

Words are those of `shingles`: runs of word characters of the lower-case text. A text is decoded, folded and hashed in
one pass over its UTF-8 bytes; no string is made.

Slots follow one-permutation hashing (Li, Owen, Zhang, "One Permutation Hashing", NIPS 2012): one hash of a shingle
names its slot and its value there, and the smallest value stays. Slots left empty are filled in further rounds over
the same shingles (Dahlgaard, Knudsen, Thorup, "Fast Similarity Sketching", FOCS 2017): a second round with another
hash, then the minimum of a hash per slot. Two texts agree in a slot exactly when the smallest shingle of both together
lies in both, so the share of equal slots estimates their Jaccard similarity without bias, also for few shingles.

The bottom sketch (Cohen, Kaplan, "Summarizing Data Using Bottom-k Sketches", PODC 2007) are the 128 smallest of
another 32 bits of the hashes, from which the share of one text's shingles that lie in another is estimated.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from transforms.lexical.compiled import compiled
from transforms.lexical.shingles import SHINGLE_WORDS

NUM_SLOTS = 128
"""Slots of a signature; the estimate's standard error at a similarity of .8 is .035."""

NUM_BOTTOM = 128
"""Largest number of values of a bottom sketch."""

NEEDS_LOWERING = -1
"""Number of words of a text that must be put in lower case by Python first: case depends on its neighbours there."""

_WORDS = SHINGLE_WORDS
_NUM_CODE_POINTS = 0x110000
_IN_CONTEXT = np.uint32(0xFFFFFFFF)
_NOT_ASCII = np.uint8(1)
_PADDING = 32
_SPLITS = ("\u0130", "\u03a3")

_SEED = np.uint64(0x8E5B1A4C2D3F7961)
_WORD_PRIME = np.uint64(0x9FB21C651E98DF25)
_SHINGLE_PRIME = np.uint64(0xD6E8FEB86659FD93)
_SHINGLE_PRIME_5 = np.uint64(pow(0xD6E8FEB86659FD93, 5, 2**64))
_SECOND_ROUND = np.uint64(0xA0761D6478BD642F)
_SLOT_STEP = np.uint64(0xE7037ED1A0B428DB)
_MIX_A = np.uint64(0xFF51AFD7ED558CCD)
_MIX_B = np.uint64(0xC4CEB9FE1A85EC53)
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_32 = np.uint64(0xFFFFFFFF)


@cache
def fold_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return how characters fold: by byte (256) and by code point (1,114,112).

    A word character folds to its lower case, any other to 0. A byte beyond ASCII folds to 1: the code point tells.
    Characters whose lower case depends on their neighbours, or is more than one, fold to 2^32 − 1.
    """
    by_point = np.zeros(_NUM_CODE_POINTS, dtype=np.uint32)
    for point in range(_NUM_CODE_POINTS):
        character = chr(point)
        lower = character.lower()
        if len(lower) > 1 or character in _SPLITS:
            by_point[point] = _IN_CONTEXT
        elif lower.isalnum() or lower == "_":
            by_point[point] = ord(lower)
    by_byte = np.ones(256, dtype=np.uint8)
    by_byte[:128] = by_point[:128]
    by_byte.flags.writeable = False
    by_point.flags.writeable = False
    return by_byte, by_point


@compiled
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(33))) * _MIX_A
    value = (value ^ (value >> np.uint64(33))) * _MIX_B
    return value ^ (value >> np.uint64(33))


@compiled
def _code_point(first: np.int64, second: np.int64, third: np.int64, fourth: np.int64) -> tuple[np.int64, np.int64]:
    """Return the code point that four bytes begin with, and its width; what is no character gives (0, 1)."""
    if first < 0xC0 or first >= 0xF8:
        return np.int64(0), np.int64(1)
    if first < 0xE0:
        return ((first & 0x1F) << 6) | (second & 0x3F), np.int64(2)
    if first < 0xF0:
        return ((first & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F), np.int64(3)
    point = ((first & 0x07) << 18) | ((second & 0x3F) << 12) | ((third & 0x3F) << 6) | (fourth & 0x3F)
    if point < _NUM_CODE_POINTS:
        return point, np.int64(4)
    return np.int64(0), np.int64(1)


@compiled
def _fold(
    text: NDArray[np.uint8], by_byte: NDArray[np.uint8], by_point: NDArray[np.uint32], folded: NDArray[np.uint8]
) -> np.int64:
    """Write a text in lower case with a zero for each character outside words, and return its size in bytes.

    Returns `NEEDS_LOWERING` where the case of a character depends on its neighbours.
    """
    # Unsigned places: signed ones are looked at for counting from the end, at each access.
    one, end = np.uint64(1), np.uint64(text.size)
    size, position = np.uint64(0), np.uint64(0)
    while position < end:
        lower = np.uint32(by_byte[text[position]])
        folded[size] = lower
        if lower != _NOT_ASCII:
            size += one
            position += one
            continue
        last = end - one
        point, width = _code_point(
            np.int64(text[position]),
            np.int64(text[min(position + one, last)]),
            np.int64(text[min(position + np.uint64(2), last)]),
            np.int64(text[min(position + np.uint64(3), last)]),
        )
        position += np.uint64(width)
        lower = by_point[point]
        if lower == _IN_CONTEXT:
            return np.int64(NEEDS_LOWERING)
        if lower == np.uint32(0):
            folded[size] = 0
            size += one
            continue
        # Four bytes of at least 128 for every character, whatever its width in UTF-8.
        for shift in (0, 7, 14, 21):
            folded[size] = np.uint8(0x80 | ((lower >> np.uint32(shift)) & np.uint32(0x7F)))
            size += one
    return np.int64(size)


@compiled
def _eight_bytes(folded: NDArray[np.uint8], start: np.uint64) -> np.uint64:
    # The compiler makes one load of it.
    value = np.uint64(0)
    for offset in range(8):
        value |= np.uint64(folded[start + np.uint64(offset)]) << np.uint64(8 * offset)
    return value


@compiled
def _find_words(folded: NDArray[np.uint8], size: np.int64, bounds: NDArray[np.int32]) -> np.int64:
    """Write where words begin and end, alternating, and return the number of words; `folded[size]` is zero."""
    # No branch on where words end, which no processor foresees: every byte writes the bound it may be.
    count = np.uint64(0)
    before = np.uint64(0)
    for position in range(size + 1):
        here = np.uint64(folded[np.uint64(position)] != 0)
        bounds[count] = position
        count += here ^ before
        before = here
    return np.int64(count >> np.uint64(1))


@compiled
def _hash_words(
    folded: NDArray[np.uint8], bounds: NDArray[np.int32], masks: NDArray[np.uint64], words: NDArray[np.uint64]
) -> None:
    """Write the hash of each word; at least 16 bytes follow the last one."""
    eight = np.int64(8)
    for index in range(np.uint64(words.size)):
        start = np.uint64(bounds[np.uint64(2) * index])
        length = np.int64(bounds[np.uint64(2) * index + np.uint64(1)]) - np.int64(start)
        first = _eight_bytes(folded, start) & masks[np.uint64(min(length, eight))]
        second = _eight_bytes(folded, start + np.uint64(8)) & masks[np.uint64(min(max(length, eight) - eight, eight))]
        word = (_SEED ^ first) * _WORD_PRIME
        word = ((word ^ (word >> np.uint64(32))) ^ second) * _WORD_PRIME
        word ^= word >> np.uint64(32)
        done = np.int64(16)
        while done < length:
            further = _eight_bytes(folded, start + np.uint64(done)) & masks[np.uint64(min(length - done, eight))]
            word = (word ^ further) * _WORD_PRIME
            word ^= word >> np.uint64(32)
            done += eight
        words[index] = word


@compiled
def _distinct_shingles(words: NDArray[np.uint64], seen: NDArray[np.uint64], distinct: NDArray[np.uint64]) -> np.int64:
    """Write the distinct hashes of the word 5-grams to `distinct`, in order, and return how many there are.

    Args:
        words: Hashes of the words.
        seen: Hash table, all zeros, its size a power of two well above the number of words.
        distinct: Room for as many hashes as there are words.
    """
    mask = np.uint64(seen.size - 1)
    rolling = np.uint64(0)
    count = np.uint64(0)
    for index in range(words.size):
        rolling = rolling * _SHINGLE_PRIME + words[index]
        if index >= _WORDS:
            rolling -= words[index - _WORDS] * _SHINGLE_PRIME_5
        if index < _WORDS - 1:
            continue
        shingle = max(_mixed(rolling), np.uint64(1))
        place = shingle & mask
        here = seen[place]
        while here != np.uint64(0) and here != shingle:
            place = (place + np.uint64(1)) & mask
            here = seen[place]
        # A shingle seen before is written again, where the next one overwrites it: no branch for it.
        seen[place] = shingle
        distinct[count] = shingle
        count += np.uint64(here == np.uint64(0))
    return np.int64(count)


@compiled
def _fill_slots(hashes: NDArray[np.uint64], values: NDArray[np.uint64], slots: NDArray[np.uint32]) -> None:
    """Write the slots of a set of at least one hash; `values` [slots] is scratch."""
    values[:] = _EMPTY
    for shingle in hashes:
        slot = shingle >> np.uint64(57)
        values[slot] = min(values[slot], (shingle >> np.uint64(25)) & _LOW_32)
    num_empty = 0
    for slot in range(NUM_SLOTS):
        num_empty += values[slot] == _EMPTY
    if num_empty:
        # Values of the second round carry a mark, so that they fill empty slots only.
        for shingle in hashes:
            again = _mixed(shingle ^ _SECOND_ROUND)
            slot = again >> np.uint64(57)
            if values[slot] > _LOW_32:
                values[slot] = min(
                    values[slot], ((again >> np.uint64(25)) & _LOW_32) | (np.uint64(1) << np.uint64(40))
                )
    for slot in range(NUM_SLOTS):
        if values[slot] == _EMPTY:
            step = np.uint64(slot + 1) * _SLOT_STEP
            least = _LOW_32
            for shingle in hashes:
                least = min(least, _mixed(shingle + step) >> np.uint64(32))
            values[slot] = least
        slots[slot] = np.uint32(values[slot] & _LOW_32)


@compiled
def _sort_even(values: NDArray[np.uint32], limit: np.uint64) -> None:
    """Sort values that lie evenly from 0 to `limit`: each goes to its place by proportion, and then a few steps."""
    ends = np.zeros(257, dtype=np.uint32)
    spread = np.empty(values.size, dtype=np.uint32)
    scale = np.uint64(1 << 40) // (limit + np.uint64(1))
    for value in values:
        ends[((np.uint64(value) * scale) >> np.uint64(32)) + np.uint64(1)] += np.uint32(1)
    for bucket in range(1, 257):
        ends[bucket] += ends[bucket - 1]
    for value in values:
        here = (np.uint64(value) * scale) >> np.uint64(32)
        spread[ends[here]] = value
        ends[here] += np.uint32(1)
    for index in range(values.size):
        value, place = spread[index], index
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@compiled
def _fill_bottom(hashes: NDArray[np.uint64], bottom: NDArray[np.uint32], room: NDArray[np.uint32]) -> int:
    """Write the smallest of the low 32 bits of a set of hashes in ascending order, and return how many."""
    wanted = min(hashes.size, NUM_BOTTOM)
    # Of evenly spread values 1.4 times as many as are wanted lie below the limit; where they do not, all are sorted.
    limit = _LOW_32
    if hashes.size > 2 * NUM_BOTTOM:
        limit = np.uint64(1.4 * NUM_BOTTOM / hashes.size * 4294967296.0)
    count = np.uint64(0)
    last = np.uint64(room.size - 1)
    for shingle in hashes:
        value = shingle & _LOW_32
        room[min(count, last)] = np.uint32(value)
        count += np.uint64(value <= limit)
    if np.uint64(wanted) <= count <= last:
        chosen = room[: np.int64(count)]
        _sort_even(chosen, limit)
    else:
        chosen = (hashes & _LOW_32).astype(np.uint32)
        chosen.sort()
    bottom[:wanted] = chosen[:wanted]
    return wanted


@compiled
def scan_texts(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    by_byte: NDArray[np.uint8],
    by_point: NDArray[np.uint32],
    slots: NDArray[np.uint32],
    bottom: NDArray[np.uint32],
    counts: NDArray[np.int32],
) -> None:
    """Write slots, bottom sketch and counts of each text.

    Args:
        data: Bytes of the texts.
        bounds: Where the texts begin, shape (texts + 1,).
        by_byte: As in `fold_tables`.
        by_point: As in `fold_tables`.
        slots: Shape (texts, 128), zeros; a text of fewer than five words keeps its zeros.
        bottom: Shape (texts, 128); the first `counts[:, 2]` of a row are written.
        counts: Words, distinct shingles and values of the bottom sketch of each text, shape (texts, 3).
    """
    folded = np.empty(0, dtype=np.uint8)
    word_bounds = np.empty(0, dtype=np.int32)
    words = np.empty(0, dtype=np.uint64)
    distinct = np.empty(0, dtype=np.uint64)
    seen = np.empty(0, dtype=np.uint64)
    values = np.empty(NUM_SLOTS, dtype=np.uint64)
    room = np.empty(4 * NUM_BOTTOM, dtype=np.uint32)
    masks = np.full(9, _EMPTY, dtype=np.uint64)
    for num_bytes in range(8):
        masks[num_bytes] = (np.uint64(1) << np.uint64(8 * num_bytes)) - np.uint64(1)
    for text in range(bounds.size - 1):
        piece = data[bounds[text] : bounds[text + 1]]
        if folded.size < 2 * piece.size + _PADDING:
            # Two bytes of UTF-8 at least become four.
            folded = np.empty(2 * (2 * piece.size + _PADDING), dtype=np.uint8)
        size = _fold(piece, by_byte, by_point, folded)
        if size < 0:
            counts[text, 0] = size
            continue
        folded[size : size + _PADDING] = 0
        if word_bounds.size < size + 2:
            word_bounds = np.empty(2 * (size + 2), dtype=np.int32)
        num_words = _find_words(folded, size, word_bounds)
        counts[text, 0] = num_words
        if num_words < _WORDS:
            continue
        if words.size < num_words:
            words = np.empty(2 * num_words, dtype=np.uint64)
        _hash_words(folded, word_bounds, masks, words[:num_words])
        table_size = 256
        while table_size < 4 * num_words:
            table_size *= 2
        if seen.size < table_size:
            seen = np.empty(table_size, dtype=np.uint64)
            distinct = np.empty(table_size // 2, dtype=np.uint64)
        seen[:table_size] = np.uint64(0)
        count = _distinct_shingles(words[:num_words], seen[:table_size], distinct)
        counts[text, 1] = count
        _fill_slots(distinct[:count], values, slots[text])
        counts[text, 2] = _fill_bottom(distinct[:count], bottom[text], room)


@compiled
def sketch_hashes(
    hashes: NDArray[np.uint64], slots: NDArray[np.uint32], bottom: NDArray[np.uint32], counts: NDArray[np.int32]
) -> None:
    """Write slots, bottom sketch and counts of texts of one shingle each.

    Args:
        hashes: The shingles' hashes, shape (texts,).
        slots: As in `scan_texts`.
        bottom: As in `scan_texts`.
        counts: As in `scan_texts`; the number of words stays as it is.
    """
    values = np.empty(NUM_SLOTS, dtype=np.uint64)
    room = np.empty(4 * NUM_BOTTOM, dtype=np.uint32)
    for text in range(hashes.size):
        _fill_slots(hashes[text : text + 1], values, slots[text])
        counts[text, 1] = 1
        counts[text, 2] = _fill_bottom(hashes[text : text + 1], bottom[text], room)
