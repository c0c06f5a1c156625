"""What a native record says held against what reading made of it: whatever is in no column is named by its path.

Formats name the losses they know of in words of their own. This walk over the whole record stands behind all of
them, so that a field of a later version, a value of an unforeseen kind or a text that a rule set aside is never left
out in silence, whichever format it came in. It compares values, not code: a text is told if it stands in a column, a
number or a time if a column holds it. A name that no reading knows is told only where it was kept. The search is
bounded (see `Passages`): of a record made to be searched without end, values are named though a column tells them.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, NamedTuple

import orjson

from schemas.records import Header, Message, MessageCall, Rollout
from schemas.settings.ingest import FieldMapSettings
from transforms.formats.fields import as_datetime, as_integer
from transforms.formats.joins import is_told_by_place
from transforms.formats.known_names import CONVERTED, KNOWN_NAMES, TAGS, WORDS
from transforms.formats.passages import SHORT, Passages
from transforms.reading.strict_json import doubles_a_key

_MOST_CHARS: Final = 4096
"""Characters of a native name that stand in a path: keys may be as long as texts. Far more than are shown, so that no
secret is cut before it is looked for."""
MAX_NAMES: Final = 20
"""Unknown names of one object that are told one by one; of a map with more of them the map itself is told."""
_BEFORE_OBJECTS: Final = frozenset("{[ \t\r\n")
_LONG: Final = 1000
"""Characters from which on a text that spells an object is read before it is searched for."""
_FIRST_SECOND: Final = 100_000_000
"""Numbers above may be times in seconds since 1970: this one lies in 1973."""
_BETWEEN: Final = re.compile(r"\n|```\w*|</?\w+=?|>|e(?<!\we)xecute\[|\]")
"""What a text-mode action wraps its parts in: name, arguments and words around them stand in columns of their own.
Every branch begins with a character of its own, so that the search leaps over all others."""
_ATTACHED: Final = re.compile(r"attachment://[0-9a-f]+")
"""A link in place of a text; the text itself is looked at where it lies."""
_BASIS: Final = "reward_basis"
"""Lists the names of a reward's parts, which stand with their numbers."""
_PAIR: Final = frozenset({"key", "value"})
_TYPED: Final = frozenset(
    {"stringValue", "intValue", "boolValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue"}
)
"""Objects of one of these names alone are a value with its type."""
_OF_ROLLOUT: Final = attrgetter("native_id", "parse_warnings", "parent_key")
_OF_HEADER: Final = attrgetter(*Header.__dataclass_fields__)
_OF_MESSAGE: Final = attrgetter(*(name for name in Message.__dataclass_fields__ if name != "calls"))
_OF_CALL: Final = attrgetter(*MessageCall.__dataclass_fields__)


def name_untold(
    sources: Iterable[Any], rollouts: Sequence[Rollout], *, known: Collection[str] = ()
) -> tuple[Rollout, ...]:
    """Return the rollouts of a record, each with the paths of what none of them holds among its lost fields.

    Args:
        sources: The native record, then what else was read for it (the head of its file, a file beside it).
        rollouts: What its reading made of it.
        known: Names of fields that are read because settings or a file beside the record say so.
    """
    told = _Told(rollouts, known)
    named = {name for rollout in rollouts for name in rollout.lost_fields}
    untold: set[str] = set()
    for source in sources:
        untold |= _untold(source, told, named)
    if not untold:
        return tuple(rollouts)
    return tuple(
        replace(rollout, lost_fields=tuple(dict.fromkeys((*rollout.lost_fields, *sorted(untold)))))
        for rollout in rollouts
    )


def mapped_names(fields: FieldMapSettings) -> frozenset[str]:
    """Return the names that a field map gives, each part of those with dots."""
    return frozenset(part for _, names in fields for name in names for part in name.split("."))


def names_in(source: Any) -> set[str]:
    """Return the paths of all that a source says, where no reading takes anything of it."""
    return _untold(source, _Told(()), ())


class _Place(NamedTuple):
    """Something a source says: where, under which name, and in a list's item of which kind."""

    path: str
    name: str
    value: Any
    kind: str | None = None


def _untold(source: Any, told: "_Told", named: Collection[str]) -> set[str]:
    """Return the paths of what a source says and nothing tells; what stands below a path that is named is told."""
    walk = _Walk(told, named)
    walk.look(_Place("", "", source))
    return {inner for inner in walk.untold if not _is_named_shortly(inner, named)}


