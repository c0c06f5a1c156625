import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ConservationError
from transforms.store.conservation import UnitBalance, check_one_row_each, check_total, check_units


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))))
def test_units_whose_parts_sum_up_pass(parts: list[tuple[int, int, int]]) -> None:
    check_units(UnitBalance(str(n), sum(each), *each) for n, each in enumerate(parts))


@pytest.mark.parametrize(
    "unit",
    [
        UnitBalance("u", 5, 3, 1, 0),
        UnitBalance("u", 5, 3, 1, 2),
        UnitBalance("u", 3, 4, -1, 0),
        UnitBalance("u", 3, -1, 4, 0),
        UnitBalance("u", 3, 2, 2, -1),
        UnitBalance("u", 1, 0, 0, 0),
    ],
)
def test_a_unit_that_loses_or_gains_a_record_is_named(unit: UnitBalance) -> None:
    with pytest.raises(
        ConservationError,
        match=rf"^unit u: {unit.num_records} records read, but {unit.num_trajectories} trajectories \+ "
        rf"{unit.num_quarantined} quarantined \+ {unit.num_repeats} repeats$",
    ):
        check_units([UnitBalance("fine", 0, 0, 0, 0), unit])


@given(st.sets(st.text(min_size=1)), st.randoms())
def test_one_row_each_in_any_order_passes(ids: set[str], random: object) -> None:
    found = list(ids)
    random.shuffle(found)  # type: ignore[attr-defined]
    check_one_row_each(sorted(ids), found, table="decisions")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (["a", "b", "b", "c", "a", "a"], r"^decisions has a more than once \(2 such rows\)$"),
        (["c"], r"^decisions lacks a \(2 of 3 rows missing\)$"),
        (["a", "b", "c", "e", "d"], r"^decisions has d, which no trajectory has \(2 such rows\)$"),
    ],
)
def test_missing_doubled_and_unknown_rows_are_named(found: list[str], message: str) -> None:
    with pytest.raises(ConservationError, match=message):
        check_one_row_each(["a", "b", "c"], found, table="decisions")


def test_totals() -> None:
    check_total(5, {"kept": 3, "dropped": 2}, of="pool")
    check_total(0, {}, of="nothing")
    with pytest.raises(ConservationError, match=r"^pool: 5 is not 3 kept \+ 1 dropped$"):
        check_total(5, {"kept": 3, "dropped": 1}, of="pool")
    with pytest.raises(ConservationError, match=r"^pool: 2 is not 3 kept \+ -1 dropped$"):
        check_total(2, {"kept": 3, "dropped": -1}, of="pool")
    with pytest.raises(ConservationError, match=r"^pool: 1 is not 0$"):
        check_total(1, {}, of="pool")
