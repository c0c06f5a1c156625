"""The scan: word 5-grams, MinHash slots and a bottom sketch of a text, straight from its bytes.

Words are those of `shingles`: runs of word characters of the lower-case text. A text is decoded, folded and hashed in
one pass over its UTF-8 bytes; no string is made.

Slots follow one-permutation hashing (Li, Owen, Zhang, "One Permutation Hashing", NIPS 2012): one hash of a shingle
names its slot and its value there, and the smallest value stays. Slots left empty are filled in further rounds over
the same shingles (Dahlgaard, Knudsen, Thorup, "Fast Similarity Sketching", FOCS 2017): a second round with another
hash, then the minimum of a hash per slot. Two texts agree in a slot exactly when the smallest shingle of both together
lies in both, so the share of equal slots estimates their Jaccard similarity without bias, also for few shingles.

All of it is one file: the compiler keeps what it made, and does not notice a change in a function of another file.

The bottom sketch (Cohen, Kaplan, "Summarizing Data Using Bottom-k Sketches", PODC 2007) are the 128 smallest of
another 32 bits of the hashes, from which the share of one text's shingles that lie in another is estimated.
"""

import numpy as np
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.lexical.folding import CHANGES, IN_CONTEXT, IS_ALONE, NOT_ASCII, NUM_CHANGES, NUM_CODE_POINTS
from transforms.lexical.shingles import SHINGLE_WORDS

NUM_SLOTS = 128
"""Slots of a signature; the estimate's standard error at a similarity of .8 is .035."""

NUM_BOTTOM = 128
"""Largest number of values of a bottom sketch."""

NEEDS_LOWERING = -1
"""Number of words of a text that must be put in lower case by Python first: case depends on its neighbours there."""

_WORDS = SHINGLE_WORDS
PADDING = 32
"""Zeros behind a folded text, so that words are found eight bytes at a time up to its end."""
_BLOCK = np.uint64(256)

_SEED = np.uint64(0x8E5B1A4C2D3F7961)
_WORD_PRIME = np.uint64(0x9FB21C651E98DF25)
_SHINGLE_PRIME = np.uint64(0xD6E8FEB86659FD93)
_SECOND_ROUND = np.uint64(0xA0761D6478BD642F)
_SLOT_STEP = np.uint64(0xE7037ED1A0B428DB)
_MIX_A = np.uint64(0xFF51AFD7ED558CCD)
_MIX_B = np.uint64(0xC4CEB9FE1A85EC53)
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_32 = np.uint64(0xFFFFFFFF)
_ALL_BUT_HIGH = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH = np.uint64(0x8080808080808080)
_GATHER = np.uint64(0x0102040810204080)


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
    if point < NUM_CODE_POINTS:
        return point, np.int64(4)
    return np.int64(0), np.int64(1)


@compiled
def _fold_ascii(text: NDArray[np.uint8], start: np.uint64, stop: np.uint64, folded: NDArray[np.uint8]) -> bool:
    """Write a piece of a text folded to the start of `folded` and return True, or False where it is not all ASCII."""
    # No branch and no table: the compiler folds many bytes at a time.
    highest = np.uint8(0)
    for position in range(start, stop):
        highest |= text[position]
    if highest >= np.uint8(0x80):
        return False
    for offset in range(stop - start):
        byte = text[start + offset]
        lower = np.uint8(byte | np.uint8(0x20))
        value = np.uint8(0)
        if np.uint8(lower - np.uint8(97)) < np.uint8(26):
            value = lower
        if np.uint8(byte - np.uint8(48)) < np.uint8(10) or byte == np.uint8(95):
            value = byte
        folded[offset] = value
    return True


