"""Spend a budget of trajectories over the strata without wiping out a task or an environment."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from transforms.selecting.strata import Stratum


class BudgetRow(NamedTuple):
    """A kept trajectory that asks for a place: `rank` is its place in the keeper order, unique."""

    rank: int
    traj_id: str
    stratum: Stratum
    task_group: str
    weight: float


def spend_budget(rows: Sequence[BudgetRow], budget: int | None, *, shares: Mapping[Stratum, float]) -> set[str]:
    """Return the ids that get a place: exactly min(budget, rows) of them.

    First every environment, then every task group gets its best row, as far as the budget reaches: with at least as
    many places as task groups none is wiped out. Then each stratum is filled to its quota, and places that a stratum
    cannot fill go to the others. Inside a stratum tasks take turns; at its turn a task gives its row of the largest
    weight, ties by keeper order.

    Args:
        rows: Rows with unique ranks, in any order.
        budget: Places; None gives every row one.
        shares: Target share of each stratum; a stratum without one is filled last.
    """
    if budget is None or len(rows) <= budget:
        return {row.traj_id for row in rows}
    ordered = _in_turns(rows)
    chosen = _guarded(ordered, budget)
    places = budget - len(chosen)
    waiting = [row for row in ordered if row.traj_id not in chosen]
    taken = Counter(row.stratum for row in ordered if row.traj_id in chosen)
    wanted = {stratum: max(0.0, shares.get(stratum, 0.0) * budget - taken[stratum]) for stratum in _strata(rows)}
    quotas = largest_remainder(wanted, places, available=Counter(row.stratum for row in waiting))
    for row in waiting:
        if quotas[row.stratum] > 0:
            quotas[row.stratum] -= 1
            chosen.add(row.traj_id)
    return chosen


def largest_remainder(
    wanted: Mapping[Stratum, float], places: int, *, available: Mapping[Stratum, int]
) -> dict[Stratum, int]:
    """Divide places in proportion to what is wanted, whole numbers by largest remainder, none above what there is.

    Places that a full stratum cannot take are divided again among the others; once no other one wants any, they go to
    whoever has rows left, in the order of names.

    Args:
        wanted: Weight of each stratum in the division.
        places: Places to divide, at most the sum of `available`.
        available: Rows of each stratum.
    """
    quotas = dict.fromkeys(sorted(wanted), 0)
    left = places
    while left > 0:
        open_strata = [stratum for stratum in quotas if quotas[stratum] < available.get(stratum, 0)]
        asking = [stratum for stratum in open_strata if wanted[stratum] > 0]
        if not open_strata:
            break
        total = sum(wanted[stratum] for stratum in asking)
        parts = {stratum: left * wanted[stratum] / total for stratum in asking} or {open_strata[0]: float(left)}
        whole = {stratum: int(part) for stratum, part in parts.items()}
        by_remainder = sorted(parts, key=lambda stratum: (whole[stratum] - parts[stratum], stratum))
        for stratum in by_remainder[: left - sum(whole.values())]:
            whole[stratum] += 1
        for stratum, part in whole.items():
            given = min(part, available.get(stratum, 0) - quotas[stratum])
            quotas[stratum] += given
            left -= given
    return quotas


def _strata(rows: Iterable[BudgetRow]) -> set[Stratum]:
    return {row.stratum for row in rows}


def _in_turns(rows: Iterable[BudgetRow]) -> list[BudgetRow]:
    """Return the rows so that in each stratum the tasks take turns, the larger weight and the better keeper first."""
    turns: dict[tuple[Stratum, str], int] = defaultdict(int)
    keyed = []
    for row in sorted(rows, key=lambda row: (-row.weight, row.rank)):
        turn = turns[row.stratum, row.task_group]
        turns[row.stratum, row.task_group] = turn + 1
        keyed.append(((turn, -row.weight, row.rank), row))
    return [row for _, row in sorted(keyed, key=lambda item: item[0])]


def _guarded(ordered: Sequence[BudgetRow], budget: int) -> set[str]:
    """Return the best row of every environment, then of every task group, by keeper order, up to the budget."""
    by_rank = sorted(ordered, key=lambda row: row.rank)
    chosen: dict[str, None] = {}
    environments: set[str] = set()
    task_groups: set[str] = set()
    for row in by_rank:
        if row.stratum.environment not in environments and len(chosen) < budget:
            environments.add(row.stratum.environment)
            task_groups.add(row.task_group)
            chosen[row.traj_id] = None
    for row in by_rank:
        if row.task_group not in task_groups and len(chosen) < budget:
            task_groups.add(row.task_group)
            chosen[row.traj_id] = None
    return set(chosen)
