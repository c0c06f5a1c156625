"""Spend a budget of trajectories over strata and families without wiping out a task or an environment."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from transforms.selecting.coverage import Coverage, choose_targets, pick_covering
from transforms.selecting.strata import Stratum
from transforms.similarity.rescoring import Matrix
from transforms.store.keys import sha_hex

MIN_QUALITY = 1e-3
"""Least factor of a row's gain: a row of weight 0 comes last among those that cover as much."""


class BudgetRow(NamedTuple):
    """A kept trajectory that asks for a place: `rank` is its place in the keeper order, unique."""

    rank: int
    traj_id: str
    stratum: Stratum
    task_group: str
    weight: float
    family: str = ""


_Part = TypeVar("_Part", bound=tuple[object, ...])


class Cell(NamedTuple):
    """What has a quota: a family of a stratum; the rows without one share the empty name."""

    stratum: Stratum
    family: str


def spend_budget(
    rows: Sequence[BudgetRow],
    budget: int | None,
    *,
    shares: Mapping[Stratum, float],
    vectors: Matrix | None = None,
    alpha: float = 0.5,
    seed: int = 0,
) -> set[str]:
    """Return the ids that get a place: exactly min(budget, rows) of them.

    First every environment, then every task group gets a row, as far as the budget reaches: with at least as many
    places as task groups none is wiped out. Then each family of each stratum is filled to its quota, and places that
    one cannot fill go to the others. Each time the row is taken that covers most of what is not covered yet (see
    `transforms.selecting.coverage`), times its weight; where nothing is left to cover, tasks take turns, and at its
    turn a task gives its row of the largest weight, ties by keeper order.

    Args:
        rows: Rows with unique ranks, in any order.
        budget: Places; None gives every row one.
        shares: Target share of each stratum; a stratum without one is filled last.
        vectors: What rows are compared by, shape (rows, dimensions); None: no row covers another.
        alpha: Inside a stratum a family's share is ∝ n^alpha; a row without a family counts as a family of one.
        seed: Seed of the draw of the rows to be covered, where they are too many.
    """
    if budget is None or len(rows) <= budget:
        return {row.traj_id for row in rows}
    order = _in_turns(rows)
    spending = _Spending(rows, _coverage(rows, vectors, seed=seed), places=budget)
    spending.guard(sorted(order, key=lambda row: (-rows[row].weight, rows[row].rank)), shares)
    spending.fill(order, spending.quotas(shares, budget, alpha=alpha))
    return {rows[row].traj_id for row in spending.chosen}


class _Spending:
    """Places given so far."""

    def __init__(self, rows: Sequence[BudgetRow], coverage: Coverage, *, places: int) -> None:
        self._rows = rows
        self._coverage = coverage
        self._places = places
        self.chosen: dict[int, None] = {}

    def guard(self, best_first: Sequence[int], shares: Mapping[Stratum, float]) -> None:
        """Give a place to every environment, then to every task group, up to the budget.

        Each is first asked for a row of a stratum whose share is not spent yet, so that the guard does not fill the
        pool with what weighs most.
        """
        sizes = Counter(row.stratum for row in self._rows)
        wanted = {stratum: shares.get(stratum, 0.0) for stratum in sizes}
        left = largest_remainder(wanted, self._places, available=sizes) if any(wanted.values()) else None
        for key in (_environment, _task_group):
            self._one_of_each(best_first, key, left=left)
            self._one_of_each(best_first, key, left=None)

    def quotas(self, shares: Mapping[Stratum, float], budget: int, *, alpha: float) -> dict[Cell, int]:
        """Divide the places that are left over the strata, and each stratum's over its families."""
        sizes = Counter(cell_of(row) for row in self._rows)
        taken = Counter(cell_of(self._rows[row]) for row in self.chosen)
        families: dict[Stratum, list[Cell]] = defaultdict(list)
        for cell in sizes:
            families[cell.stratum].append(cell)
        taken_of = {stratum: sum(taken[cell] for cell in cells) for stratum, cells in families.items()}
        free_of = {stratum: sum(sizes[cell] for cell in families[stratum]) - taken_of[stratum] for stratum in families}
        wanted = {stratum: max(0.0, shares.get(stratum, 0.0) * budget - taken_of[stratum]) for stratum in families}
        quotas: dict[Cell, int] = {}
        for stratum, places in largest_remainder(wanted, self._places, available=free_of).items():
            parts = _family_shares(families[stratum], sizes, alpha=alpha)
            goal = places + taken_of[stratum]
            missing = {cell: max(0.0, goal * part - taken[cell]) for cell, part in parts.items()}
            quotas |= largest_remainder(missing, places, available=sizes - taken)
        return quotas

    def fill(self, order: Iterable[int], quotas: Mapping[Cell, int]) -> None:
        """Give the places left to the cells that have a quota."""
        left = dict(quotas)

        def take(row: int) -> None:
            left[cell_of(self._rows[row])] -= 1
            self._take(row)

        waiting = [row for row in order if row not in self.chosen]
        pick_covering(
            self._coverage,
            waiting,
            places=self._places,
            is_open=lambda row: left[cell_of(self._rows[row])] > 0,
            take=take,
        )

    def _one_of_each(
        self, best_first: Sequence[int], key: Callable[[BudgetRow], str], *, left: dict[Stratum, int] | None
    ) -> None:
        present = {key(self._rows[row]) for row in self.chosen}

        def is_open(row: int) -> bool:
            place = self._rows[row]
            return key(place) not in present and (left is None or left[place.stratum] > 0)

        def take(row: int) -> None:
            present.add(key(self._rows[row]))
            if left is not None:
                left[self._rows[row].stratum] -= 1
            self._take(row)

        pick_covering(self._coverage, best_first, places=self._places, is_open=is_open, take=take)

    def _take(self, row: int) -> None:
        self.chosen[row] = None
        self._places -= 1


