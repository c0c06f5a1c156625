"""Marks planted in a native value, one place at a time, and whether what was read of it tells of each."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MARK = "zqMARKqz"
TEXT = "$text"
"""Step of a path into the JSON that a text spells."""
ROOTS = frozenset(
    {
        "simulations", "samples", "results", "attempts", "logs", "traces", "resourceSpans", "scopeSpans",
        "subagent_trajectories", "lines", "events", "state", "report", "#",
        "o__r-1",
    }
)  # fmt: skip
"""Where records lie in a file, and what reading calls that and the files beside it: losses are named from there."""


OF_PAIRS = frozenset({"value", "stringValue", "intValue", "boolValue", "doubleValue", "arrayValue", "kvlistValue"})
"""What stands between the key and the value of a pair; losses leave it out."""


class Place(NamedTuple):
    """A place in a value, and what is planted there: text | tail | list | object | rename | unknown."""

    path: tuple[Any, ...]
    kind: str


def places_in(native: Any) -> Iterator[Place]:
    """Yield every place of a value, once per kind of mark that it can bear; empty values say nothing to be renamed."""
    for path, value in _walk(native, ()):
        last = path[-1] if path else TEXT
        if isinstance(value, dict):
            yield Place(path, "unknown")
        if isinstance(last, str) and last != TEXT and value not in (None, "", [], {}):
            yield Place(path, "rename")
        if last == TEXT or (isinstance(value, dict | list) and value) or _spelled(value) is not None:
            continue
        yield Place(path, "text")
        if not isinstance(value, dict | list):
            yield from (Place(path, kind) for kind in ("list", "object"))
        if isinstance(value, str):
            yield Place(path, "tail")


def planted(native: Any, place: Place) -> Any:
    """Return the value with a mark at the place."""
    if not place.path:
        marks = {"text": MARK, "tail": f"{native} {MARK}", "list": [MARK], "object": {"x": MARK}}
        return {**native, MARK: MARK} if place.kind == "unknown" else marks[place.kind]
    head, rest = place.path[0], place._replace(path=place.path[1:])
    if head == TEXT:
        return json.dumps(planted(json.loads(native), rest))
    if place.kind == "rename" and not rest.path:
        return {(MARK if key == head else key): value for key, value in native.items()}
    items = list(native.items()) if isinstance(native, dict) else list(enumerate(native))
    changed = [(key, planted(value, rest) if key == head else value) for key, value in items]
    return dict(changed) if isinstance(native, dict) else [value for _, value in changed]


def names_place(name: str, native: Any, place: Place, *, is_new: bool) -> bool:
    """Say whether a loss leads to the place or to what it stands in.

    One that the untouched value has too must be the beginning of the path; a new one may leave steps out.
    """
    keys, kinds = _keys_on(native, place.path)
    keys += {"object": ["x"], "unknown": [MARK]}.get(place.kind, [])
    told = _components(name)
    while told and told[0] in ROOTS and len(told) > 1:
        told = told[1:]
    if is_new:
        left = iter([*kinds, *keys])
        return bool(told) and all(any(key == part for key in left) for part in told)
    while keys and keys[0] in ROOTS:
        keys = keys[1:]
    return bool(told) and told == keys[: len(told)]


def shown(place: Place) -> str:
    """Return a place as text."""
    parts = ("[]" if isinstance(part, int) else f".{part}" for part in place.path)
    return f"{''.join(parts).removeprefix('.')} ({place.kind})"


def _walk(native: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, native
    inner = _spelled(native)
    if inner is not None:
        path, native = (*path, TEXT), inner
        yield path, native
    items = native.items() if isinstance(native, dict) else enumerate(native) if isinstance(native, list) else ()
    for key, value in items:
        yield from _walk(value, (*path, key))


def _spelled(value: Any) -> Any:
    """Return the list or object that a text spells, unless it is empty."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return None
    try:
        found = json.loads(value)
    except ValueError:
        return None
    return found or None


def _components(name: str) -> list[str]:
    return [part for part in re.split(r"[.\[\]/]+", name) if part and not part.isdecimal()]


def _keys_on(native: Any, path: tuple[Any, ...]) -> tuple[list[str], list[str]]:
    """Return the names on the way to a place (a pair of key and value by its key) and the kinds of objects there."""
    keys: list[str] = []
    kinds: list[str] = []
    for part in path:
        if part == TEXT:
            native = json.loads(native)
            continue
        if isinstance(part, str) and part not in OF_PAIRS:
            keys += _components(part) or ["#"]
        native = native[part]
        if isinstance(native, dict):
            keys += _components(native["key"]) if native.keys() == {"key", "value"} else []
            kinds += [kind for name in ("kind", "type") if isinstance(kind := native.get(name), str)]
    return keys, kinds
