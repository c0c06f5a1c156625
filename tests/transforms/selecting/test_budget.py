from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.selecting.budget import BudgetRow, largest_remainder, spend_budget
from transforms.selecting.strata import Stratum

_A = Stratum("a", "success", "hard")
_B = Stratum("a", "failure", "hard")
_C = Stratum("b", "failure", "easy")


def _row(rank: int, stratum: Stratum, task: str, weight: float = 1.0, family: str = "") -> BudgetRow:
    return BudgetRow(rank, f"t{rank:02d}", stratum, task, weight, family)


def test_without_a_budget_or_with_enough_of_it_every_row_has_a_place() -> None:
    rows = [_row(0, _A, "x"), _row(1, _B, "y")]

    assert spend_budget(rows, None, shares={}) == {"t00", "t01"}
    assert spend_budget(rows, 2, shares={}) == {"t00", "t01"}
    assert spend_budget(rows, 1, shares={}) == {"t00"}


def test_every_environment_comes_before_every_task_and_every_task_before_the_quotas() -> None:
    rows = [_row(0, _A, "x"), _row(1, _A, "x"), _row(2, _A, "y"), _row(3, _C, "z")]

    assert spend_budget(rows, 2, shares={_A: 1.0}) == {"t00", "t03"}
    assert spend_budget(rows, 3, shares={_A: 1.0}) == {"t00", "t02", "t03"}


def test_strata_are_filled_to_their_quota_with_the_heaviest_of_each_task_in_turn() -> None:
    rows = [
        _row(0, _A, "x"),
        _row(1, _A, "x"),
        _row(2, _A, "x"),
        _row(3, _B, "x", 0.5),
        _row(4, _B, "x", 2.0),
        _row(5, _B, "x", 1.0),
    ]

    assert spend_budget(rows, 4, shares={_A: 0.25, _B: 0.75}) == {"t00", "t03", "t04", "t05"}
    assert spend_budget(rows, 2, shares={_A: 0.5, _B: 0.5}) == {"t00", "t04"}
    assert spend_budget(rows, 4, shares={_A: 0.5, _B: 0.5}) == {"t00", "t01", "t04", "t05"}


def test_tasks_take_turns_inside_a_stratum() -> None:
    rows = [_row(0, _A, "x"), _row(1, _A, "y"), _row(2, _A, "x"), _row(3, _A, "x"), _row(4, _A, "y"), _row(5, _A, "y")]

    assert spend_budget(rows, 4, shares={_A: 1.0}) == {"t00", "t01", "t02", "t04"}


def test_places_a_stratum_cannot_fill_go_to_the_others() -> None:
    rows = [_row(0, _A, "x"), _row(1, _B, "x"), _row(2, _B, "x"), _row(3, _B, "x")]

    assert spend_budget(rows, 3, shares={_A: 1.0, _B: 0.0}) == {"t00", "t01", "t02"}


def test_families_share_a_stratum_by_their_tempered_sizes() -> None:
    rows = [_row(rank, _A, "x", family="big" if rank < 16 else "small") for rank in range(20)]

    tempered = spend_budget(rows, 6, shares={_A: 1.0}, alpha=0.5)
    raw = spend_budget(rows, 5, shares={_A: 1.0}, alpha=1.0)

    assert Counter(row.family for row in rows if row.traj_id in tempered) == {"big": 4, "small": 2}
    assert Counter(row.family for row in rows if row.traj_id in raw) == {"big": 4, "small": 1}


def test_rows_without_a_family_count_as_families_of_one() -> None:
    rows = [_row(rank, _A, "x", family="big" if rank < 16 else "") for rank in range(20)]

    chosen = spend_budget(rows, 8, shares={_A: 1.0}, alpha=0.5)

    assert Counter(row.family for row in rows if row.traj_id in chosen) == {"big": 4, "": 4}


