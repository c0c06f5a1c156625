import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.selecting.balance import balance_factors, balance_rows
from transforms.selecting.strata import Stratum

_A = Stratum("a", "success", "hard")
_B = Stratum("a", "failure", "hard")
_C = Stratum("b", "failure", "easy")
_U = Stratum("b", "unscored", "unknown")


def test_factors_bring_the_weighted_shares_to_their_targets() -> None:
    factors = balance_factors({_A: 60.0, _B: 40.0}, {_A: 0.5, _B: 0.5}, max_factor=4.0)

    assert factors == pytest.approx({_A: 5 / 6, _B: 1.25})


def test_factor_never_leaves_its_bounds_and_the_others_take_the_rest() -> None:
    factors = balance_factors({_A: 1.0, _B: 50.0, _C: 49.0}, {_A: 0.5, _B: 0.25, _C: 0.25}, max_factor=4.0)

    assert factors == pytest.approx({_A: 4.0, _B: 48 / 50, _C: 48 / 49})


def test_factor_of_one_at_most_changes_nothing() -> None:
    assert balance_factors({_A: 1.0, _B: 9.0}, {_A: 0.9, _B: 0.1}, max_factor=1.0) == {_A: 1.0, _B: 1.0}


def test_stratum_without_weight_keeps_its_factor_and_its_target_goes_to_the_others() -> None:
    factors = balance_factors({_A: 3.0, _B: 1.0, _C: 0.0}, {_A: 0.25, _B: 0.25, _C: 0.5}, max_factor=4.0)

    assert factors == pytest.approx({_A: 2 / 3, _B: 2.0, _C: 1.0})


def test_target_of_zero_leaves_the_smallest_factor() -> None:
    assert balance_factors({_A: 10.0, _B: 10.0}, {_A: 1.0, _B: 0.0}, max_factor=4.0) == pytest.approx(
        {_A: 1.75, _B: 0.25}
    )


def test_targets_of_nothing_but_zero_change_nothing() -> None:
    assert balance_factors({_A: 10.0}, {_A: 0.0}, max_factor=4.0) == {_A: 1.0}
    assert balance_factors({}, {}, max_factor=4.0) == {}


@given(
    st.dictionaries(st.sampled_from([_A, _B, _C]), st.tuples(st.floats(0.5, 500), st.floats(0.05, 1)), min_size=1),
    st.floats(1, 8),
)
def test_factors_are_bounded_keep_the_sum_and_reach_what_the_bounds_allow(
    strata: dict[Stratum, tuple[float, float]], max_factor: float
) -> None:
    weights = {stratum: weight for stratum, (weight, _) in strata.items()}
    total_target = sum(target for _, target in strata.values())
    shares = {stratum: target / total_target for stratum, (_, target) in strata.items()}

    factors = balance_factors(weights, shares, max_factor=max_factor)

    assert all(1 / max_factor - 1e-12 <= factor <= max_factor + 1e-12 for factor in factors.values())
    total = sum(weights.values())
    assert sum(weights[stratum] * factor for stratum, factor in factors.items()) == pytest.approx(total, rel=1e-6)
    free = [s for s, factor in factors.items() if 1 / max_factor + 1e-9 < factor < max_factor - 1e-9]
    ratios = [factors[s] * weights[s] / shares[s] for s in free]
    assert ratios == pytest.approx([ratios[0]] * len(ratios)) if ratios else True


def test_balance_reports_the_share_aimed_at_the_share_reached_and_what_is_missing() -> None:
    rows = balance_rows(
        [_A, _A, _B, _U], [(_A, 1.0), (_B, 3.0), (_U, 0.0)], shares={_A: 0.5, _B: 0.25, Stratum("z", "*", "*"): 0.25}
    )

    assert rows == [
        {
            "stratum": "a/failure/hard",
            "environment": "a",
            "outcome_class": "failure",
            "difficulty": "hard",
            "num_available": 1,
            "num_selected": 1,
            "target_share": 0.25,
            "selected_share": 0.5,
            "weighted_share": 0.75,
            "shortfall": 0.0,
        },
        {
            "stratum": "a/success/hard",
            "environment": "a",
            "outcome_class": "success",
            "difficulty": "hard",
            "num_available": 2,
            "num_selected": 1,
            "target_share": 0.5,
            "selected_share": 0.5,
            "weighted_share": 0.25,
            "shortfall": 0.25,
        },
        {
            "stratum": "b/unscored/unknown",
            "environment": "b",
            "outcome_class": "unscored",
            "difficulty": "unknown",
            "num_available": 1,
            "num_selected": 1,
            "target_share": 0.0,
            "selected_share": 0.0,
            "weighted_share": 0.0,
            "shortfall": 0.0,
        },
        {
            "stratum": "z/*/*",
            "environment": "z",
            "outcome_class": "*",
            "difficulty": "*",
            "num_available": 0,
            "num_selected": 0,
            "target_share": 0.25,
            "selected_share": 0.0,
            "weighted_share": 0.0,
            "shortfall": 0.25,
        },
    ]


def test_balance_of_nothing_is_empty() -> None:
    assert balance_rows([], [], shares={}) == []