class _Walk:
    """A walk over a source. What a column holds as it is, is passed by without a path being made for it."""

    def __init__(self, told: "_Told", named: Collection[str]) -> None:
        self._told = told
        self._named = named
        self._has_kinds = any(name.endswith("]") for name in named)
        self.untold: set[str] = set()

    def look(self, place: _Place) -> None:
        """Add the paths of all at and below a place that nothing tells."""
        told, named, waiting = self._told, self._named, [place]
        while waiting:
            place = waiting.pop()
            path, name, value, kind = place
            if path in self.untold or path in named or (named and kind and f"{kind}.{name}" in named):
                continue
            if isinstance(value, dict):
                if not (self._is_named(name, value) or self._is_named(str(kind), value)):
                    waiting += self._members(place)
            elif isinstance(value, list):
                waiting += self._items(place)
            elif not (is_told_by_place(path, name, value) or self._spells_what_is_told(place)):
                if told.holds(name, value):
                    continue
                before, parsed = _embedded(value)
                if parsed is None or not told.holds(name, before) or doubles_a_key(value[len(before) :], parsed):
                    self.untold.add(path)
                else:
                    waiting.append(_Place(path, name, parsed, kind))

    def _spells_what_is_told(self, place: _Place) -> bool:
        """Say whether a long text spells a list or object all of which is told: to search for it costs more."""
        if not isinstance(place.value, str) or len(place.value) < _LONG or (parsed := _parsed(place.value)) is None:
            return False
        known = self.untold
        self.untold = set(known)
        self.look(place._replace(value=parsed))
        is_told = self.untold == known and not doubles_a_key(place.value, parsed)
        self.untold = known
        return is_told

    def _is_named(self, path: str, item: Any) -> bool:
        return self._has_kinds and _is_named_by_kind(path, item, self._named)

    def _members(self, place: _Place) -> list[_Place]:
        """Return the members of an object that are to be looked at; names that nothing knows are untold."""
        path, _, native, kind = place
        told, named = self._told, self._named
        if len(native) == 1 and native.keys() <= _TYPED:
            return [_Place(path, place.name, value, kind) for value in native.values() if not told.has(value)]
        members = []
        unknown = set()
        for name, value in native.items():
            if not value and not isinstance(value, int | float):
                continue
            if name in KNOWN_NAMES or told.has_name(name):
                if not told.has(value):
                    members.append(_Place(_below(path, name), name, value, kind))
            elif (inner := _below(path, name)) not in named and f"{kind}.{name}" not in named:
                unknown.add(inner)
        if len(unknown) > MAX_NAMES:
            unknown = {f"{path}.*" if path else "*"}
        self.untold |= unknown
        return members

    def _items(self, place: _Place) -> Iterator[_Place]:
        """Yield the items of a list that are to be looked at; a pair whose key is known stands for its value."""
        path, name, items, kind = place
        told, inner = self._told, f"{path}[]"
        for item in items:
            if told.has(item) or self._is_named(path, item):
                continue
            if not isinstance(item, dict):
                yield _Place(inner, name, item, kind)
            elif item.keys() == _PAIR and isinstance(key := item["key"], str):
                is_known = told.has_name(key) or all(
                    part in KNOWN_NAMES for part in key.split(".") if not part.isdecimal()
                )
                if not (is_known and told.has(item["value"])):
                    yield _Place(f"{path}[{key[:_MOST_CHARS]}]", key, item["value"] if is_known else item)
            else:
                own = item.get("type", item.get("kind"))
                yield _Place(inner, name, item, own if isinstance(own, str) else None)


def _below(path: str, name: str) -> str:
    return f"{path}.{name[:_MOST_CHARS]}" if path else name[:_MOST_CHARS]


def _is_named_by_kind(path: str, item: Any, named: Collection[str]) -> bool:
    """Say whether an object is named by its kind: `events[PauseEvent]`, `history[action=recall]`."""
    if not isinstance(item, dict):
        return False
    kinds = [kind for name in ("kind", "type") if isinstance(kind := item.get(name), str)]
    kinds += [f"{kind}/{item['subtype']}" for kind in kinds if isinstance(item.get("subtype"), str)]
    kinds += [f"{name}={item[name]}" for name in ("action", "observation") if isinstance(item.get(name), str)]
    return any(f"{path}[{kind}]" in named for kind in kinds)


def _is_named_shortly(path: str, named: Collection[str]) -> bool:
    """Say whether a path's end is named: formats tell `usage.speed` for that of any message."""
    parts = path.split(".")
    return any(".".join(parts[start:]) in named for start in range(1, len(parts) - 1))


