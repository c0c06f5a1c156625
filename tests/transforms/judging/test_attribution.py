import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import Attribution
from transforms.judging.attribution import Reach, attribute, best_partial, rollouts_needed
from transforms.judging.posterior import Posterior, Tally, jeffreys_posterior

_OUT_OF_REACH = Reach(is_reached=False, best_partial=None)


def _attribute(successes: int, trials: int, reach: Reach = _OUT_OF_REACH) -> str:
    tally = Tally(successes, trials)
    return str(attribute(jeffreys_posterior(tally), tally, reach=reach))


def _needed(successes: int, trials: int, reach: Reach = _OUT_OF_REACH) -> int | None:
    tally = Tally(successes, trials)
    return rollouts_needed(jeffreys_posterior(tally), tally, reach=reach)


def test_eight_successes_in_a_row_are_mastery_and_seven_are_not() -> None:
    assert _attribute(7, 7) == "undetermined"
    assert _attribute(8, 8) == "mastered"


def test_rare_failure_does_not_undo_mastery() -> None:
    assert _attribute(99, 100) == "mastered"


def test_both_outcomes_make_a_policy_unstable() -> None:
    assert _attribute(1, 2) == "unstable"
    assert _attribute(1, 40) == "unstable"


def test_belief_in_a_middling_rate_makes_a_policy_unstable() -> None:
    posterior = Posterior(5.0, 6.0)

    assert attribute(posterior, Tally(0, 1), reach=_OUT_OF_REACH) is Attribution.UNSTABLE
    assert attribute(posterior, Tally(0, 0), reach=_OUT_OF_REACH) is Attribution.UNDETERMINED


def test_high_prior_alone_is_no_mastery() -> None:
    assert attribute(Posterior(99.0, 1.0), Tally(0, 0), reach=_OUT_OF_REACH) is Attribution.UNDETERMINED


def test_six_failures_out_of_reach_are_a_lack_and_five_are_not() -> None:
    assert _attribute(0, 5) == "undetermined"
    assert _attribute(0, 6) == "lacking"


def test_six_rollouts_are_due_however_sure_the_prior_is() -> None:
    posterior = Posterior(0.05, 5.95)

    assert attribute(posterior, Tally(0, 5), reach=_OUT_OF_REACH) is Attribution.UNDETERMINED
    assert attribute(posterior, Tally(0, 6), reach=_OUT_OF_REACH) is Attribution.LACKING


def test_policy_that_solved_the_task_lacks_nothing() -> None:
    assert attribute(Posterior(6.0, 400.0), Tally(6, 6), reach=_OUT_OF_REACH) is Attribution.UNDETERMINED


@pytest.mark.parametrize(
    ("reach", "expected"),
    [
        (Reach(is_reached=True, best_partial=None), "undetermined"),
        (Reach(is_reached=False, best_partial=0.34), "undetermined"),
        (Reach(is_reached=False, best_partial=0.33), "lacking"),
    ],
)
def test_task_within_reach_is_no_lack(reach: Reach, expected: str) -> None:
    assert _attribute(0, 9, reach) == expected


def test_settled_question_needs_no_rollouts() -> None:
    assert (_needed(8, 8), _needed(1, 2), _needed(0, 6)) == (0, 0, 0)


def test_rollouts_needed_are_those_of_the_longest_way() -> None:
    assert _needed(0, 0) == 8
    assert _needed(1, 1) == 7
    assert _needed(0, 1) == 5
    assert _needed(7, 7) == 1


def test_failures_alone_never_settle_a_task_within_reach() -> None:
    reach = Reach(is_reached=True, best_partial=None)

    assert _needed(0, 3, reach) is None
    assert _needed(0, 0, reach) is None
    assert _needed(1, 1, reach) == 7


def test_question_that_too_many_rollouts_would_settle_has_no_number() -> None:
    assert rollouts_needed(Posterior(1.0, 40000.0), Tally(1, 1), reach=_OUT_OF_REACH) is None


def test_best_partial_leaves_the_unknown_out() -> None:
    assert best_partial([None, 0.2, 0.1]) == 0.2
    assert best_partial([None]) is None
    assert best_partial([]) is None


@given(st.integers(0, 1), st.integers(0, 7))
def test_as_many_equal_rollouts_as_needed_settle_the_question(outcome: int, trials: int) -> None:
    successes = outcome * trials
    needed = _needed(successes, trials)

    assert needed is not None
    for further in (0, needed):
        assert _attribute(successes + further, trials + needed) != "undetermined" or needed == 0
