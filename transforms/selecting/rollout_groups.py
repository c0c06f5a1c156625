"""Rollout groups: the k rollouts of one task by one policy, which group-relative RL needs whole."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from schemas.errors import QualityError
from schemas.reasons import DecisionReason
from transforms.selecting.budget import BudgetRow
from transforms.selecting.decisions import KEPT, REDUNDANT_REASONS, Verdict
from transforms.selecting.kept_copies import KeptCopies, Likeness, likeness_of

Group = tuple[str, str]
"""Task key and policy."""

Spend = Callable[[Sequence[BudgetRow], int], set[str]]
"""Chooses so many of the rows given."""

WHOLE_GROUP_RULE: Final = "keep_groups"
"""Rule that names a copy as keeper though the keeper order puts the row first: the copy's group stays, the row's goes.
"""

_LEFT_ALONE: Final = frozenset({DecisionReason.EMPTY, DecisionReason.INVALID_REWARD})
"""What no group brings back: rollouts whose reward says nothing are no members of a group."""


def keep_groups_whole(
    verdicts: Sequence[Verdict],
    groups: Sequence[Group],
    *,
    ids: Sequence[str],
    ranks: Sequence[int],
    texts: Sequence[str],
) -> list[Verdict]:
    """Return the verdicts with each group kept or dropped as a whole.

    A group is redundant if each of its members has a copy in another group that stays, or is held by a reference set;
    a copy in the group itself is no reason. A copy is what was compared with the row: the run that it repeats, one
    that repeats it, or one of the same text. Groups are looked at from the worst to the best by their best member, so
    that of groups that repeat each other the best one stays. What was dropped as redundant is kept with its group;
    every row of a group that goes names a copy that stays.

    Args:
        verdicts: Verdict of each row, as `first_verdicts` gives them.
        groups: Group of each row.
        ids: Id of each row.
        ranks: Place of each row in the keeper order, each another.
        texts: What the rows of one text have in common.
    """
    members: dict[Group, list[int]] = defaultdict(list)
    for row in sorted(range(len(ids)), key=lambda row: ranks[row]):
        if verdicts[row].reason not in _LEFT_ALONE:
            members[groups[row]].append(row)
    likeness = likeness_of(verdicts, ids=ids, texts=texts)
    staying = _staying_groups(members, texts, likeness=likeness, ranks=ranks)
    kept = {row for group in staying for row in members[group]}
    copies = KeptCopies(verdicts, kept, ids=ids, ranks=ranks, texts=texts)
    whole = list(verdicts)
    for group, rows in members.items():
        for row in rows:
            whole[row] = KEPT if group in staying else copies.verdict_of(row) or verdicts[row]
    return whole


def name_kept_copies(
    verdicts: Sequence[Verdict],
    decided: Sequence[Verdict],
    *,
    ids: Sequence[str],
    ranks: Sequence[int],
    texts: Sequence[str],
) -> list[Verdict]:
    """Return what was decided, so that each redundant row names a copy that stays after the budget, too.

    A row whose copies all fell to the budget fell to it with them; one that a reference set holds stays as it is.

    Args:
        verdicts: Verdict of each row, as `first_verdicts` gives them.
        decided: The same after `keep_groups_whole` and the budget.
        ids: As `keep_groups_whole` takes them.
        ranks: As `keep_groups_whole` takes them.
        texts: As `keep_groups_whole` takes them.
    """
    kept = {row for row, verdict in enumerate(decided) if verdict == KEPT}
    copies = KeptCopies(verdicts, kept, ids=ids, ranks=ranks, texts=texts)
    held = likeness_of(verdicts, ids=ids, texts=texts).held
    named = list(decided)
    for row, verdict in enumerate(decided):
        if verdict.reason in REDUNDANT_REASONS:
            fallen = verdict if texts[row] in held else Verdict(DecisionReason.BUDGET)
            named[row] = copies.verdict_of(row) or fallen
    return named


def _staying_groups(
    members: Mapping[Group, Sequence[int]], texts: Sequence[str], *, likeness: Likeness, ranks: Sequence[int]
) -> set[Group]:
    """Return the groups that stay; each group's members come best first."""
    texts_of = {group: {texts[row] for row in rows} for group, rows in members.items()}
    holders = _Holders(likeness)
    for group, mine in texts_of.items():
        holders.add(group, mine)
    children: dict[str, set[str]] = defaultdict(set)
    for text, repeated in likeness.repeated.items():
        children[repeated.text].add(text)
    staying, gone = set(members), set[str]()
    for group in sorted(members, key=lambda group: -ranks[members[group][0]]):
        mine = texts_of[group]
        holders.remove(group, mine)
        # What went before may have gone for a copy in this group.
        left_by = {near for text in mine for near in likeness.near(text, children[text]) if near in gone}
        if all(holders.have_copy(text) for text in mine | left_by):
            staying.discard(group)
            gone |= mine
        else:
            holders.add(group, mine)
    return staying


class _Holders:
    """The groups that hold each text, and those that hold a text that repeats it."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._same: dict[str, set[Group]] = defaultdict(set)
        self._repeating: dict[str, set[Group]] = defaultdict(set)

    def add(self, group: Group, texts: Collection[str]) -> None:
        for text in texts:
            self._same[text].add(group)
            if (repeated := self._likeness.repeated.get(text)) and repeated.is_mutual:
                self._repeating[repeated.text].add(group)

    def remove(self, group: Group, texts: Collection[str]) -> None:
        for text in texts:
            self._same[text].discard(group)
            if repeated := self._likeness.repeated.get(text):
                self._repeating[repeated.text].discard(group)

    def have_copy(self, text: str) -> bool:
        repeated = self._likeness.repeated.get(text)
        return bool(
            text in self._likeness.held
            or self._same[text]
            or self._repeating[text]
            or (repeated and self._same[repeated.text])
        )


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
