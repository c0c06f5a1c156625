from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.judging.failures import (
    educational_scores,
    eligible_failures,
    failure_weights,
    is_infrastructure,
    ranks_within,
)

_SCHEMA = pa.schema(
    [
        ("environment", pa.string()),
        ("is_eligible", pa.bool_()),
        ("learnability", pa.float64()),
        ("near_miss", pa.float64()),
        ("first_error", pa.float64()),
        ("novelty", pa.float64()),
        ("recovered", pa.bool_()),
        ("contrast", pa.bool_()),
    ]
)


def _failures(*rows: dict[str, Any]) -> pa.Table:
    default = {"environment": "e", "is_eligible": True, "learnability": 0.25}
    return pa.Table.from_pylist([default | row for row in rows], _SCHEMA)


def _scores(*rows: dict[str, Any]) -> list[float]:
    return educational_scores(_failures(*rows)).tolist()


def test_broken_machinery_and_flagged_rewards_teach_nothing() -> None:
    outcomes = ["failure", "failure", "failure", "failure", "success", "unscored", "invalid"]
    terminations = ["finished", "infra_error", "user_error", "max_steps", "finished", "finished", "finished"]
    flagged = [False, False, False, True, False, False, False]

    eligible = eligible_failures(outcomes, terminations, has_audit_flag=flagged)

    assert eligible.tolist() == [True, False, False, False, False, False, False]
    assert is_infrastructure(terminations) == [False, True, True, False, False, False, False]


def test_score_is_learnability_by_base_share_and_mean_of_known_ranks() -> None:
    assert _scores({"contrast": True}) == [1.0]
    assert _scores({"contrast": False}) == [0.4]
    assert _scores({"contrast": True, "recovered": False}) == [pytest.approx(0.7)]
    assert _scores({"contrast": True, "learnability": 0.125}) == [0.5]


def test_failure_without_any_sign_has_the_middle_rank() -> None:
    assert _scores({}) == [0.7]


def test_signs_are_ranked_among_the_failures_of_the_environment() -> None:
    rows = [{"near_miss": 0.1}, {"near_miss": 0.9}, {"near_miss": 0.2, "environment": "f"}, {"near_miss": 0.5}]

    assert _scores(*rows) == pytest.approx([0.4, 1.0, 0.7, 0.7])


@pytest.mark.parametrize("sign", ["near_miss", "first_error", "novelty"])
def test_more_of_a_ranked_sign_scores_higher(sign: str) -> None:
    assert _scores({sign: 3.0}, {sign: 7.0}) == pytest.approx([0.4, 1.0])


def test_row_that_is_not_eligible_has_no_score_and_no_part_in_the_ranks() -> None:
    scores = _scores({"near_miss": 0.5}, {"near_miss": 0.1, "is_eligible": False}, {"near_miss": 0.6})

    assert scores[0] == pytest.approx(0.4)
    assert np.isnan(scores[1])
    assert scores[2] == pytest.approx(1.0)


def test_weight_is_the_score_over_the_mean_within_bounds() -> None:
    scores = np.array([0.1, 0.2, 0.3, np.nan])

    assert failure_weights(scores, min_weight=0.25, max_weight=4.0).tolist() == pytest.approx([0.5, 1.0, 1.5, 0.25])
    assert failure_weights(scores, min_weight=0.75, max_weight=1.25).tolist() == pytest.approx([0.75, 1.0, 1.25, 0.75])


def test_failure_that_teaches_nothing_has_the_smallest_weight() -> None:
    assert failure_weights(np.array([np.nan, np.nan]), min_weight=0.25, max_weight=4.0).tolist() == [0.25, 0.25]
    assert failure_weights(np.array([]), min_weight=0.25, max_weight=4.0).tolist() == []


def test_ranks_run_from_zero_to_one_with_ties_at_their_middle() -> None:
    groups = np.array(["x", "x", "x", "x", "y", "x"], dtype=object)
    values = np.array([5.0, 1.0, 1.0, 9.0, 3.0, np.nan])

    ranks = ranks_within(groups, values).tolist()

    assert ranks[:5] == pytest.approx([2 / 3, 0.5 / 3, 0.5 / 3, 1.0, 0.5])
    assert np.isnan(ranks[5])


_sign = st.one_of(st.none(), st.floats(0, 1))


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "environment": st.sampled_from("ef"),
                "is_eligible": st.booleans(),
                "learnability": st.floats(0.01, 0.25),
                "near_miss": _sign,
                "first_error": _sign,
                "novelty": _sign,
                "recovered": st.booleans(),
                "contrast": st.booleans(),
            }
        ),
        min_size=1,
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_scores_are_bounded_and_free_of_the_order(rows: list[dict[str, Any]], random: Any) -> None:
    order = random.sample(range(len(rows)), len(rows))
    scores = _scores(*rows)

    shuffled = _scores(*[rows[index] for index in order])

    np.testing.assert_allclose(shuffled, [scores[index] for index in order])
    assert all(np.isnan(score) != row["is_eligible"] for score, row in zip(scores, rows, strict=True))
    assert all(0 < score <= 1 + 1e-12 for score in scores if not np.isnan(score))
