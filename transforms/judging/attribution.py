"""Say what the rollouts of a task tell of a policy: mastered, unstable, lacking, or too few to say."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from schemas.reasons import Attribution
from transforms.judging.posterior import Posterior, Tally

MASTERED_RATE: Final = 0.9
MASTERED_BELIEF: Final = 0.8
UNSTABLE_RATES: Final = (0.1, 0.9)
UNSTABLE_BELIEF: Final = 0.8
LACKING_RATE: Final = 0.2
LACKING_BELIEF: Final = 0.9
LACKING_MIN_TRIALS: Final = 6
LACKING_MAX_PARTIAL: Final = 0.34
"""P(p < .05) ≥ .8 would need far more rollouts than a lake has: after 0 of 8 Jeffreys gives .64. Hence p < .2 together
with the absence of any other sign that the task is within reach."""
MOST_ROLLOUTS: Final = 1000
"""Where even this many further rollouts would not settle the question, no number is given."""


class Reach(NamedTuple):
    """What else is known of whether a task can be solved.

    `is_reached`: some policy has solved it, or came near where nearness means something. `best_partial`: the largest
    partial result of its failures in [0, 1], None where results are not partial.
    """

    is_reached: bool
    best_partial: float | None


def attribute(posterior: Posterior, tally: Tally, *, reach: Reach) -> Attribution:
    """Return what the tally and its posterior say of a policy on a task.

    Mastered: P(p > .9) ≥ .8. Unstable: the policy both solved and failed it, or P(.1 ≤ p ≤ .9) ≥ .8.
    Lacking: at least 6 scored rollouts, all failed, P(p < .2) ≥ .9, nobody reached the task and no result came to .34.
    Else undetermined.
    """
    if tally.trials and posterior.above(MASTERED_RATE) >= MASTERED_BELIEF:
        return Attribution.MASTERED
    low, high = UNSTABLE_RATES
    if 0 < tally.successes < tally.trials:
        return Attribution.UNSTABLE
    if tally.trials and 1 - posterior.below(low) - posterior.above(high) >= UNSTABLE_BELIEF:
        return Attribution.UNSTABLE
    if _could_be_lacking(reach) and _is_lacking(posterior, tally):
        return Attribution.LACKING
    return Attribution.UNDETERMINED


def rollouts_needed(posterior: Posterior, tally: Tally, *, reach: Reach) -> int | None:
    """Return how many further rollouts settle the question, whatever their outcome; 0 where it is settled.

    A further rollout that differs from those seen makes the policy unstable, so the longest way is the one on which
    all of them go on alike: successes until mastered, failures until lacking. None where failures alone can never
    settle it, as the task is within reach.
    """
    if attribute(posterior, tally, reach=reach) is not Attribution.UNDETERMINED:
        return 0
    ways = []
    if tally.successes == tally.trials:
        ways.append(_first_settled(posterior, tally, reach=reach, succeeds=True))
    if tally.successes == 0:
        ways.append(_first_settled(posterior, tally, reach=reach, succeeds=False))
    known = [way for way in ways if way is not None]
    return max(known) if len(known) == len(ways) else None


def best_partial(partials: Iterable[float | None]) -> float | None:
    """Return the largest of the known partial results, None where none is known."""
    return max((partial for partial in partials if partial is not None), default=None)


def _could_be_lacking(reach: Reach) -> bool:
    return not reach.is_reached and (reach.best_partial is None or reach.best_partial < LACKING_MAX_PARTIAL)


def _is_lacking(posterior: Posterior, tally: Tally) -> bool:
    return (
        tally.successes == 0 and tally.trials >= LACKING_MIN_TRIALS and posterior.below(LACKING_RATE) >= LACKING_BELIEF
    )


def _first_settled(posterior: Posterior, tally: Tally, *, reach: Reach, succeeds: bool) -> int | None:
    """Return after how many equal outcomes the attribution is first determined."""
    if not succeeds and not _could_be_lacking(reach):
        return None
    for more in range(1, MOST_ROLLOUTS + 1):
        further = Tally(more if succeeds else 0, more)
        total = Tally(tally.successes + further.successes, tally.trials + further.trials)
        if attribute(posterior.after(further), total, reach=reach) is not Attribution.UNDETERMINED:
            return more
    return None
