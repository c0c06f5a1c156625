from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import DecisionReason
from transforms.selecting.decisions import (
    KEPT,
    Verdict,
    decision_rows,
    first_verdicts,
    follow_keepers,
    narrow_verdicts,
)


def _row(traj_id: str, **facts: Any) -> dict[str, Any]:
    return {
        "traj_id": traj_id,
        "outcome_class": "success",
        "is_empty": False,
        "similarity_to_keeper": 1.0,
        "method": "none",
        "keeper_id": traj_id,
        **facts,
    }


def _verdicts(*rows: dict[str, Any]) -> list[Verdict]:
    return first_verdicts(
        pa.Table.from_pylist([{"repeated_item": None, "item_similarity": None} | row for row in rows])
    )


def test_redundant_row_names_its_keeper_and_how_it_was_found_to_repeat_it() -> None:
    verdicts = _verdicts(
        _row("k"),
        _row("e", keeper_id="k", method="exact"),
        _row("l", keeper_id="k", method="lexical", similarity_to_keeper=0.9),
        _row("c", keeper_id="k", method="containment", similarity_to_keeper=0.97),
        _row("s", keeper_id="k", method="semantic", similarity_to_keeper=0.96),
    )

    assert verdicts == [
        KEPT,
        Verdict(DecisionReason.EXACT_COPY, "k", 1.0),
        Verdict(DecisionReason.NEAR_DUPLICATE, "k", 0.9),
        Verdict(DecisionReason.CUT_COPY, "k", 0.97),
        Verdict(DecisionReason.SEMANTIC_DUPLICATE, "k", 0.96),
    ]


def test_empty_comes_before_invalid_and_both_before_redundant() -> None:
    verdicts = _verdicts(
        _row("k"),
        _row("i", outcome_class="invalid", keeper_id="k"),
        _row("e", outcome_class="invalid", is_empty=True, keeper_id="k"),
        _row("u", outcome_class="unscored"),
    )

    assert verdicts == [KEPT, Verdict(DecisionReason.INVALID_REWARD), Verdict(DecisionReason.EMPTY), KEPT]


def test_narrowing_drops_only_kept_rows_that_were_not_chosen() -> None:
    verdicts = [KEPT, KEPT, Verdict(DecisionReason.EMPTY)]

    narrowed = narrow_verdicts(verdicts, ["a", "b", "c"], chosen={"a"}, reason=DecisionReason.TASK_CAP)

    assert narrowed == [KEPT, Verdict(DecisionReason.TASK_CAP), Verdict(DecisionReason.EMPTY)]


@pytest.mark.parametrize("reason", [DecisionReason.TASK_CAP, DecisionReason.APPROACH_CAP, DecisionReason.BUDGET])
def test_a_redundant_row_falls_with_its_keeper_where_there_was_no_place(reason: DecisionReason) -> None:
    copy_of_a = Verdict(DecisionReason.NEAR_DUPLICATE, "a", 0.9)
    copy_of_b = Verdict(DecisionReason.EXACT_COPY, "b", 1.0)

    followed = follow_keepers([Verdict(reason), KEPT, copy_of_a, copy_of_b], ["a", "b", "c", "d"])

    assert followed == [Verdict(reason), KEPT, Verdict(reason), copy_of_b]


def test_a_copy_of_what_a_reference_set_holds_names_it_still() -> None:
    verdicts = [Verdict(DecisionReason.IN_REFERENCE_SET, "item", 0.9), Verdict(DecisionReason.CUT_COPY, "a", 0.97)]

    assert follow_keepers(verdicts, ["a", "b"]) == verdicts


def _pool(*ids: str) -> pa.Table:
    return pa.table(
        {
            "traj_id": ids,
            "score": [0.1] * len(ids),
            "educational_score": pa.array([None] * len(ids), pa.float64()),
            "weight": [1.5] * len(ids),
            "stratum": ["e/success/hard"] * len(ids),
            "split": ["train"] * len(ids),
            "keeper_rule": ["fewest_steps"] * len(ids),
        }
    )


def test_decisions_have_one_row_a_trajectory_and_a_dropped_one_weighs_nothing() -> None:
    rows = decision_rows(_pool("b", "a"), [Verdict(DecisionReason.NEAR_DUPLICATE, "a", 0.9), KEPT])

    common = {"score": 0.1, "educational_score": None, "stratum": "e/success/hard", "split": "train"}
    assert rows == [
        {
            "traj_id": "a",
            "decision": "keep",
            "stage": "select",
            "reason": "kept",
            "reference_id": None,
            "similarity": None,
            "keeper_rule": None,
            "weight": 1.5,
            **common,
        },
        {
            "traj_id": "b",
            "decision": "drop",
            "stage": "copies",
            "reason": "near_duplicate",
            "reference_id": "a",
            "similarity": 0.9,
            "keeper_rule": "fewest_steps",
            "weight": 0.0,
            **common,
        },
    ]


def test_decision_names_the_stage_that_found_the_reason() -> None:
    reasons = list(DecisionReason)

    rows = decision_rows(_pool(*reasons), [Verdict(reason) for reason in reasons])

    stages = {row["reason"]: row["stage"] for row in rows}
    assert stages.pop("exact_copy") == "copies"
    assert stages.pop("near_duplicate") == "copies"
    assert stages.pop("cut_copy") == "copies"
    assert stages.pop("semantic_duplicate") == "similar"
    assert stages.pop("in_reference_set") == "references"
    assert set(stages.values()) == {"select"}


@given(st.lists(st.sampled_from(list(DecisionReason)), max_size=8), st.sets(st.integers(0, 7)))
def test_kept_and_dropped_are_all_that_was_seen(reasons: list[DecisionReason], chosen: set[int]) -> None:
    ids = [f"t{number}" for number in range(len(reasons))]
    verdicts = [Verdict(reason) for reason in reasons]

    narrowed = narrow_verdicts(verdicts, ids, chosen={f"t{number}" for number in chosen}, reason=DecisionReason.BUDGET)
    rows = decision_rows(_pool(*ids), narrowed) if ids else []

    assert [row["traj_id"] for row in rows] == ids
    kept = sum(row["decision"] == "keep" for row in rows)
    assert kept + sum(row["decision"] == "drop" for row in rows) == len(ids)
    assert kept == sum(reason == DecisionReason.KEPT and number in chosen for number, reason in enumerate(reasons))
