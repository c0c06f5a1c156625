"""Hashes, keys and seeded draws: everything that names or orders things does so through this file."""

import hashlib
from collections.abc import Iterable

import orjson


def canonical_json(value: object) -> bytes:
    """Return `value` as compact JSON with sorted keys: equal values give equal bytes.

    Raises:
        TypeError: The value holds something JSON has no word for.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha_hex(*parts: str | bytes | int | None) -> str:
    """Return the 64 hex digits of the SHA-256 of the parts, each framed by its kind and length.

    The frame keeps ("ab", "c"), ("a", "bc") and (None, "") apart.
    """
    digest = hashlib.sha256()
    frames: list[str] = []
    for part in parts:
        if isinstance(part, str):
            size = len(part) if part.isascii() else len(part.encode("utf-8", "surrogatepass"))
            frames.append(f"s{size}:{part}")
        elif part is None:
            frames.append("n0:")
        elif isinstance(part, int):
            digits = str(part)
            frames.append(f"i{len(digits)}:{digits}")
        else:
            digest.update(_encoded(frames))
            digest.update(b"b%d:" % len(part))
            digest.update(part)
            frames = []
    digest.update(_encoded(frames))
    return digest.hexdigest()


def _encoded(frames: list[str]) -> bytes:
    return "".join(frames).encode("utf-8", "surrogatepass")


def short_id(*parts: str | bytes | int | None) -> str:
    """Return the first 32 hex digits of `sha_hex`: the form of every id that is derived from content."""
    return sha_hex(*parts)[:32]


def text_id(kind: str, text: bytes | memoryview) -> str:
    """Return `short_id(kind, text)` of a text given as UTF-8, without making a string of it."""
    digest = hashlib.sha256(b"s%d:%bs%d:" % (len(kind.encode()), kind.encode(), len(text)))
    digest.update(text)
    return digest.hexdigest()[:32]


def draw(seed: int, purpose: str, identifier: str) -> float:
    """Return a number in [0, 1) that depends on nothing but (seed, purpose, identifier)."""
    return int(sha_hex(seed, purpose, identifier)[:13], 16) / 16**13


def seeded_order(identifiers: Iterable[str], *, seed: int, purpose: str) -> list[str]:
    """Return the identifiers in an order drawn by (seed, purpose), the same for any input order."""
    return sorted(identifiers, key=lambda identifier: (sha_hex(seed, purpose, identifier), identifier))
