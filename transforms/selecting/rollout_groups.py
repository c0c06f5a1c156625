"""Rollout groups: the k rollouts of one task by one policy, which group-relative RL needs whole."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from schemas.errors import QualityError
from schemas.reasons import DecisionReason
from transforms.selecting.budget import BudgetRow
from transforms.selecting.decisions import KEPT, Verdict

Group = tuple[str, str]
"""Task key and policy."""

Spend = Callable[[Sequence[BudgetRow], int], set[str]]
"""Chooses so many of the rows given."""

_LEFT_ALONE: Final = frozenset({DecisionReason.EMPTY, DecisionReason.INVALID_REWARD})
"""What no group brings back: rollouts whose reward says nothing are no members of a group."""


def keep_groups_whole(verdicts: Sequence[Verdict], groups: Sequence[Group]) -> list[Verdict]:
    """Return the verdicts with redundant members kept where another member of their group is kept.

    A group all of whose members repeat other groups or items of a reference set stays dropped, each member naming what
    it repeats.

    Args:
        verdicts: Verdict of each row.
        groups: Group of each row.
    """
    stays = {group for verdict, group in zip(verdicts, groups, strict=True) if verdict == KEPT}
    return [
        KEPT if group in stays and verdict.reason not in _LEFT_ALONE else verdict
        for verdict, group in zip(verdicts, groups, strict=True)
    ]


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
