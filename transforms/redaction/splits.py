"""Secrets cut in two: over the text parts of one message, or over the contents of two messages in a row."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from schemas.records import Message
from transforms.redaction.maintained import Finding
from transforms.redaction.seams import seam
from transforms.redaction.units import Edit, apply_edits, decode, encode
from transforms.redaction.values import is_random

_TEXT_FIELDS: Final = ("text", "content", "thinking")

Find = Callable[[bytes], list[Finding]]
Name = Callable[[bytes, str], bytes]


def mend_splits(messages: Sequence[Message], find: Find, name: Name) -> tuple[Message, ...]:
    """Return the messages with every split secret replaced by one placeholder, where it begins.

    Args:
        messages: The messages of a rollout.
        find: Gives the secrets of a text.
        name: Gives the placeholder of a secret's value and kind.
    """
    mended = [_mend_parts(message, find, name) if message.parts_json else message for message in messages]
    split = _split_seams(mended, find)
    for index in range(1, len(mended)):
        before, after = mended[index - 1 : index + 1]
        if index in split and (halves := seam(before.content, after.content)):
            tail, head = _mend_texts(list(halves), find, name)
            if (tail, head) != halves:
                mended[index - 1] = replace(before, content=(before.content or "").removesuffix(halves[0]) + tail)
                mended[index] = replace(after, content=head + (after.content or "").removeprefix(halves[1]))
                split.add(index + 1)
    return tuple(mended)


def _split_seams(messages: Sequence[Message], find: Find) -> set[int]:
    """Return the messages that begin within a secret, found in all seams at once."""
    halves = {
        index: (encode(found[0]), encode(found[1]))
        for index in range(1, len(messages))
        if (found := seam(messages[index - 1].content, messages[index].content))
    }
    if not halves:
        return set()
    indices = list(halves)
    ends = accumulate(len(tail) + len(head) + 1 for tail, head in halves.values())
    borders = [end - 1 - len(head) for end, (_, head) in zip(ends, halves.values(), strict=True)]
    split: set[int] = set()
    for start, end, _ in find(b"\x00".join(tail + head for tail, head in halves.values())):
        split.update(indices[bisect_right(borders, start) : bisect_left(borders, end)])
    return split


def _mend_parts(message: Message, find: Find, name: Name) -> Message:
    try:
        parts = json.loads(message.parts_json or "")
    except (ValueError, RecursionError):
        return message
    places = list(_text_places(parts))
    texts = [owner[key] for owner, key in places]
    mended = _mend_texts(texts, find, name)
    if mended == texts:
        return message
    content = "\n".join(mended) if message.content == "\n".join(texts) else message.content
    for (owner, key), text in zip(places, mended, strict=True):
        owner[key] = text
    return replace(message, content=content, parts_json=json.dumps(parts, ensure_ascii=False, separators=(",", ":")))


def _text_places(parts: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where the texts of a list of parts stand: their owner and the key or index in it."""
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, str):
            yield parts, index
        elif isinstance(part, dict):
            fields = [field for field in _TEXT_FIELDS if isinstance(part.get(field), str)]
            yield from ((part, field) for field in fields[:1])


def _mend_texts(texts: list[str], find: Find, name: Name) -> list[str]:
    """Return the texts with the secrets replaced that lie over a border between two of them."""
    values = [encode(text) for text in texts]
    whole = b"".join(values)
    edits: list[list[Edit]] = [[] for _ in values]
    for start, end, kind in find(whole) if len(values) > 1 else ():
        (index, first, last), *others = _pieces(values, start, end)
        rest = whole[start + last - first : end].split(b".")
        if not others or not (any(is_random(part, b"") for part in rest) or _needs_rest(values[index], first, find)):
            continue
        edits[index].append((first, last, name(whole[start:end], kind)))
        for other, first, last in others:
            edits[other].append((first, last, b""))
    return [decode(apply_edits(value, changes)) for value, changes in zip(values, edits, strict=True)]


def _needs_rest(value: bytes, start: int, find: Find) -> bool:
    """Say whether the beginning of a secret at the end of a text is no secret by itself; else a word follows it."""
    return all(found[0] != start for found in find(value))


def _pieces(values: list[bytes], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield index, start and end of the stretches of the values over which a place of their join lies."""
    offset = 0
    for index, value in enumerate(values):
        first, last = max(start - offset, 0), min(end - offset, len(value))
        if first < last:
            yield index, first, last
        offset += len(value)
