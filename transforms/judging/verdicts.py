"""Judge a task by its rollouts: a posterior and an attribution per policy, and what the task is good for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import apache_beam as beam
from apache_beam import PCollection

from schemas.reasons import Difficulty, OutcomeClass, TaskDecision
from transforms.judging.attribution import Reach, attribute, best_partial, rollouts_needed
from transforms.judging.near_miss import REACHED_PARTIAL
from transforms.judging.posterior import (
    Posterior,
    Tally,
    difficulty_class,
    jeffreys_posterior,
    pass_at_k,
    pass_pow_k,
    policy_posteriors,
)

MIN_LEARNABILITY: Final = 0.1
"""A task whose rollouts all ended alike may still be learnable while they are few: two equal outcomes leave
E[p(1 − p)] = .104 under Jeffreys, three .0875."""


class SlimRollout(NamedTuple):
    """What judging needs of a rollout; `near_miss` is None where nearness means nothing in its environment."""

    policy: str
    outcome: str
    is_infrastructure: bool
    partial: float | None
    near_miss: float | None


class JudgingRules(NamedTuple):
    """The settings that judging needs; no `prior_strength` means the Jeffreys prior."""

    prior_strength: float | None
    hard_max: float
    easy_min: float


class TaskVerdict(NamedTuple):
    """A task over all its policies; the posterior is pooled, with the Jeffreys prior."""

    num_rollouts: int
    num_policies: int
    tally: Tally
    difficulty: Difficulty
    decision: TaskDecision
    reason: str

    def row(self) -> dict[str, Any]:
        """Return the verdict's columns of the table `tasks`."""
        trials = self.tally.trials
        return {
            "num_rollouts": self.num_rollouts,
            "num_policies": self.num_policies,
            "pass_rate": self.tally.successes / trials if trials else None,
            "difficulty": 1 - jeffreys_posterior(self.tally).mean if trials else None,
            "curriculum": str(self.difficulty),
            "decision": str(self.decision),
            "reason": self.reason,
        }


def judge_task(rollouts: Sequence[SlimRollout], rules: JudgingRules) -> TaskVerdict:
    """Return what the rollouts of all policies say of their task."""
    tally = tally_of(rollouts)
    posterior = jeffreys_posterior(tally)
    mean = posterior.mean if tally.trials else None
    difficulty = difficulty_class(mean, hard_max=rules.hard_max, easy_min=rules.easy_min)
    decision, reason = decide_task(tally, difficulty, is_reached=is_reached(rollouts))
    return TaskVerdict(
        num_rollouts=len(rollouts),
        num_policies=len({rollout.policy for rollout in rollouts}),
        tally=tally,
        difficulty=difficulty,
        decision=decision,
        reason=reason,
    )


def decide_task(tally: Tally, difficulty: Difficulty, *, is_reached: bool) -> tuple[TaskDecision, str]:
    """Return what the task is good for, and the word that says why.

    A hard task within reach is a hard seed; a task with both outcomes, or with too few rollouts to tell, is trained
    on; a task solved always or never teaches a group-relative method nothing.
    """
    if tally.trials == 0:
        return TaskDecision.UNSCORED, "no_score"
    if is_reached and difficulty is Difficulty.HARD:
        return TaskDecision.HARD_SEED, "solved_sometimes" if tally.successes else "near_miss"
    if 0 < tally.successes < tally.trials:
        return TaskDecision.TRAIN, "mixed"
    if jeffreys_posterior(tally).learnability >= MIN_LEARNABILITY:
        return TaskDecision.TRAIN, "single_rollout" if tally.trials == 1 else "few_rollouts"
    if tally.successes:
        return TaskDecision.MASTERED, "all_pass"
    return TaskDecision.UNSOLVED, "all_fail"


