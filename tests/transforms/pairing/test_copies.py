import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.pairing.copies import num_copies


@given(st.floats(0, 100), st.text(max_size=5))
def test_copies_are_the_weight_rounded_up_or_down(weight: float, row_id: str) -> None:
    assert int(weight) <= num_copies(weight, seed=0, row_id=row_id) <= int(weight) + 1


def test_copies_of_a_whole_weight_are_exact() -> None:
    assert [num_copies(weight, seed=3, row_id="a") for weight in (0.0, 1.0, 2.0)] == [0, 1, 2]


def test_copies_are_the_weight_on_average() -> None:
    copies = [num_copies(1.3, seed=0, row_id=str(row)) for row in range(4000)]
    # Binomial standard error of the mean: sqrt(.3 * .7 / 4000) = .0072; four of them.
    assert abs(sum(copies) / 4000 - 1.3) < 0.03


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_copies_refuse_a_weight_that_is_none(weight: float) -> None:
    with pytest.raises(ValueError, match="weight of row a must be finite"):
        num_copies(weight, seed=0, row_id="a")
