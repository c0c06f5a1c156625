"""What a family is called: the actions its members share and others lack; and its most typical member."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_ACTIONS: Final = 24
"""Distinct actions kept of a skeleton, first come first kept."""

_MAX_WORDS = 3
_TYPICAL_SHARE = 0.5
"""A label tells what most members did: rarer actions are single tasks' files and ids."""


def skeleton_actions(skeleton: str) -> list[str]:
    """Return the distinct actions of a skeleton (lines of `tool target ok|err`) in order of first appearance.

    Each line counts with its target and without (`edit main.py`, `edit`); failed ones end in ` err`.
    """
    actions: dict[str, None] = {}
    for line in skeleton.splitlines():
        words = line.rsplit(" ", 2)
        if len(words) != 3:
            continue
        tool, target, status = words
        suffix = " err" if status == "err" else ""
        actions.setdefault(f"{tool}{suffix}")
        if target != "-":
            actions.setdefault(f"{tool} {target}{suffix}")
        if len(actions) >= MAX_ACTIONS:
            break
    return list(actions)[:MAX_ACTIONS]


def family_label(members: Sequence[Iterable[str]], everyone: Sequence[Iterable[str]]) -> str:
    """Return a readable label: up to three actions that set the family apart, most telling first.

    Told are actions of at least half the members, or else the most frequent one. An action tells as much as its share
    among the members exceeds its share among everyone; ties go to the more frequent, then the shorter, then the
    smaller text.

    Args:
        members: Distinct actions of each member.
        everyone: Distinct actions of representatives of the same kind of environment, the members among them.
    """
    inside = _shares(members)
    outside = _shares(everyone)
    typical = [action for action, share in inside.items() if share >= _TYPICAL_SHARE]
    typical = typical or sorted(inside, key=lambda action: (-inside[action], len(action), action))[:1]

    def rank(action: str) -> tuple[float, float, int, str]:
        lead = inside[action] - outside.get(action, 0.0)
        return -round(lead, 9), -inside[action], len(action), action

    ranked = sorted(typical, key=rank)
    return " + ".join(_without_parts(ranked)[:_MAX_WORDS]) or "no actions"


def _shares(profiles: Sequence[Iterable[str]]) -> dict[str, float]:
    counts = Counter(action for profile in profiles for action in set(profile))
    return {action: count / len(profiles) for action, count in counts.items()}


def _without_parts(ranked: Sequence[str]) -> list[str]:
    """Leave out actions that say part of what a better one says, and the reverse."""
    chosen: list[str] = []
    for action in ranked:
        if not any(action.startswith(f"{other} ") or other.startswith(f"{action} ") for other in chosen):
            chosen.append(action)
    return chosen


def medoid(points: NDArray[np.float64], ids: Sequence[str]) -> str:
    """Return the id of the point nearest to the mean direction of all, ties to the smallest id.

    Args:
        points: Unit vectors, shape (points, dimensions), at least one.
        ids: Id of each point.
    """
    closeness = (points * points.mean(axis=0)).sum(axis=1)
    best = closeness.max()
    return min(identifier for identifier, value in zip(ids, closeness, strict=True) if value == best)
