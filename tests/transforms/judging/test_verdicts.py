import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.reasons import Difficulty, TaskDecision
from transforms.judging.posterior import Tally
from transforms.judging.verdicts import (
    JudgeTasks,
    JudgingRules,
    SlimRollout,
    TaskVerdict,
    decide_task,
    is_reached,
    judge_policies,
    judge_task,
    reported_widths,
    tally_of,
)

_RULES = JudgingRules(prior_strength=1.0, hard_max=0.25, easy_min=0.75)


def _rollout(outcome: str, policy: str = "m", near: float | None = None, infra: bool = False) -> SlimRollout:
    return SlimRollout(policy, outcome, infra, near, near)


@pytest.mark.parametrize(
    ("successes", "trials", "difficulty", "reached", "expected"),
    [
        (0, 0, Difficulty.UNKNOWN, False, (TaskDecision.UNSCORED, "no_score")),
        (1, 8, Difficulty.HARD, True, (TaskDecision.HARD_SEED, "solved_sometimes")),
        (0, 8, Difficulty.HARD, True, (TaskDecision.HARD_SEED, "near_miss")),
        (0, 8, Difficulty.HARD, False, (TaskDecision.UNSOLVED, "all_fail")),
        (2, 4, Difficulty.MEDIUM, True, (TaskDecision.TRAIN, "mixed")),
        (19, 20, Difficulty.EASY, True, (TaskDecision.TRAIN, "mixed")),
        (3, 3, Difficulty.EASY, True, (TaskDecision.MASTERED, "all_pass")),
        (2, 2, Difficulty.EASY, True, (TaskDecision.TRAIN, "few_rollouts")),
        (1, 1, Difficulty.MEDIUM, True, (TaskDecision.TRAIN, "single_rollout")),
        (0, 1, Difficulty.HARD, False, (TaskDecision.TRAIN, "single_rollout")),
        (0, 3, Difficulty.HARD, False, (TaskDecision.UNSOLVED, "all_fail")),
    ],
)
def test_task_is_trained_on_where_its_rollouts_differ_or_are_few(
    successes: int, trials: int, difficulty: Difficulty, reached: bool, expected: tuple[TaskDecision, str]
) -> None:
    assert decide_task(Tally(successes, trials), difficulty, is_reached=reached) == expected


def test_tally_counts_scored_rollouts_only() -> None:
    rollouts = [_rollout(outcome) for outcome in ("success", "failure", "unscored", "invalid", "failure")]

    assert tally_of(rollouts) == Tally(1, 3)


def test_reach_is_a_success_or_a_failure_that_came_half_way() -> None:
    assert is_reached([_rollout("failure"), _rollout("success")])
    assert is_reached([_rollout("failure", near=0.5)])
    assert not is_reached([_rollout("failure", near=0.49), _rollout("unscored", near=1.0)])
    assert not is_reached([])


def test_verdict_pools_all_policies_and_gives_the_columns_of_the_table() -> None:
    rollouts = [
        _rollout("success", "a"),
        _rollout("failure", "a"),
        _rollout("failure", "b"),
        _rollout("unscored", "c"),
    ]

    verdict = judge_task(rollouts, _RULES)

    assert verdict == TaskVerdict(
        num_rollouts=4,
        num_policies=3,
        tally=Tally(1, 3),
        difficulty=Difficulty.MEDIUM,
        decision=TaskDecision.TRAIN,
        reason="mixed",
    )
    assert verdict.row() == {
        "num_rollouts": 4,
        "num_policies": 3,
        "pass_rate": 1 / 3,
        "difficulty": 1 - 1.5 / 4,
        "curriculum": "medium",
        "decision": "train",
        "reason": "mixed",
    }


def test_task_without_a_score_has_neither_rate_nor_difficulty() -> None:
    row = judge_task([_rollout("unscored")], _RULES).row()

    assert (row["pass_rate"], row["difficulty"], row["curriculum"]) == (None, None, "unknown")


def test_policy_row_holds_the_posterior_and_what_follows() -> None:
    rollouts = [
        _rollout("failure", "b", infra=True),
        _rollout("success", "a"),
        _rollout("failure", "a"),
        _rollout("unscored", "b"),
    ]

    rows = judge_policies(rollouts, _RULES)

    assert rows == [
        {
            "policy": "a",
            "num_rollouts": 2,
            "num_scored": 2,
            "num_success": 1,
            "num_infra": 0,
            "pass_rate": 0.5,
            "posterior_a": 1.25,
            "posterior_b": 1.75,
            "learnability": 1.25 * 1.75 / 12,
            "pass_at_k": {"1": 0.5, "2": 1.0},
            "pass_pow_k": {"1": 0.5, "2": 0.0},
            "difficulty": 1 - 1.25 / 3,
            "attribution": "unstable",
            "rollouts_needed": 0,
        },
        {
            "policy": "b",
            "num_rollouts": 2,
            "num_scored": 1,
            "num_success": 0,
            "num_infra": 1,
            "pass_rate": 0.0,
            "posterior_a": 0.5,
            "posterior_b": 1.5,
            "learnability": 0.5 * 1.5 / 6,
            "pass_at_k": {"1": 0.0},
            "pass_pow_k": {"1": 0.0},
            "difficulty": 0.75,
            "attribution": "undetermined",
            "rollouts_needed": None,
        },
    ]


def test_policy_without_a_score_has_no_rate() -> None:
    (row,) = judge_policies([_rollout("unscored")], _RULES)

    assert (row["pass_rate"], row["pass_at_k"], row["posterior_a"]) == (None, {}, 0.5)


def test_widths_are_the_powers_of_two_and_the_number_itself() -> None:
    assert [reported_widths(trials) for trials in (0, 1, 4, 5, 9)] == [
        [],
        [1],
        [1, 2, 4],
        [1, 2, 4, 5],
        [1, 2, 4, 8, 9],
    ]


def test_judge_tasks_gives_one_judgement_a_task() -> None:
    rollouts = [_rollout("success", "a"), _rollout("failure", "b")]
    expected = {"task": judge_task(rollouts, _RULES).row(), "policies": judge_policies(rollouts, _RULES)}
    single = [_rollout("unscored")]

    with TestPipeline() as pipeline:
        judged = (
            pipeline
            | beam.Create([("id:1", tuple(rollouts[1])), ("id:2", tuple(single[0])), ("id:1", tuple(rollouts[0]))])
            | JudgeTasks(_RULES)
        )
        assert_that(
            judged,
            equal_to(
                [
                    ("id:1", expected),
                    ("id:2", {"task": judge_task(single, _RULES).row(), "policies": judge_policies(single, _RULES)}),
                ]
            ),
        )
