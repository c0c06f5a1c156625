"""The texts of a rollout listed once, and put back changed where they stood."""

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from schemas.records import Rollout
from transforms.redaction.fields import (
    CALL_FIELDS,
    HEADER_FIELDS,
    MESSAGE_FIELDS,
    ROLLOUT_FIELDS,
    TextFields,
    TextRecord,
    flag_before,
    last_texts,
    rewrite_rollout,
    speaking_key,
)
from transforms.redaction.units import Unit

_MOST_BRACKETS: Final = 64
"""Brackets of a JSON text up to which the fast parser reads it: so few nest no deeper than the slow one goes."""

_LONGEST_KEPT: Final = 1 << 16
"""Characters of a JSON text whose notes are kept for the next rollout."""


class Notes(NamedTuple):
    """The texts of a rollout in the order in which `rewrite_rollout` takes them.

    `starts` gives the place of the first text of each part that `rewrite_rollout` tells apart, and last their number.
    """

    units: list[Unit]
    starts: list[int]


def note_rollout(rollout: Rollout) -> Notes:
    """Return every text of a rollout that may change; JSON texts come as the strings in them, keys included."""
    units: list[Unit] = []
    starts = []
    for part in range(len(rollout.messages) + 2):
        starts.append(len(units))
        note_part(units, rollout, part)
    starts.append(len(units))
    return Notes(units, starts)


def note_part(units: list[Unit], rollout: Rollout, part: int) -> None:
    """Add the texts of one part, by its number in `rewrite_rollout`: the ids and header, a message, or the rest."""
    if part == 0:
        _note(units, rollout, ROLLOUT_FIELDS)
        _note(units, rollout.header, HEADER_FIELDS, note_json=_note_repeated)
    elif part <= len(rollout.messages):
        message = rollout.messages[part - 1]
        _note(units, message, MESSAGE_FIELDS)
        for call in message.calls:
            _note(units, call, CALL_FIELDS)
    else:
        units += [(text, None, False) for text in last_texts(rollout)]


def put_back(rollout: Rollout, notes: Notes, changed: Mapping[int, str]) -> Rollout:
    """Return the rollout with the changed ones of its texts, given by their place in the notes."""
    putting = _PuttingBack(notes, changed)
    return rewrite_rollout(rollout, putting, is_due=putting.is_due)


class _PuttingBack:
    """Knows at which place of the notes the rewriting stands."""

    def __init__(self, notes: Notes, changed: Mapping[int, str]) -> None:
        self._starts = notes.starts
        self._changed = changed
        self._places = sorted(changed)
        self._place = 0

    def __call__(self, text: str, *, key: str | None = None, is_name: bool = False) -> str:
        place = self._place
        self._place += 1
        return self._changed.get(place, text)

    def is_due(self, part: int) -> bool:
        start, end = self._starts[part], self._starts[part + 1]
        first = bisect_left(self._places, start)
        is_due = first < len(self._places) and self._places[first] < end
        self._place = start if is_due else end
        return is_due


def _note(
    units: list[Unit],
    record: TextRecord,
    fields: TextFields,
    *,
    note_json: Callable[[list[Unit], str], None] | None = None,
) -> None:
    values = fields.values(record)
    num_names, num_plain = len(fields.names), len(fields.names) + len(fields.texts)
    units += [(text, None, True) for text in values[:num_names] if text]
    units += [(text, None, False) for text in values[num_names:num_plain] if text]
    for text in values[num_plain:]:
        if text:
            (note_json or _note_json)(units, text)


def _note_repeated(units: list[Unit], json_text: str) -> None:
    """Note a JSON text that many rollouts share, as they do the tools that their agent has."""
    if len(json_text) > _LONGEST_KEPT:
        _note_json(units, json_text)
    else:
        units += noted_json(json_text)


@lru_cache(maxsize=64)
def noted_json(json_text: str) -> tuple[Unit, ...]:
    """Return the strings of a JSON text, keys included."""
    units: list[Unit] = []
    _note_json(units, json_text)
    return tuple(units)


def _note_json(units: list[Unit], json_text: str) -> None:
    try:
        node = _parsed(json_text)
    except (ValueError, RecursionError):
        units.append((json_text, None, False))
        return
    _note_node(units, node, key=None)


def _parsed(json_text: str) -> Any:
    if json_text.count("{") + json_text.count("[") <= _MOST_BRACKETS:
        try:
            return orjson.loads(json_text)
        except orjson.JSONDecodeError:
            pass
    return json.loads(json_text)


def _note_node(units: list[Unit], node: object, *, key: str | None) -> None:
    if isinstance(node, str):
        units.append((node, key, False))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            _note_node(units, item, key=flag_before(node, index))
    elif isinstance(node, dict):
        for name, value in node.items():
            units.append((name, None, False))
            _note_node(units, value, key=speaking_key(node, name))
