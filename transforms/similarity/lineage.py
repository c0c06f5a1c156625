"""Ids of groups and families that last: inherited from the parent snapshot where the members are the same."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from transforms.store.keys import short_id


def inherit_ids(groups: Mapping[str, str], parent: Mapping[str, str], *, kind: str) -> dict[str, str]:
    """Return the published id of each group.

    A group takes the id of the parent's group it shares most members with, and each of the parent's ids goes to the
    group that holds most of it, ties to the smaller id and the group with the smaller member. A group that inherits
    nothing is named after its smallest member.

    Args:
        groups: Member → provisional name of its group in this run.
        parent: Member → published id of its group in the parent snapshot.
        kind: What is grouped, part of an id's hash.

    Returns:
        Provisional name → published id; ids are unique.
    """
    smallest: dict[str, str] = {}
    for member in sorted(groups):
        smallest.setdefault(groups[member], member)
    overlaps = Counter((parent[member], group) for member, group in groups.items() if member in parent)
    ranked = sorted(overlaps, key=lambda pair: (-overlaps[pair], pair[0], smallest[pair[1]]))
    published: dict[str, str] = {}
    taken: set[str] = set()
    for old_id, group in ranked:
        if group not in published and old_id not in taken:
            published[group] = old_id
            taken.add(old_id)
    taken.update(parent.values())
    for group in sorted(smallest, key=smallest.__getitem__):
        if group not in published:
            published[group] = _unused_id(kind, smallest[group], taken=taken)
            taken.add(published[group])
    return published


def _unused_id(kind: str, member: str, *, taken: set[str]) -> str:
    # A family that split leaves its id, made from its smallest member, with its larger part.
    number = 0
    while (found := short_id(kind, member, number)) in taken:
        number += 1
    return found


def lineage_rows(groups: Mapping[str, str], parent: Mapping[str, str], *, kind: str) -> list[dict[str, Any]]:
    """Return the rows of the table `lineage`: one per published id and ancestor, sorted.

    `same`: the id lives on. `split`: members came from a group whose id lives on elsewhere. `merged`: members came
    from a group whose id ended. `new`: no member was in a group before.

    Args:
        groups: Member → published id in this run.
        parent: Member → published id in the parent snapshot.
        kind: What is grouped.
    """
    living = set(groups.values())
    pairs = {(parent[member], group) for member, group in groups.items() if member in parent}
    found: list[tuple[str | None, str, str]] = [
        (old_id, new_id, _relation(old_id, new_id, living=living)) for old_id, new_id in pairs
    ]
    found += [(None, new_id, "new") for new_id in living - {new_id for _, new_id in pairs}]
    ordered = sorted(found, key=lambda row: (row[1], row[0] or ""))
    return [
        {"kind": kind, "old_id": old_id, "new_id": new_id, "relation": relation}
        for old_id, new_id, relation in ordered
    ]


def _relation(old_id: str, new_id: str, *, living: set[str]) -> str:
    if old_id == new_id:
        return "same"
    return "split" if old_id in living else "merged"
