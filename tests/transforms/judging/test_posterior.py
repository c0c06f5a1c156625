import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import Difficulty
from transforms.judging.posterior import (
    Posterior,
    Tally,
    difficulty_class,
    jeffreys_posterior,
    pass_at_k,
    pass_pow_k,
    policy_posteriors,
)

_tallies = st.integers(0, 30).flatmap(lambda n: st.builds(Tally, st.integers(0, n), st.just(n)))


def test_jeffreys_adds_half_a_success_and_half_a_failure() -> None:
    assert jeffreys_posterior(Tally(3, 8)) == Posterior(3.5, 5.5)
    assert jeffreys_posterior(Tally(0, 0)) == Posterior(0.5, 0.5)


def test_mean_and_learnability_are_those_of_the_beta_distribution() -> None:
    posterior = Posterior(3.0, 1.0)

    assert posterior.mean == 0.75
    assert posterior.learnability == 3 / 20
    assert Posterior(0.5, 0.5).learnability == 0.125


def test_tail_probabilities_are_those_of_the_beta_distribution() -> None:
    assert Posterior(1.0, 1.0).below(0.3) == pytest.approx(0.3)
    assert Posterior(1.0, 1.0).above(0.3) == pytest.approx(0.7)
    assert Posterior(2.0, 1.0).below(0.5) == pytest.approx(0.25)
    assert Posterior(2.0, 1.0).above(0.5) == pytest.approx(0.75)
    assert Posterior(3.0, 1.0).above(0.9) == pytest.approx(1 - 0.9**3)


def test_nothing_solved_in_eight_leaves_the_published_doubt() -> None:
    posterior = jeffreys_posterior(Tally(0, 8))

    assert posterior.below(0.05) == pytest.approx(0.64, abs=0.005)
    assert posterior.below(0.1) == pytest.approx(0.81, abs=0.005)


def test_posterior_after_a_tally_counts_successes_and_failures() -> None:
    assert Posterior(1.0, 2.0).after(Tally(3, 10)) == Posterior(4.0, 9.0)


def test_prior_of_a_policy_is_the_shrunken_rate_of_the_others() -> None:
    posteriors = policy_posteriors([Tally(0, 4), Tally(3, 3), Tally(1, 1)], 1.0)

    assert posteriors == [
        Posterior(0.9, 4.1),
        Posterior(pytest.approx(3.25), pytest.approx(0.75)),  # type: ignore[arg-type]
        Posterior(1.4375, 0.5625),
    ]


def test_prior_strength_is_the_weight_of_the_others() -> None:
    (weak, _) = policy_posteriors([Tally(0, 0), Tally(4, 4)], 1.0)
    (strong, _) = policy_posteriors([Tally(0, 0), Tally(4, 4)], 10.0)

    assert weak == Posterior(0.9, pytest.approx(0.1))  # type: ignore[arg-type]
    assert strong == Posterior(9.0, pytest.approx(1.0))  # type: ignore[arg-type]


def test_policy_alone_on_its_task_has_the_jeffreys_posterior() -> None:
    assert policy_posteriors([Tally(1, 4)], 1.0) == [jeffreys_posterior(Tally(1, 4))]


def test_without_strength_every_policy_has_the_jeffreys_prior() -> None:
    tallies = [Tally(0, 4), Tally(3, 3)]

    assert policy_posteriors(tallies, None) == [Posterior(0.5, 4.5), Posterior(3.5, 0.5)]


def test_task_without_policies_has_no_posterior() -> None:
    assert policy_posteriors([], 1.0) == []


def test_pass_at_k_is_the_unbiased_estimate() -> None:
    assert pass_at_k(Tally(1, 4), 1) == 0.25
    assert pass_at_k(Tally(1, 4), 2) == 0.5
    assert pass_at_k(Tally(2, 4), 2) == 1 - 1 / 6
    assert pass_at_k(Tally(2, 4), 3) == 1.0
    assert pass_at_k(Tally(0, 4), 4) == 0.0


def test_pass_pow_k_is_the_unbiased_estimate() -> None:
    assert pass_pow_k(Tally(3, 4), 1) == 0.75
    assert pass_pow_k(Tally(3, 4), 2) == 0.5
    assert pass_pow_k(Tally(3, 4), 4) == 0.0
    assert pass_pow_k(Tally(4, 4), 4) == 1.0


@pytest.mark.parametrize("k", [0, 5])
def test_k_beyond_the_rollouts_is_refused(k: int) -> None:
    message = f"^k must be between 1 and the 4 scored rollouts, got {k}$"
    with pytest.raises(ValueError, match=message):
        pass_at_k(Tally(1, 4), k)
    with pytest.raises(ValueError, match=message):
        pass_pow_k(Tally(1, 4), k)


@pytest.mark.parametrize(
    ("pass_rate", "expected"),
    [
        (None, Difficulty.UNKNOWN),
        (0.0, Difficulty.HARD),
        (0.25, Difficulty.HARD),
        (0.26, Difficulty.MEDIUM),
        (0.75, Difficulty.MEDIUM),
        (0.76, Difficulty.EASY),
    ],
)
def test_difficulty_bounds_belong_to_the_harder_bucket(pass_rate: float | None, expected: Difficulty) -> None:
    assert difficulty_class(pass_rate, hard_max=0.25, easy_min=0.75) is expected


@given(_tallies, _tallies, st.floats(0.1, 20))
def test_posterior_mean_lies_between_prior_and_rate_and_more_strength_pulls_harder(
    own: Tally, others: Tally, strength: float
) -> None:
    prior = (others.successes + 0.5) / (others.trials + 1)
    weak = policy_posteriors([own, others], strength)[0].mean
    strong = policy_posteriors([own, others], strength * 2)[0].mean
    rate = own.successes / own.trials if own.trials else prior

    assert min(prior, rate) - 1e-12 <= weak <= max(prior, rate) + 1e-12
    assert abs(strong - prior) <= abs(weak - prior) + 1e-12


@given(_tallies)
def test_one_more_success_never_lowers_the_mean(tally: Tally) -> None:
    better = Tally(tally.successes + 1, tally.trials + 1)

    assert jeffreys_posterior(better).mean >= jeffreys_posterior(tally).mean


@given(_tallies.filter(lambda tally: tally.trials > 0), st.integers(1, 30))
def test_pass_at_k_grows_with_k_and_pass_pow_k_shrinks(tally: Tally, k: int) -> None:
    k = min(k, tally.trials)

    assert pass_pow_k(tally, k) <= tally.successes / tally.trials + 1e-12
    assert pass_at_k(tally, k) >= tally.successes / tally.trials - 1e-12
    assert 0 <= pass_pow_k(tally, k) <= pass_at_k(tally, k) + 1e-12 <= 1 + 1e-11


@given(st.floats(0.05, 50), st.floats(0.05, 50), st.floats(0, 1))
def test_learnability_is_at_most_a_quarter_and_tails_add_up(a: float, b: float, rate: float) -> None:
    posterior = Posterior(a, b)

    assert 0 < posterior.learnability < 0.25
    assert math.isclose(posterior.below(rate) + posterior.above(rate), 1, abs_tol=1e-9)
