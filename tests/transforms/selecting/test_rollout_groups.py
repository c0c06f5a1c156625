from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.errors import QualityError
from schemas.reasons import DecisionReason
from transforms.selecting.budget import BudgetRow, spend_budget
from transforms.selecting.decisions import KEPT, Verdict
from transforms.selecting.rollout_groups import keep_groups_whole, spend_on_groups
from transforms.selecting.strata import Stratum

_S = Stratum("env", "success", "hard")
_COPY = Verdict(DecisionReason.NEAR_DUPLICATE, "k", 0.9)
_INVALID = Verdict(DecisionReason.INVALID_REWARD)


def _spend(rows: Sequence[BudgetRow], budget: int) -> set[str]:
    return spend_budget(rows, budget, shares={_S: 1.0})


def _rows(sizes: Sequence[int]) -> tuple[list[BudgetRow], list[tuple[str, str]]]:
    rows, groups = [], []
    for group, size in enumerate(sizes):
        for _ in range(size):
            rows.append(BudgetRow(len(rows), f"t{len(rows):02d}", _S, f"task{group}", 1.0))
            groups.append((f"task{group}", "m"))
    return rows, groups


def test_redundant_members_stay_with_their_group_and_invalid_ones_do_not() -> None:
    groups = [("one", "m"), ("one", "m"), ("one", "m"), ("two", "m"), ("two", "m")]

    whole = keep_groups_whole([KEPT, _COPY, _INVALID, _COPY, _COPY], groups)

    assert whole == [KEPT, KEPT, _INVALID, _COPY, _COPY]
    held = Verdict(DecisionReason.IN_REFERENCE_SET, "i", 1.0)
    assert keep_groups_whole([KEPT, held, KEPT, held, held], groups) == [KEPT, KEPT, KEPT, held, held]


def test_budget_is_spent_on_whole_groups() -> None:
    rows, groups = _rows([4, 4, 2])

    assert spend_on_groups(rows, groups, 8, spend=_spend) == {row.traj_id for row in rows[:8]}
    assert spend_on_groups(rows, groups, 7, spend=_spend) == {row.traj_id for row in [*rows[:4], *rows[8:]]}
    with pytest.raises(QualityError, match=r"selection\.budget=1 holds no whole group: the smallest has 2 rollouts"):
        spend_on_groups(rows, groups, 1, spend=_spend)
    assert spend_on_groups(rows, groups, None, spend=_spend) == {row.traj_id for row in rows}


@pytest.mark.parametrize("seed", [0, 1])
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8), budget=st.integers(1, 40))
def test_no_group_is_torn_and_no_budget_overdrawn(seed: int, sizes: list[int], budget: int) -> None:
    rows, groups = _rows(sizes)
    assume(min(sizes) <= budget)

    chosen = spend_on_groups(rows[seed:] + rows[:seed], groups[seed:] + groups[:seed], budget, spend=_spend)

    assert len(chosen) <= budget
    for group in set(groups):
        members = {row.traj_id for row, own in zip(rows, groups, strict=True) if own == group}
        assert members <= chosen or not members & chosen
    assert chosen


def test_a_group_larger_than_the_budget_costs_the_others_nothing() -> None:
    rows, groups = _rows([50, 4, 4, 4, 4])

    assert spend_on_groups(rows, groups, 16, spend=_spend) == {row.traj_id for row in rows[50:]}
