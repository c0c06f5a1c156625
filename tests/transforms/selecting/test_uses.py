from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.selecting.uses import kto_uses, rl_uses, sft_uses, task_weight
from transforms.store.keys import short_id

_SCHEMA = pa.schema(
    [
        ("traj_id", pa.string()),
        ("task_key", pa.string()),
        ("outcome_class", pa.string()),
        ("is_infrastructure", pa.bool_()),
        ("is_kept", pa.bool_()),
        ("num_agent_steps", pa.int32()),
        ("has_audit_flag", pa.bool_()),
        ("safety_severity", pa.int8()),
        ("weight", pa.float64()),
        ("split", pa.string()),
    ]
)


def _rollouts(*rows: dict[str, Any]) -> pa.Table:
    default = {
        "task_key": "id:1",
        "outcome_class": "success",
        "is_infrastructure": False,
        "is_kept": True,
        "num_agent_steps": 3,
        "has_audit_flag": False,
        "safety_severity": 0,
        "weight": 1.5,
        "split": "train",
    }
    return pa.Table.from_pylist([{"traj_id": f"t{n}"} | default | row for n, row in enumerate(rows)], _SCHEMA)


@pytest.mark.parametrize(
    ("facts", "kto", "sft"),
    [
        ({}, "used", "used"),
        ({"outcome_class": "failure"}, "used", "not_a_success"),
        ({"outcome_class": "unscored"}, "unscored", "unscored"),
        ({"outcome_class": "invalid", "is_kept": False}, "invalid_reward", "invalid_reward"),
        ({"is_kept": False}, "dropped_from_pool", "dropped_from_pool"),
        ({"outcome_class": "failure", "is_infrastructure": True}, "infrastructure", "not_a_success"),
        ({"is_infrastructure": True}, "used", "used"),
        ({"num_agent_steps": 0}, "no_assistant_turn", "no_assistant_turn"),
        ({"num_agent_steps": 1}, "used", "used"),
        ({"has_audit_flag": True}, "reward_audit", "reward_audit"),
        ({"has_audit_flag": True, "outcome_class": "failure"}, "used", "not_a_success"),
        ({"safety_severity": 1}, "used", "used"),
        ({"safety_severity": 2}, "unsafe", "unsafe"),
        ({"safety_severity": 3, "outcome_class": "failure"}, "used", "not_a_success"),
    ],
)
def test_each_candidate_has_one_reason_in_each_dataset(facts: dict[str, Any], kto: str, sft: str) -> None:
    table = _rollouts(facts)

    assert [use["reason"] for use in kto_uses(table)] == [kto]
    assert [use["reason"] for use in sft_uses(table)] == [sft]


def test_uses_are_whole_rows_sorted_by_id() -> None:
    table = _rollouts({"traj_id": "b", "is_kept": False, "weight": 0.0}, {"traj_id": "a"})

    common = {"dataset": "kto", "role": "sample", "task_key": "id:1", "split": "train"}
    assert kto_uses(table) == [
        {"traj_id": "a", "row_id": short_id("kto", "a"), "used": True, "reason": "used", "weight": 1.5, **common},
        {"traj_id": "b", "row_id": None, "used": False, "reason": "dropped_from_pool", "weight": 0.0, **common},
    ]
    demonstration = sft_uses(table)[0]
    assert (demonstration["dataset"], demonstration["role"]) == ("sft", "demonstration")
    assert demonstration["row_id"] == short_id("sft", "a")


def test_rl_rows_are_tasks() -> None:
    tasks = pa.table(
        {
            "task_key": ["id:b", "id:a"],
            "decision": ["mastered", "train"],
            "reason": ["all_pass", "mixed"],
            "weight": [0.0, 1.0],
            "split": ["train", "validation"],
        }
    )

    assert rl_uses(tasks, seed=0, share=0.1, unsolved_share=0.02) == [
        {
            "dataset": "rl",
            "role": "prompt",
            "traj_id": None,
            "task_key": "id:a",
            "row_id": short_id("rl", "id:a"),
            "used": True,
            "reason": "used",
            "weight": 1.0,
            "split": "validation",
        },
        {
            "dataset": "rl",
            "role": "prompt",
            "traj_id": None,
            "task_key": "id:b",
            "row_id": None,
            "used": False,
            "reason": "no_signal",
            "weight": 0.0,
            "split": "train",
        },
    ]


def test_task_that_teaches_nothing_weighs_nothing() -> None:
    decisions = ("train", "hard_seed", "unsolved", "mastered", "unscored")

    assert [task_weight(decision) for decision in decisions] == [1.0, 1.0, 1.0, 0.0, 0.0]


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "outcome_class": st.sampled_from(["success", "failure", "unscored", "invalid"]),
                "is_kept": st.booleans(),
                "is_infrastructure": st.booleans(),
                "has_audit_flag": st.booleans(),
                "safety_severity": st.integers(0, 3),
                "num_agent_steps": st.integers(0, 2),
            }
        ),
        min_size=1,
        max_size=6,
    )
)
def test_only_kept_rollouts_are_used_and_a_demonstration_is_always_a_sample(rows: list[dict[str, Any]]) -> None:
    table = _rollouts(*rows)
    kto, sft = kto_uses(table), sft_uses(table)

    assert [use["traj_id"] for use in kto] == [use["traj_id"] for use in sft] == table["traj_id"].to_pylist()
    for sample, demonstration, row in zip(kto, sft, rows, strict=True):
        assert row["is_kept"] or not sample["used"]
        assert sample["used"] or not demonstration["used"]