def cell_of(row: BudgetRow) -> Cell:
    """Return the cell that a row counts to."""
    return Cell(row.stratum, row.family)


def _environment(row: BudgetRow) -> str:
    return row.stratum.environment


def _task_group(row: BudgetRow) -> str:
    return row.task_group


def _coverage(rows: Sequence[BudgetRow], vectors: Matrix | None, *, seed: int) -> Coverage:
    compared = np.zeros((len(rows), 1), dtype=np.float32) if vectors is None else vectors
    drawn = sorted(range(len(rows)), key=lambda row: sha_hex(seed, "coverage", rows[row].traj_id))
    quality = np.array([max(row.weight, MIN_QUALITY) for row in rows], dtype=np.float64)
    return Coverage(compared, quality, targets=choose_targets(drawn, num_rows=len(rows)))


def _family_shares(cells: Sequence[Cell], sizes: Mapping[Cell, int], *, alpha: float) -> dict[Cell, float]:
    """Return the share of each family in its stratum; rows without a family count as families of one."""
    parts = {cell: sizes[cell] ** alpha if cell.family else float(sizes[cell]) for cell in cells}
    total = math.fsum(parts.values())
    return {cell: part / total for cell, part in parts.items()}


def largest_remainder(
    wanted: Mapping[_Part, float], places: int, *, available: Mapping[_Part, int]
) -> dict[_Part, int]:
    """Divide places in proportion to what is wanted, whole numbers by largest remainder, none above what there is.

    Places that a full part cannot take are divided again among the others; once no other one wants any, they go to
    whoever has rows left, in the order of names.

    Args:
        wanted: Weight of each part in the division.
        places: Places to divide, at most the sum of `available`.
        available: Rows of each part.
    """
    quotas = dict.fromkeys(sorted(wanted), 0)
    left = places
    while left > 0:
        open_parts = [part for part in quotas if quotas[part] < available.get(part, 0)]
        asking = [part for part in open_parts if wanted[part] > 0]
        if not open_parts:
            break
        total = sum(wanted[part] for part in asking)
        portions = {part: left * wanted[part] / total for part in asking} or {open_parts[0]: float(left)}
        whole = {part: int(portion) for part, portion in portions.items()}
        by_remainder = sorted(portions, key=lambda part: (whole[part] - portions[part], part))
        for part in by_remainder[: left - sum(whole.values())]:
            whole[part] += 1
        for part, count in whole.items():
            given = min(count, available.get(part, 0) - quotas[part])
            quotas[part] += given
            left -= given
    return quotas


def _in_turns(rows: Sequence[BudgetRow]) -> list[int]:
    """Return the rows so that in each stratum the tasks take turns, the larger weight and the better keeper first."""
    turns: dict[tuple[Stratum, str], int] = defaultdict(int)
    keyed = []
    for place in sorted(range(len(rows)), key=lambda place: (-rows[place].weight, rows[place].rank)):
        row = rows[place]
        turn = turns[row.stratum, row.task_group]
        turns[row.stratum, row.task_group] = turn + 1
        keyed.append((turn, -row.weight, row.rank, place))
    return [place for *_, place in sorted(keyed)]
