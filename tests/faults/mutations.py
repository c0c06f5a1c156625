"""Damage as disks, writers and liars do it: every mutation is drawn from a seed, so a failure can be made again."""

import random
from collections.abc import Callable
from typing import Final

_BRACKETS: Final = (b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\n", b"\x00", b"\xff", b"\xef\xbb\xbf")
_NUMBERS: Final = (b"1e999", b"-0", b"123456789012345678901234567890", b"NaN", b"null", b"true", b'"\\ud800"')


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Return the content with one to three kinds of damage."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_MUTATIONS)(content, rng)
    return content


def _truncate(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _behead(content: bytes, rng: random.Random) -> bytes:
    return content[rng.randrange(len(content) + 1) :]


def _flip_bits(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(rng.randint(1, 16) if damaged else 0):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _zero_block(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    end = min(len(content), start + rng.choice((1, 16, 512, 4096)))
    return content[:start] + bytes(end - start) + content[end:]


def _delete(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.randint(1, 200) :]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    piece = content[start : start + rng.randint(1, 400)]
    return content[:start] + piece * rng.randint(2, 9) + content[start + len(piece) :]


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(_BRACKETS) * rng.choice((1, 1, 1, 300, 5000)) + content[place:]


def _splice_lines(content: bytes, rng: random.Random) -> bytes:
    """Glue the end of one line to the beginning of another, as two writers of one file do."""
    parts = content.split(b"\n")
    first, second = rng.randrange(len(parts)), rng.randrange(len(parts))
    cut = rng.randrange(len(parts[first]) + 1)
    parts[first] = parts[first][:cut] + parts[second]
    return b"\n".join(parts)


def _shuffle_lines(content: bytes, rng: random.Random) -> bytes:
    parts = content.split(b"\n")
    rng.shuffle(parts)
    return b"\n".join(parts)


def _lie_in_footer(content: bytes, rng: random.Random) -> bytes:
    """Change the last bytes: a Parquet footer's length and counts, a zip's directory, a gzip's size."""
    damaged = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        place = len(damaged) - 1 - rng.randrange(min(len(damaged), 400)) if damaged else 0
        damaged[place : place + 1] = bytes([rng.choice((0, 1, 127, 128, 255))])
    return bytes(damaged)


def _change_number(content: bytes, rng: random.Random) -> bytes:
    digits = [place for place, byte in enumerate(content) if 48 <= byte <= 57]
    if not digits:
        return content
    place = rng.choice(digits)
    return content[:place] + rng.choice(_NUMBERS) + content[place + 1 :]


_MUTATIONS: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    _truncate, _behead, _flip_bits, _flip_bits, _zero_block, _delete, _repeat, _insert, _splice_lines, _shuffle_lines,
    _lie_in_footer, _change_number,
)  # fmt: skip
