"""The Beta posterior of a task's pass rate and what follows from it."""

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

from scipy.special import betainc, betaincc

from schemas.reasons import Difficulty

JEFFREYS = 0.5
"""Both parameters of the Jeffreys prior Beta(.5, .5)."""


class Tally(NamedTuple):
    """Scored rollouts and how many of them succeeded."""

    successes: int
    trials: int


class Posterior(NamedTuple):
    """Beta(a, b) of a pass rate."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """Expected pass rate p."""
        return self.a / (self.a + self.b)

    @property
    def learnability(self) -> float:
        """E[p(1 − p)], between 0 and .25: how often two further rollouts are expected to differ, halved."""
        total = self.a + self.b
        return self.a * self.b / (total * (total + 1))

    def below(self, rate: float) -> float:
        """Return P(p < rate)."""
        return float(betainc(self.a, self.b, rate))

    def above(self, rate: float) -> float:
        """Return P(p > rate)."""
        return float(betaincc(self.a, self.b, rate))

    def after(self, tally: Tally) -> "Posterior":
        """Return the posterior once the tally has been seen too."""
        return Posterior(self.a + tally.successes, self.b + tally.trials - tally.successes)


def jeffreys_posterior(tally: Tally) -> Posterior:
    """Return the posterior under Beta(.5, .5), which favours no pass rate."""
    return Posterior(JEFFREYS, JEFFREYS).after(tally)


def policy_posteriors(tallies: Sequence[Tally], prior_strength: float | None) -> list[Posterior]:
    """Return the posterior of each policy on one task.

    The prior of a policy is Beta(s·m, s·(1 − m)), where m is the rate of all other policies on the task, shrunken by
    Jeffreys so that it is never 0 or 1. A policy alone on its task has m = .5. Agent tasks are mostly solved always or
    never: on held-out trials this prior of strength 1 predicts better than plug-in, Laplace or Jeffreys.

    Args:
        tallies: One per policy.
        prior_strength: Pseudo-rollouts s; None takes the Jeffreys prior instead.
    """
    if prior_strength is None:
        return [jeffreys_posterior(tally) for tally in tallies]
    successes = sum(tally.successes for tally in tallies)
    trials = sum(tally.trials for tally in tallies)
    posteriors = []
    for tally in tallies:
        rate = jeffreys_posterior(Tally(successes - tally.successes, trials - tally.trials)).mean
        posteriors.append(Posterior(prior_strength * rate, prior_strength * (1 - rate)).after(tally))
    return posteriors


def pass_at_k(tally: Tally, k: int) -> float:
    """Return the unbiased chance that at least one of k rollouts drawn from the tally succeeds.

    Raises:
        ValueError: k is not between 1 and the number of trials.
    """
    _check_k(tally, k)
    return 1 - comb(tally.trials - tally.successes, k) / comb(tally.trials, k)


def pass_pow_k(tally: Tally, k: int) -> float:
    """Return the unbiased chance that all of k rollouts drawn from the tally succeed.

    Raises:
        ValueError: k is not between 1 and the number of trials.
    """
    _check_k(tally, k)
    return comb(tally.successes, k) / comb(tally.trials, k)


def _check_k(tally: Tally, k: int) -> None:
    if not 1 <= k <= tally.trials:
        raise ValueError(f"k must be between 1 and the {tally.trials} scored rollouts, got {k}")


def difficulty_class(pass_rate: float | None, *, hard_max: float, easy_min: float) -> Difficulty:
    """Return the bucket of a task by its posterior mean pass rate; None is a task without scored rollouts.

    Args:
        pass_rate: Posterior mean.
        hard_max: Rate at or below which a task is hard.
        easy_min: Rate above which a task is easy.
    """
    if pass_rate is None:
        return Difficulty.UNKNOWN
    if pass_rate <= hard_max:
        return Difficulty.HARD
    return Difficulty.EASY if pass_rate > easy_min else Difficulty.MEDIUM
