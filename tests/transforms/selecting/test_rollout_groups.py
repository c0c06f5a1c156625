from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.errors import QualityError
from schemas.reasons import DecisionReason
from transforms.selecting.budget import BudgetRow, spend_budget
from transforms.selecting.decisions import KEPT, Verdict
from transforms.selecting.rollout_groups import keep_groups_whole, name_kept_copies, spend_on_groups
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


def _whole(verdicts: Sequence[Verdict], groups: str, *, ranks: Sequence[int] | None = None) -> str:
    """Return the groups of the rows that stay, of rows `0`, `1`, …; the names of the groups are letters."""
    found = _judged(verdicts, groups, ranks=ranks)
    return "".join(group for group, verdict in zip(groups, found, strict=True) if verdict == KEPT)


def _judged(
    verdicts: Sequence[Verdict], groups: str, *, texts: str | None = None, ranks: Sequence[int] | None = None
) -> list[Verdict]:
    ids = [str(row) for row in range(len(groups))]
    named = [("task", name) for name in groups]
    return keep_groups_whole(verdicts, named, ids=ids, ranks=ranks or range(len(ids)), texts=texts or ids)


def _copy_of(row: int, reason: DecisionReason = DecisionReason.NEAR_DUPLICATE) -> Verdict:
    return Verdict(reason, str(row), 0.9)


def test_a_group_with_a_member_that_no_other_group_has_stays_whole() -> None:
    # Row 2 repeats row 0 of its own group, row 3 repeats row 0 of the other one.
    assert _whole([KEPT, KEPT, _copy_of(0), _copy_of(0), KEPT], "aaabb") == "aaabb"


def test_a_group_goes_where_each_member_has_a_copy_in_another_that_stays() -> None:
    assert _whole([KEPT, KEPT, _copy_of(0), _copy_of(1)], "aabb") == "aa"
    # Two groups that repeat each other, each with one of the keepers: the group of the best run stays.
    verdicts = [KEPT, _copy_of(3), _copy_of(0), KEPT]
    assert _whole(verdicts, "aabb") == "aa"
    assert _whole(verdicts, "aabb", ranks=[3, 2, 1, 0]) == "bb"
    # A group repeated by two others together; the one that has nothing else in it goes.
    assert _whole([KEPT, KEPT, _copy_of(0), KEPT, _copy_of(1), KEPT], "aabbcc", ranks=[5, 4, 3, 2, 1, 0]) == "bbcc"


def test_a_keeper_whose_group_goes_names_the_copy_that_stays() -> None:
    verdicts = [KEPT, _copy_of(0), KEPT]

    assert _judged(verdicts, "abb", ranks=[2, 1, 0]) == [_copy_of(1), KEPT, KEPT]


def test_a_group_stays_where_only_what_was_never_compared_with_it_stays_besides() -> None:
    # Rows 1 and 2 repeat row 0, whose group goes for that of row 1; row 2 was compared with row 0 alone.
    assert _judged([KEPT, _copy_of(0), _copy_of(0)], "abc", ranks=[2, 0, 1]) == [_copy_of(1), KEPT, KEPT]


def test_a_copy_of_a_copy_that_goes_names_a_row_of_its_own_text_or_the_one_that_text_repeats() -> None:
    exact = Verdict(DecisionReason.EXACT_COPY, "1", 1.0)
    # Row 2 has the text of row 1, which repeats row 0.
    verdicts = [KEPT, _copy_of(0), exact]
    assert _judged(verdicts, "abc", texts="xyy") == [KEPT, _copy_of(0), _copy_of(0)]
    # The group of row 1 has what no other has, and row 2 names what it repeats as it did.
    assert _judged([*verdicts, KEPT], "abcb", texts="xyyz")[2] == exact
    # The group of row 1 goes; a row of its text stays.
    assert _judged([KEPT, _copy_of(0), exact, KEPT, KEPT], "abcac", texts="xyyzv", ranks=[0, 4, 2, 1, 3])[1] == (
        _copy_of(0)
    )
    assert _judged([exact, KEPT], "ab", texts="yy", ranks=[0, 1])[1] == Verdict(DecisionReason.EXACT_COPY, "0", 1.0)


def test_a_copy_inside_the_group_is_no_reason_to_drop_it() -> None:
    assert _whole([KEPT, _copy_of(0), _copy_of(0)], "aaa") == "aaa"


def test_invalid_and_empty_rollouts_are_brought_back_by_no_group() -> None:
    found = _judged([KEPT, _INVALID, Verdict(DecisionReason.EMPTY), _INVALID], "aaab")
    assert found == [KEPT, _INVALID, Verdict(DecisionReason.EMPTY), _INVALID]