@compiled
def fold_text(
    text: NDArray[np.uint8], by_byte: NDArray[np.uint8], by_point: NDArray[np.uint32], folded: NDArray[np.uint8]
) -> np.int64:
    """Write a text in lower case with zeros between its words, and return its size in bytes, at most twice the text's.

    Returns `NEEDS_LOWERING` where the case of a character depends on its neighbours.
    """
    # Unsigned places: signed ones are looked at for counting from the end, at each access.
    one, end = np.uint64(1), np.uint64(text.size)
    size, position = np.uint64(0), np.uint64(0)
    while position < end:
        stop = min(position + _BLOCK, end)
        if _fold_ascii(text, position, stop, folded[size:]):
            size += stop - position
            position = stop
        while position < stop:
            lower = np.uint32(by_byte[text[position]])
            folded[size] = lower
            if lower != NOT_ASCII:
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
            if lower == IN_CONTEXT:
                return np.int64(NEEDS_LOWERING)
            if lower == np.uint32(0):
                folded[size] = 0
                size += one
                continue
            if lower & IS_ALONE:
                folded[size] = 0
                size += one
            # Four bytes of at least 128 for every character, whatever its width in UTF-8.
            for shift in (0, 7, 14, 21):
                folded[size] = np.uint8(0x80 | ((lower >> np.uint32(shift)) & np.uint32(0x7F)))
                size += one
            if lower & IS_ALONE:
                folded[size] = 0
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
def find_words(folded: NDArray[np.uint8], size: np.int64, bounds: NDArray[np.int32]) -> np.int64:
    """Write where words begin and end, alternating, and return the number of words.

    At least 16 zeros follow `folded[:size]`, and `bounds` has room for eight places more than there are.
    """
    # Where words end no processor foresees: of eight bytes, four bounds are written whether there are so many or not.
    count, before = np.uint64(0), np.uint64(0)
    for chunk in range(np.uint64(size) // np.uint64(8) + np.uint64(1)):
        start = np.uint64(chunk) * np.uint64(8)
        eight = _eight_bytes(folded, start)
        is_word = (((eight & _ALL_BUT_HIGH) + _ALL_BUT_HIGH) | eight) & _HIGH
        mask = ((is_word >> np.uint64(7)) * _GATHER) >> np.uint64(56)
        change = (mask ^ ((mask << np.uint64(1)) | before)) & np.uint64(0xFF)
        before = mask >> np.uint64(7)
        _write_bounds(bounds, count, CHANGES[change, 0], CHANGES[change, 1], start)
        num = np.uint64(NUM_CHANGES[change])
        if num > np.uint64(4):
            _write_bounds(bounds, count + np.uint64(4), CHANGES[change, 2], CHANGES[change, 3], start)
        count += num
    return np.int64(count >> np.uint64(1))


@compiled
def _write_bounds(
    bounds: NDArray[np.int32], count: np.uint64, first: np.uint64, second: np.uint64, start: np.uint64
) -> None:
    """Write four bounds; `first` and `second` hold two each, as counted from `start`."""
    both = start | (start << np.uint64(32))
    bounds[count] = np.int32(first + both)
    bounds[count + np.uint64(1)] = np.int32((first + both) >> np.uint64(32))
    bounds[count + np.uint64(2)] = np.int32(second + both)
    bounds[count + np.uint64(3)] = np.int32((second + both) >> np.uint64(32))


@compiled
def word_masks() -> NDArray[np.uint64]:
    """Return the masks of the first 0 to 8 bytes of a word."""
    masks = np.full(9, _EMPTY, dtype=np.uint64)
    for num_bytes in range(8):
        masks[num_bytes] = (np.uint64(1) << np.uint64(8 * num_bytes)) - np.uint64(1)
    return masks


@compiled
def hash_words(
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
def _hash_shingles(words: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> None:
    """Write the hash of each word 5-gram, none of which is 0."""
    for index in range(hashes.size):
        shingle = words[index]
        for offset in range(1, _WORDS):
            shingle = shingle * _SHINGLE_PRIME + words[index + offset]
        hashes[index] = max(_mixed(shingle), np.uint64(1))


@compiled
def _keep_distinct(hashes: NDArray[np.uint64], seen: NDArray[np.uint32], distinct: NDArray[np.uint64]) -> np.int64:
    """Write the distinct ones of some hashes to `distinct`, in order, and return how many there are.

    Args:
        hashes: The hashes.
        seen: Hash table of places in `distinct`, counted from 1; all zeros, its size a power of two well above the
            number of hashes.
        distinct: Room for as many hashes as there are, and one more.
    """
    mask = np.uint64(seen.size - 1)
    one, count = np.uint64(1), np.uint64(0)
    for shingle in hashes:
        place = shingle & mask
        here = np.uint64(seen[place])
        while here != np.uint64(0) and distinct[here - one] != shingle:
            place = (place + one) & mask
            here = np.uint64(seen[place])
        # A hash seen before is written too, where the next one overwrites it: no branch for it.
        distinct[count] = shingle
        is_new = np.uint64(here == np.uint64(0))
        seen[place] = np.uint32(here + (count + one) * is_new)
        count += is_new
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
    words = hashes = distinct = np.empty(0, dtype=np.uint64)
    seen = np.empty(0, dtype=np.uint32)
    values = np.empty(NUM_SLOTS, dtype=np.uint64)
    room = np.empty(4 * NUM_BOTTOM, dtype=np.uint32)
    masks = word_masks()
    for text in range(bounds.size - 1):
        piece = data[bounds[text] : bounds[text + 1]]
        if folded.size < 2 * piece.size + PADDING:
            # Two bytes of UTF-8 become four, three become six.
            folded = np.empty(2 * (2 * piece.size + PADDING), dtype=np.uint8)
        size = fold_text(piece, by_byte, by_point, folded)
        if size < 0:
            counts[text, 0] = size
            continue
        folded[size : size + PADDING] = 0
        if word_bounds.size < size + PADDING:
            word_bounds = np.empty(2 * (size + PADDING), dtype=np.int32)
        num_words = find_words(folded, size, word_bounds)
        counts[text, 0] = num_words
        if num_words < _WORDS:
            continue
        if words.size < num_words:
            words = np.empty(2 * num_words, dtype=np.uint64)
        hash_words(folded, word_bounds, masks, words[:num_words])
        table_size = 256
        while table_size < 4 * num_words:
            table_size *= 2
        if seen.size < table_size:
            seen = np.empty(table_size, dtype=np.uint32)
            hashes = np.empty(table_size // 2, dtype=np.uint64)
            distinct = np.empty(table_size // 2, dtype=np.uint64)
        seen[:table_size] = np.uint32(0)
        shingle_hashes = hashes[: num_words - _WORDS + 1]
        _hash_shingles(words, shingle_hashes)
        count = _keep_distinct(shingle_hashes, seen[:table_size], distinct)
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