def _parsed(value: Any) -> Any:
    """Return the list or object that a text spells; None for any other."""
    if not isinstance(value, str) or value[:1] not in _BEFORE_OBJECTS:
        return None
    try:
        found = orjson.loads(value)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def _embedded(value: Any) -> tuple[str, Any]:
    """Return the words before the object or list that a text ends with, and that object; None where it has none."""
    if not isinstance(value, str):
        return "", None
    starts = [start for mark in "{[" if (start := value.find(mark)) >= 0]
    start = min(starts, default=0)
    return value[:start], _parsed(value[start:])


class _Told:
    """All that some rollouts say: texts, names, numbers, times."""

    def __init__(self, rollouts: Iterable[Rollout], known: Iterable[str] = ()) -> None:
        self._texts: dict[str, None] = {}
        self._names: set[str] = set(known)
        self._parts: set[str] = set()
        self._numbers: set[float] = set()
        self._times: set[datetime] = set()
        self._passages: Passages | None = None
        self._inside: dict[str, bool] = {}
        for rollout in rollouts:
            self._add_all(_values_of(rollout))
            self._parts |= {part.lower() for part in rollout.header.reward_components}

    def has_name(self, name: str) -> bool:
        """Say whether a name was kept: as a key of JSON text, the name of a component, or a text of its own."""
        return name in self._names or name in self._texts or name.lower() in self._parts

    def has(self, value: Any) -> bool:
        """Say whether a column holds a value as it is; `holds` says where that is not so."""
        if isinstance(value, str):
            return value in self._texts
        if isinstance(value, dict | list):
            return False
        return not value or value is True or value in self._numbers

    def holds(self, name: str, value: Any) -> bool:
        """Say whether a value of that name is told, or says nothing that a column could hold."""
        if isinstance(value, str):
            return self._holds_text(name, value)
        if not value or value is True or (name in CONVERTED and value > 0):
            # Nothing was counted, or a flag that a column or a rule takes; no rule takes less than nothing.
            return True
        if value in self._numbers or str(value) in self._texts:
            return True
        return value > _FIRST_SECOND and as_datetime(value) in self._times

    def _holds_text(self, name: str, value: str) -> bool:
        text = value.strip()
        if not text or value in self._texts or text in self._texts:
            return True
        if (name in TAGS and text.lower() in WORDS) or (name == _BASIS and text.lower() in self._parts):
            return True
        if as_integer(text) in self._numbers:
            return True
        if name in CONVERTED and (as_datetime(text) is not None or as_integer(text) is not None):
            return True
        if _ATTACHED.fullmatch(text) or (len(text) < 40 and as_datetime(text) in self._times):
            return True
        if self._passages is None:
            self._passages = Passages(self._texts)
        found = self._inside.get(text)
        if found is None:
            found = self._inside[text] = _stands_in(text, self._passages)
        return found

    def _add_all(self, values: Iterable[Any]) -> None:
        texts = self._texts
        waiting = [value for value in values if value is not None and value is not False and value is not True]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                if value not in texts:
                    texts[value] = None
                    if (parsed := _parsed(value)) is not None:
                        waiting.append(parsed)
            elif isinstance(value, bool) or value is None:
                continue
            elif isinstance(value, int | float):
                self._numbers.add(value)
            elif isinstance(value, datetime):
                self._times.add(value)
            elif isinstance(value, Mapping):
                self._names.update(value)
                waiting += value.values()
            elif isinstance(value, list | tuple):
                waiting += value


def _values_of(rollout: Rollout) -> Iterator[Any]:
    yield from _OF_ROLLOUT(rollout)
    yield from _OF_HEADER(rollout.header)
    # Such an id may be the record's own behind the name of what numbers it.
    yield from (rollout.header.task_id or "").split("/")
    for message in rollout.messages:
        yield from _OF_MESSAGE(message)
        for call in message.calls:
            yield from _OF_CALL(call)


def _stands_in(text: str, passages: Passages) -> bool:
    """Say whether a text stands in passages, as a whole or by its parts; few searches go far."""
    if passages.hold_near(text):
        return True
    pieces = [piece for part in _BETWEEN.split(text) if (piece := part.strip())]
    if pieces == [text]:
        return passages.hold(text)
    for piece in pieces:
        if not passages.hold(piece):
            # What holds the text holds its pieces, but for short ones, which need blanks around them.
            return len(piece) < SHORT and passages.hold(text)
    return True