def test_what_a_reference_set_holds_has_a_copy_that_stays() -> None:
    held = Verdict(DecisionReason.IN_REFERENCE_SET, "item", 1.0)
    assert _whole([held, _copy_of(0), KEPT, held], "aabb") == "bb"
    assert _judged([held, _copy_of(0)], "aa") == [held, _copy_of(0)]
    # A copy of it that stays is no reason to name another than the item of the set.
    assert _judged([held, _copy_of(0), KEPT, _copy_of(0)], "abbc", ranks=[0, 1, 2, 3]) == [
        held,
        KEPT,
        KEPT,
        _copy_of(0),
    ]


def test_a_whole_run_never_goes_for_its_beginning() -> None:
    cut = _copy_of(0, DecisionReason.CUT_COPY)
    assert _whole([KEPT, cut], "ab", ranks=[1, 0]) == "a"
    assert _judged([KEPT, cut, Verdict(DecisionReason.EXACT_COPY, "1", 1.0)], "abc", texts="xyy", ranks=[2, 0, 1]) == [
        KEPT,
        cut,
        cut,
    ]


_Lake = list[tuple[int, int, int]]
_lakes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=14)


def _starred(rows: _Lake, ranks: Sequence[int]) -> tuple[list[str], list[Verdict]]:
    """Return texts and verdicts of rows (group, star, text in it): the best row of a star is the keeper of all."""
    texts = [f"{star}.{text}" for _, star, text in rows]
    best: dict[int, int] = {}
    for row in sorted(range(len(rows)), key=ranks.__getitem__):
        best.setdefault(rows[row][1], row)
    verdicts = []
    for row, (_, star, text) in enumerate(rows):
        keeper = best[star]
        similarity = 1.0 if texts[keeper] == texts[row] else round(0.8 + 0.01 * text, 2)
        reason = DecisionReason.EXACT_COPY if texts[keeper] == texts[row] else DecisionReason.NEAR_DUPLICATE
        verdicts.append(KEPT if keeper == row else Verdict(reason, str(keeper), similarity))
    return texts, verdicts


@given(_lakes, st.randoms())
def test_no_group_is_torn_and_every_row_that_goes_names_a_compared_one_that_stays(rows: _Lake, random: Random) -> None:
    groups = ["abcde"[group] for group, _, _ in rows]
    ranks = random.sample(range(len(rows)), len(rows))
    texts, verdicts = _starred(rows, ranks)
    ids = [str(row) for row in range(len(rows))]
    found = keep_groups_whole(verdicts, [("task", name) for name in groups], ids=ids, ranks=ranks, texts=texts)

    kept = {row for row, verdict in enumerate(found) if verdict == KEPT}
    assert {groups[row] for row in kept}.isdisjoint(groups[row] for row in range(len(rows)) if row not in kept)
    compared = {
        frozenset((texts[row], texts[int(verdict.reference_id)])): verdict.similarity
        for row, verdict in enumerate(verdicts)
        if verdict.reference_id is not None
    }
    for row in set(range(len(rows))) - kept:
        copy = int(found[row].reference_id or "")
        assert copy in kept
        assert found[row].similarity == (
            1.0 if texts[row] == texts[copy] else compared[frozenset((texts[row], texts[copy]))]
        )
    order = random.sample(range(len(rows)), len(rows))
    again = keep_groups_whole(
        [verdicts[row] for row in order],
        [("task", groups[row]) for row in order],
        ids=[str(row) for row in order],
        ranks=[ranks[row] for row in order],
        texts=[texts[row] for row in order],
    )
    assert again == [found[row] for row in order]


@given(_lakes, st.randoms(), st.sets(st.integers(0, 4)))
def test_what_repeats_a_row_that_the_budget_drops_names_another_copy_or_falls_with_it(
    rows: _Lake, random: Random, fallen: set[int]
) -> None:
    groups = [("task", "abcde"[group]) for group, _, _ in rows]
    ranks = random.sample(range(len(rows)), len(rows))
    texts, verdicts = _starred(rows, ranks)
    ids = [str(row) for row in range(len(rows))]
    whole = keep_groups_whole(verdicts, groups, ids=ids, ranks=ranks, texts=texts)
    budget = Verdict(DecisionReason.BUDGET)
    decided = [
        budget if verdict == KEPT and group in fallen else verdict
        for verdict, (group, _, _) in zip(whole, rows, strict=True)
    ]

    named = name_kept_copies(verdicts, decided, ids=ids, ranks=ranks, texts=texts)

    kept = {traj_id for traj_id, verdict in zip(ids, named, strict=True) if verdict == KEPT}
    assert kept == {traj_id for traj_id, verdict in zip(ids, decided, strict=True) if verdict == KEPT}
    for verdict in named:
        assert verdict in (KEPT, budget) or (verdict.reference_id in kept and verdict.similarity is not None)


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
