"""Rollout groups: the k rollouts of one task by one policy, which group-relative RL needs whole."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from schemas.errors import QualityError
from schemas.reasons import DecisionReason
from transforms.selecting.budget import BudgetRow
from transforms.selecting.decisions import KEPT, REDUNDANT_REASONS, Verdict

Group = tuple[str, str]
"""Task key and policy."""

Spend = Callable[[Sequence[BudgetRow], int], set[str]]
"""Chooses so many of the rows given."""

_LEFT_ALONE: Final = frozenset({DecisionReason.EMPTY, DecisionReason.INVALID_REWARD})
"""What no group brings back: rollouts whose reward says nothing are no members of a group."""


def keep_groups_whole(
    verdicts: Sequence[Verdict],
    groups: Sequence[Group],
    *,
    ids: Sequence[str],
    ranks: Sequence[int],
    copies: Sequence[str],
) -> list[Verdict]:
    """Return the verdicts with each group kept or dropped as a whole.

    A group is redundant if each of its members has a copy in another group that stays, or is held by a reference set;
    a copy in the group itself is no reason. Groups are looked at from the worst to the best by their best member, so
    that of groups that repeat each other the best one stays. What was dropped as redundant is kept with its group; a
    keeper whose group goes names the best copy of it that stays.

    Args:
        verdicts: Verdict of each row, as `first_verdicts` gives them.
        groups: Group of each row.
        ids: Id of each row.
        ranks: Place of each row in the keeper order, each another.
        copies: What the rows that one row stays for have in common.
    """
    members: dict[Group, list[int]] = defaultdict(list)
    for row in sorted(range(len(ids)), key=lambda row: ranks[row]):
        if verdicts[row].reason not in _LEFT_ALONE:
            members[groups[row]].append(row)
    whole_runs = _not_cut(verdicts, ids)
    staying = _staying_groups(members, verdicts, ranks=ranks, copies=copies, whole_runs=whole_runs)
    best_of: dict[str, int] = {}
    for row in sorted(whole_runs, key=ranks.__getitem__):
        if groups[row] in staying:
            best_of.setdefault(copies[row], row)
    whole = list(verdicts)
    for group, rows in members.items():
        for row in rows:
            if group in staying:
                whole[row] = KEPT
            elif verdicts[row] == KEPT:
                copy = best_of[copies[row]]
                whole[row] = _repeats(ids[copy], verdicts[copy], keeper=ids[row])
    return whole


def _staying_groups(
    members: Mapping[Group, Sequence[int]],
    verdicts: Sequence[Verdict],
    *,
    ranks: Sequence[int],
    copies: Sequence[str],
    whole_runs: Collection[int],
) -> set[Group]:
    """Return the groups that stay; each group's members come best first."""
    held = {copies[row] for row, verdict in enumerate(verdicts) if verdict.reason == DecisionReason.IN_REFERENCE_SET}
    stays_in: dict[str, set[Group]] = defaultdict(set)
    for group, rows in members.items():
        for row in rows:
            if row in whole_runs:
                stays_in[copies[row]].add(group)
    staying = set(members)
    for group, rows in sorted(members.items(), key=lambda item: -ranks[item[1][0]]):
        if all(copies[row] in held or stays_in[copies[row]] - {group} for row in rows):
            staying.discard(group)
            for row in rows:
                stays_in[copies[row]].discard(group)
    return staying


def _not_cut(verdicts: Sequence[Verdict], ids: Sequence[str]) -> set[int]:
    """Return the rows that are not the beginning of another run, nor repeat one: no whole run may go for those."""
    row_of = {traj_id: row for row, traj_id in enumerate(ids)}
    found = set()
    for row in range(len(ids)):
        at = row
        while verdicts[at].reason in REDUNDANT_REASONS - {DecisionReason.CUT_COPY}:
            at = row_of[verdicts[at].reference_id or ""]
        if verdicts[at].reason != DecisionReason.CUT_COPY and verdicts[row].reason not in _LEFT_ALONE:
            found.add(row)
    return found


def _repeats(copy_id: str, verdict: Verdict, *, keeper: str) -> Verdict:
    """Return the verdict of a keeper whose group goes: a copy of it, of that verdict, stays in its place."""
    return Verdict(verdict.reason, copy_id, verdict.similarity if verdict.reference_id == keeper else None)


def spend_on_groups(
    rows: Sequence[BudgetRow], groups: Sequence[Group], budget: int | None, *, spend: Spend
) -> set[str]:
    """Return the ids of the members of whole groups that together take at most `budget` places.

    Groups are chosen by their best member, as many as halving finds to fit; then groups that still fit follow by
    keeper order. A group larger than the budget is passed over.

    Args:
        rows: Kept rows with unique ranks, in any order; the weight of a group is that of its best member.
        groups: Group of each row.
        budget: Places; None keeps every group.
        spend: Chooses among the best members.

    Raises:
        QualityError: The budget holds no group.
    """
    if budget is None or len(rows) <= budget:
        return {row.traj_id for row in rows}
    members: dict[Group, list[BudgetRow]] = defaultdict(list)
    for row, group in zip(rows, groups, strict=True):
        members[group].append(row)
    best = {group: min(each, key=lambda row: row.rank) for group, each in members.items()}
    size_of = {best[group].traj_id: len(each) for group, each in members.items()}
    leaders = sorted((row for row in best.values() if size_of[row.traj_id] <= budget), key=lambda row: row.rank)
    if not leaders:
        raise QualityError(
            f"selection.budget={budget} holds no whole group: the smallest has {min(size_of.values())} rollouts; "
            "raise it, or set selection.keep_groups=false"
        )
    chosen = _as_many_as_fit(leaders, size_of, budget, spend=spend)
    left = budget - sum(size_of[leader] for leader in chosen)
    for leader in leaders:
        if leader.traj_id not in chosen and size_of[leader.traj_id] <= left:
            chosen.add(leader.traj_id)
            left -= size_of[leader.traj_id]
    return {row.traj_id for group, each in members.items() if best[group].traj_id in chosen for row in each}


def _as_many_as_fit(leaders: Sequence[BudgetRow], size_of: dict[str, int], budget: int, *, spend: Spend) -> set[str]:
    """Return a choice of leaders whose groups fit the budget: by halving, as if more leaders took more places."""
    fits: set[str] = set()
    low, high = 0, min(len(leaders), budget)
    while low < high:
        count = (low + high + 1) // 2
        chosen = spend(leaders, count)
        if sum(size_of[leader] for leader in chosen) <= budget:
            low, fits = count, chosen
        else:
            high = count - 1
    return fits
