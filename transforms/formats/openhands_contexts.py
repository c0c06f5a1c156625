"""What an OpenHands agent saw: an event log is a tree, and condensation takes events out of the model's view.

A log gives one context per branch and per condensation. Every event that speaks is new in exactly one of them and
copied in the others, so that nothing is lost and nothing is learned twice. The last context comes first: it ends with
the run's outcome.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from transforms.formats.fields import as_integer, as_list, as_object, as_text
from transforms.reading.failures import RecordError

SUMMARY: Final = "trajsift:summary"
"""Kind of the event that stands for a condensation's summary."""
UNKNOWN_PARENT: Final = "unknown_parent"
"""Warning: an event names a parent that does not stand before it; it is taken to follow the event before it."""
_GROWTH: Final = 50
_GROWTH_FREE: Final = 100_000
"""Contexts may together hold 50 times a log's events: real logs stay below 10, a hostile tree grows by its square."""

Event = dict[str, Any]


class Seen(NamedTuple):
    """An event in a context, and whether an earlier context already held it."""

    event: Event
    is_copied: bool


class Context(NamedTuple):
    """What the model saw at the end of one stretch; `name` tells the stretches of a log apart, empty for the last."""

    name: str
    seen: tuple[Seen, ...]


class Contexts(NamedTuple):
    """The contexts of a log, the last one first, and the warnings that finding them gave."""

    contexts: tuple[Context, ...]
    warnings: tuple[str, ...]


def contexts_of(events: Sequence[Event], speaks: Callable[[Event], bool]) -> Contexts:
    """Return the contexts of an event log.

    Args:
        events: The log, in its order.
        speaks: Says whether an event gives a message.

    Raises:
        RecordError: The contexts together are far larger than the log.
    """
    parents, warnings = _parents(events)
    budget = _Budget(_GROWTH * len(events) + _GROWTH_FREE)
    done: set[int] = set()
    found: list[Context] = []
    for number, leaf in enumerate(_leaves(parents)):
        path = _path(leaf, parents)
        budget.spend(len(path))
        fresh = [index for index in path if index not in done]
        if not found or any(speaks(events[index]) for index in fresh):
            prefix = "" if number == 0 else f"/branch:{number}"
            seen = [Seen(events[index], index in done) for index in path]
            found.extend(_stretches(seen, speaks, prefix=prefix, budget=budget))
            done.update(path)
    return Contexts(tuple(found) or (Context("", ()),), warnings)


class _Budget:
    """Counts what contexts hold and refuses what no real log holds."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise RecordError(QuarantineReason.TOO_LARGE, "the branches of this log hold far more than its events")


def _parents(events: Sequence[Event]) -> tuple[list[int], tuple[str, ...]]:
    """Return the place of each event's parent, -1 for the first event's, and a warning about parents unknown."""
    places: dict[Any, int] = {}
    parents: list[int] = []
    is_known = True
    for index, event in enumerate(events):
        parent = event.get("parent_id")
        is_named = isinstance(parent, str | int)
        is_known = is_known and (not is_named or parent in places)
        parents.append(places.get(parent, index - 1) if is_named else index - 1)
        if isinstance(event.get("id"), str | int):
            places[event["id"]] = index
    return parents, () if is_known else (UNKNOWN_PARENT,)


def _leaves(parents: list[int]) -> list[int]:
    """Return the events without children: the last event of the log, then the others in order."""
    inner = set(parents)
    leaves = [index for index in range(len(parents)) if index not in inner]
    return [*leaves[-1:], *leaves[:-1]]


def _path(leaf: int, parents: list[int]) -> list[int]:
    path = []
    while leaf >= 0:
        path.append(leaf)
        leaf = parents[leaf]
    return path[::-1]


def _stretches(seen: list[Seen], speaks: Callable[[Event], bool], *, prefix: str, budget: _Budget) -> list[Context]:
    """Return the contexts of one branch, the last one first."""
    view: list[Seen] = []
    closed: list[tuple[Seen, ...]] = []
    for item in seen:
        if not is_condensation(item.event):
            view.append(item)
            continue
        forgotten = _forgotten(item.event)
        has_new = any(not each.is_copied and speaks(each.event) for each in view)
        if has_new and any(each.event.get("id") in forgotten for each in view if _has_plain_id(each.event)):
            budget.spend(len(view))
            closed.append(tuple(view))
            view = [Seen(each.event, True) for each in view]
        view = _condensed(view, item, forgotten)
    if any(not each.is_copied and speaks(each.event) for each in view) or not closed:
        closed.append(tuple(view))
    last = Context(prefix, closed[-1])
    return [last, *(Context(f"{prefix}/context:{number}", held) for number, held in enumerate(closed[:-1]))]


def is_condensation(event: Event) -> bool:
    """Say whether an event takes others out of the model's view (V1: its kind, V0: its action)."""
    return event.get("kind") == "Condensation" or event.get("action") == "condensation"


def event_call_id(identifier: Any) -> str | None:
    """Return the id of the call that the event of that id makes, where the model gave the call none.

    A result that names an event which is no call of the context, or none at all, names this id as well: it answers
    no call there, so that a call it is given to by its place alone is told.
    """
    named = as_text(identifier)
    return None if named is None else f"event_{named}"


def _has_plain_id(event: Event) -> bool:
    return isinstance(event.get("id"), str | int)


def _forgotten(event: Event) -> frozenset[Any]:
    said = as_object(event.get("args")) if event.get("action") == "condensation" else event
    names = [each for each in as_list(said.get("forgotten_event_ids")) if isinstance(each, str | int)]
    start, end = (as_integer(said.get(f"forgotten_events_{name}_id")) for name in ("start", "end"))
    if start is not None and end is not None and 0 <= end - start < _GROWTH_FREE:
        names.extend(range(start, end + 1))
    return frozenset(names)


def _condensed(view: list[Seen], item: Seen, forgotten: frozenset[Any]) -> list[Seen]:
    """Return the view without the forgotten events, the summary at its place among the others."""
    event = item.event
    said = as_object(event.get("args")) if event.get("action") == "condensation" else event
    kept = [each for each in view if not (_has_plain_id(each.event) and each.event["id"] in forgotten)]
    summary = said.get("summary")
    if isinstance(summary, str) and summary:
        place = as_integer(said.get("summary_offset"))
        place = len(kept) if place is None else max(0, min(place, len(kept)))
        kept.insert(place, Seen({"kind": SUMMARY, "summary": summary}, item.is_copied))
    return kept