def test_rows_that_cover_others_come_before_stray_rows() -> None:
    rows = [_row(rank, _A, "x") for rank in range(5)]
    vectors = np.array([[0, 0, 1], [1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0.1, 1, 0]], dtype=np.float32)

    chosen = spend_budget(rows, 2, shares={_A: 1.0}, vectors=vectors)

    assert len(chosen & {"t01", "t02"}) == len(chosen & {"t03", "t04"}) == 1


def test_order_of_the_rows_changes_nothing_with_vectors() -> None:
    draws = np.random.default_rng(2)
    vectors = draws.normal(size=(40, 6)).astype(np.float32)
    rows = [_row(rank, (_A, _B)[rank % 2], f"task{rank % 7}", 1 + rank % 3, f"f{rank % 4}") for rank in range(40)]
    shares = {_A: 0.7, _B: 0.3}
    expected = spend_budget(rows, 13, shares=shares, vectors=vectors)

    for _ in range(5):
        order = draws.permutation(40)
        shuffled = [rows[place] for place in order]
        assert spend_budget(shuffled, 13, shares=shares, vectors=vectors[order]) == expected


def test_largest_remainder_gives_whole_numbers_that_add_up() -> None:
    many = {_A: 99, _B: 99, _C: 99}

    assert largest_remainder({_A: 5.0, _B: 3.0, _C: 2.0}, 10, available=many) == {_A: 5, _B: 3, _C: 2}
    assert largest_remainder({_A: 1.0, _B: 1.0, _C: 1.0}, 10, available=many) == {_A: 3, _B: 4, _C: 3}
    assert largest_remainder({_A: 0.62, _B: 0.2, _C: 0.18}, 4, available=many) == {_A: 2, _B: 1, _C: 1}
    assert largest_remainder({_A: 1.0, _B: 0.0}, 3, available=many) == {_A: 3, _B: 0}


def test_largest_remainder_never_gives_more_than_there_is() -> None:
    assert largest_remainder({_A: 8.0, _B: 1.0, _C: 1.0}, 10, available={_A: 2, _B: 20, _C: 1}) == {
        _A: 2,
        _B: 7,
        _C: 1,
    }
    assert largest_remainder({_A: 1.0, _B: 0.0, _C: 0.0}, 4, available={_A: 1, _B: 2, _C: 9}) == {_A: 1, _B: 2, _C: 1}
    assert largest_remainder({_A: 1.0}, 5, available={_A: 2}) == {_A: 2}
    assert largest_remainder({}, 0, available={}) == {}


@given(
    st.lists(
        st.tuples(st.sampled_from([_A, _B, _C]), st.sampled_from("xyz"), st.sampled_from([0.5, 1.0, 2.0])), max_size=14
    ),
    st.integers(1, 16),
    st.randoms(use_true_random=False),
)
def test_budget_is_spent_whole_in_any_order_and_wipes_nothing_out(
    cells: list[tuple[Stratum, str, float]], budget: int, random: object
) -> None:
    rows = [_row(rank, stratum, task, weight) for rank, (stratum, task, weight) in enumerate(cells)]
    shares = {_A: 0.5, _B: 0.3, _C: 0.2}

    chosen = spend_budget(random.sample(rows, len(rows)), budget, shares=shares)  # type: ignore[attr-defined]

    assert chosen == spend_budget(rows, budget, shares=shares)
    assert len(chosen) == min(budget, len(rows))
    kept = [row for row in rows if row.traj_id in chosen]
    if budget >= 2:
        assert {row.stratum.environment for row in kept} == {row.stratum.environment for row in rows}
    if budget >= 5:
        assert {row.task_group for row in kept} == {row.task_group for row in rows}


@pytest.mark.parametrize("budget", [12, 30, 60])
def test_large_budget_reaches_the_target_shares(budget: int) -> None:
    rows = [_row(rank, _A if rank % 3 else _B, f"task{rank % 2}") for rank in range(90)]

    chosen = spend_budget(rows, budget, shares={_A: 0.5, _B: 0.5})

    counts = Counter(row.stratum for row in rows if row.traj_id in chosen)
    assert abs(counts[_A] - budget / 2) <= 1