def judge_policies(rollouts: Sequence[SlimRollout], rules: JudgingRules) -> list[dict[str, Any]]:
    """Return the task's rows of `task_policies`, without the task key, sorted by policy."""
    by_policy: dict[str, list[SlimRollout]] = {}
    for rollout in rollouts:
        by_policy.setdefault(rollout.policy, []).append(rollout)
    names = sorted(by_policy)
    tallies = [tally_of(by_policy[name]) for name in names]
    reach = Reach(is_reached(rollouts), best_partial(r.partial for r in rollouts if _has_failed(r)))
    posteriors = policy_posteriors(tallies, rules.prior_strength)
    return [
        _policy_row(name, by_policy[name], tally=tally, posterior=posterior, reach=reach)
        for name, tally, posterior in zip(names, tallies, posteriors, strict=True)
    ]


def tally_of(rollouts: Iterable[SlimRollout]) -> Tally:
    """Count the scored rollouts and the successes."""
    outcomes = [rollout.outcome for rollout in rollouts]
    successes = outcomes.count(OutcomeClass.SUCCESS)
    return Tally(successes, successes + outcomes.count(OutcomeClass.FAILURE))


def is_reached(rollouts: Iterable[SlimRollout]) -> bool:
    """Say whether any policy solved the task, or failed it with half of it done where nearness means something."""
    return any(
        rollout.outcome == OutcomeClass.SUCCESS
        or (_has_failed(rollout) and rollout.near_miss is not None and rollout.near_miss >= REACHED_PARTIAL)
        for rollout in rollouts
    )


def _has_failed(rollout: SlimRollout) -> bool:
    return rollout.outcome == OutcomeClass.FAILURE


def _policy_row(
    policy: str, rollouts: Sequence[SlimRollout], *, tally: Tally, posterior: Posterior, reach: Reach
) -> dict[str, Any]:
    widths = reported_widths(tally.trials)
    return {
        "policy": policy,
        "num_rollouts": len(rollouts),
        "num_scored": tally.trials,
        "num_success": tally.successes,
        "num_infra": sum(rollout.is_infrastructure for rollout in rollouts),
        "pass_rate": tally.successes / tally.trials if tally.trials else None,
        "posterior_a": posterior.a,
        "posterior_b": posterior.b,
        "learnability": posterior.learnability,
        "pass_at_k": {str(k): pass_at_k(tally, k) for k in widths},
        "pass_pow_k": {str(k): pass_pow_k(tally, k) for k in widths},
        "difficulty": 1 - posterior.mean,
        "attribution": str(attribute(posterior, tally, reach=reach)),
        "rollouts_needed": rollouts_needed(posterior, tally, reach=reach),
    }


def reported_widths(trials: int) -> list[int]:
    """Return the k of pass@k and pass^k worth reporting: the powers of two up to the trials, and the trials."""
    powers = [2**exponent for exponent in range(trials.bit_length()) if 2**exponent <= trials]
    return sorted({*powers, trials} - {0})


@dataclass
class JudgeTasks(beam.PTransform[PCollection[tuple[str, tuple[Any, ...]]], PCollection[tuple[str, dict[str, Any]]]]):
    """Judge every task by its rollouts.

    Takes `(task_key, fields of a SlimRollout)`, gives `(task_key, {"task": columns of its row of tasks, "policies":
    rows of task_policies})`.

    Args:
        rules: The settings of judging.
    """

    rules: JudgingRules

    def expand(self, pcoll: PCollection[tuple[str, tuple[Any, ...]]]) -> PCollection[tuple[str, dict[str, Any]]]:
        return pcoll | "GroupByTask" >> beam.GroupByKey() | "Judge" >> beam.MapTuple(self._judge)

    def _judge(self, task_key: str, rollouts: Iterable[tuple[Any, ...]]) -> tuple[str, dict[str, Any]]:
        slim = [SlimRollout(*rollout) for rollout in rollouts]
        return task_key, {"task": judge_task(slim, self.rules).row(), "policies": judge_policies(slim, self.rules)}
