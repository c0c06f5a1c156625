from collections.abc import Sequence
from random import Random

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


def _whole(verdicts: Sequence[Verdict], groups: str, copies: str, *, ranks: Sequence[int] | None = None) -> str:
    """Return the groups of the rows that stay, of rows `0`, `1`, …; the names of the groups are letters."""
    found = _judged(verdicts, groups, copies, ranks=ranks)
    return "".join(group for group, verdict in zip(groups, found, strict=True) if verdict == KEPT)


def _judged(
    verdicts: Sequence[Verdict], groups: str, copies: str, *, ranks: Sequence[int] | None = None
) -> list[Verdict]:
    ids = [str(row) for row in range(len(groups))]
    named = [("task", name) for name in groups]
    return keep_groups_whole(verdicts, named, ids=ids, ranks=ranks or range(len(ids)), copies=copies)


def _copy_of(row: int, reason: DecisionReason = DecisionReason.NEAR_DUPLICATE) -> Verdict:
    return Verdict(reason, str(row), 0.9)


def test_a_group_with_a_member_that_no_other_group_has_stays_whole() -> None:
    # Row 2 repeats row 0 of its own group, row 3 repeats row 0 of the other one.
    assert _whole([KEPT, KEPT, _copy_of(0), _copy_of(0), KEPT], "aaabb", "xyxxz") == "aaabb"


def test_a_group_goes_where_each_member_has_a_copy_in_another_that_stays() -> None:
    assert _whole([KEPT, KEPT, _copy_of(0), _copy_of(1)], "aabb", "xyxy") == "aa"
    # Two groups that repeat each other, each with one of the keepers: the group of the best run stays.
    verdicts = [KEPT, _copy_of(3), _copy_of(0), KEPT]
    assert _whole(verdicts, "aabb", "xyxy") == "aa"
    assert _whole(verdicts, "aabb", "xyxy", ranks=[3, 2, 1, 0]) == "bb"
    # A group repeated by two others together; the one that has nothing else in it goes.
    assert _whole(
        [KEPT, KEPT, _copy_of(0), KEPT, _copy_of(1), KEPT], "aabbcc", "xyxpyq", ranks=[5, 4, 3, 2, 1, 0]
    ) == ("bbcc")


def test_a_keeper_whose_group_goes_names_the_copy_that_stays() -> None:
    verdicts = [KEPT, _copy_of(0), KEPT, _copy_of(0)]
    found = _judged(verdicts, "abbc", "xxyx", ranks=[3, 1, 0, 2])

    assert found == [_copy_of(1), KEPT, KEPT, _copy_of(0)]


def test_a_copy_inside_the_group_is_no_reason_to_drop_it() -> None:
    assert _whole([KEPT, _copy_of(0), _copy_of(0)], "aaa", "xxx") == "aaa"


def test_invalid_and_empty_rollouts_are_brought_back_by_no_group() -> None:
    found = _judged([KEPT, _INVALID, Verdict(DecisionReason.EMPTY), _INVALID], "aaab", "xyzw")
    assert found == [KEPT, _INVALID, Verdict(DecisionReason.EMPTY), _INVALID]


def test_what_a_reference_set_holds_has_a_copy_that_stays() -> None:
    held = Verdict(DecisionReason.IN_REFERENCE_SET, "item", 1.0)
    assert _whole([held, _copy_of(0), KEPT, held], "aabb", "xxyz") == "bb"
    assert _judged([held, _copy_of(0)], "aa", "xx") == [held, _copy_of(0)]


def test_a_whole_run_never_goes_for_its_beginning() -> None:
    cut = _copy_of(0, DecisionReason.CUT_COPY)
    assert _whole([KEPT, cut], "ab", "xx", ranks=[1, 0]) == "a"
    assert _whole([KEPT, cut, _copy_of(1)], "abc", "xxx", ranks=[2, 0, 1]) == "a"


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=14), st.randoms())
def test_no_group_is_torn_and_everything_has_a_copy_that_stays(rows: list[tuple[int, int]], random: Random) -> None:
    groups, copies = ["abcde"[group] for group, _ in rows], ["uvwxyz"[copy] for _, copy in rows]
    ranks = random.sample(range(len(rows)), len(rows))
    best = {
        copy: min((row for row in range(len(rows)) if copies[row] == copy), key=ranks.__getitem__) for copy in copies
    }
    verdicts = [KEPT if best[copy] == row else _copy_of(best[copy]) for row, copy in enumerate(copies)]
    found = _judged(verdicts, "".join(groups), "".join(copies), ranks=ranks)

    kept = {row for row, verdict in enumerate(found) if verdict == KEPT}
    assert {groups[row] for row in kept}.isdisjoint(groups[row] for row in range(len(rows)) if row not in kept)
    assert {copies[row] for row in kept} == set(copies)
    for row in range(len(rows)):
        at = row
        for _ in range(2):
            at = at if found[at] == KEPT else int(found[at].reference_id or "")
        assert at in kept
        assert copies[at] == copies[row]
    order = random.sample(range(len(rows)), len(rows))
    again = keep_groups_whole(
        [verdicts[row] for row in order],
        [("task", groups[row]) for row in order],
        ids=[str(row) for row in order],
        ranks=[ranks[row] for row in order],
        copies=[copies[row] for row in order],
    )
    assert again == [found[row] for row in order]


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
