import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import SettingsError
from transforms.selecting.strata import Stratum, parse_stratum, target_shares

_A = Stratum("a", "success", "hard")
_B = Stratum("a", "failure", "hard")
_C = Stratum("b", "failure", "easy")


def test_stratum_name_is_read_back_whatever_slashes_the_environment_holds() -> None:
    stratum = Stratum("org/env", "failure", "hard")

    assert stratum.name == "org/env/failure/hard"
    assert parse_stratum(stratum.name) == stratum


@pytest.mark.parametrize("name", ["a/b", "a", "/success/hard", "a//hard", ""])
def test_name_that_has_not_three_parts_is_refused(name: str) -> None:
    with pytest.raises(
        SettingsError, match=r"selection\.balance\.targets: .* must read environment/outcome/difficulty"
    ):
        parse_stratum(name)


def test_target_share_is_the_tempered_share_of_the_lake() -> None:
    counts = {_A: 9, _B: 1}

    assert target_shares(counts, 1.0, targets={}) == {_A: 0.9, _B: 0.1}
    assert target_shares(counts, 0.5, targets={}) == {_A: 0.75, _B: 0.25}
    assert target_shares(counts, 0.0, targets={}) == {_A: 0.5, _B: 0.5}


def test_explicit_target_takes_its_share_and_the_others_divide_the_rest() -> None:
    assert target_shares({_A: 9, _B: 1, _C: 1}, 0.5, targets={"b/failure/easy": 0.2}) == pytest.approx(
        {_A: 0.6, _B: 0.2, _C: 0.2}
    )


def test_pattern_divides_its_share_among_what_it_matches_and_the_most_exact_pattern_wins() -> None:
    shares = target_shares({_A: 9, _B: 4, _C: 1}, 0.5, targets={"*/failure/*": 0.6, "b/failure/*": 0.1})

    assert shares == pytest.approx({_A: 0.3, _B: 0.6, _C: 0.1})


def test_patterns_alike_exact_are_ordered_by_name() -> None:
    shares = target_shares({_A: 1, _B: 1}, 0.5, targets={"*/success/hard": 0.3, "a/*/hard": 0.7})

    assert shares == pytest.approx({_A: 0.3, _B: 0.7})


def test_targets_that_cover_all_strata_are_scaled_to_one() -> None:
    assert target_shares({_A: 1, _B: 1}, 0.5, targets={"*/success/*": 0.1, "*/failure/*": 0.3}) == pytest.approx(
        {_A: 0.25, _B: 0.75}
    )


def test_pattern_without_rows_keeps_its_share_under_its_own_name() -> None:
    shares = target_shares({_A: 1}, 0.5, targets={"z/success/*": 0.4})

    assert shares == pytest.approx({_A: 0.6, Stratum("z", "success", "*"): 0.4})


def test_targets_of_zero_for_all_are_zero() -> None:
    assert target_shares({_A: 2}, 0.5, targets={"*/*/*": 0.0}) == {_A: 0.0}


def test_negative_share_and_sum_over_one_are_refused() -> None:
    with pytest.raises(SettingsError, match="the share of 'a/success/hard' must be at least 0"):
        target_shares({_A: 1}, 0.5, targets={"a/success/hard": -0.1})
    with pytest.raises(SettingsError, match="the shares must sum to at most 1, got 1.2"):
        target_shares({_A: 1}, 0.5, targets={"a/success/hard": 0.6, "*/failure/*": 0.6})


@given(
    st.dictionaries(
        st.builds(Stratum, st.sampled_from("ab"), st.sampled_from(["success", "failure"]), st.sampled_from("he")),
        st.integers(1, 1000),
        min_size=1,
    ),
    st.floats(0, 1),
    st.dictionaries(st.sampled_from(["a/*/*", "*/success/*", "b/failure/h"]), st.floats(0.01, 0.33)),
)
def test_target_shares_sum_to_one(counts: dict[Stratum, int], alpha: float, targets: dict[str, float]) -> None:
    shares = target_shares(counts, alpha, targets=targets)

    assert sum(shares.values()) == pytest.approx(1)
    assert set(counts) <= set(shares)
