from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import OutcomeClass
from schemas.tables import SCHEMAS
from transforms.judging.outcomes import outcome_classes, outcome_values, thresholds

_COLUMNS = ["traj_id", "env_name", "env_type", "reward", "reward_components", "scored", "reward_valid", "termination"]
_SCHEMA = pa.schema([SCHEMAS["trajectories"].field(name) for name in _COLUMNS])


def _rollouts(*rows: dict[str, Any]) -> pa.Table:
    default = {
        "env_name": "airline",
        "env_type": "dialog",
        "reward": 1.0,
        "reward_components": [],
        "scored": True,
        "reward_valid": True,
        "termination": "finished",
    }
    return pa.Table.from_pylist([{"traj_id": f"t{i}"} | default | row for i, row in enumerate(rows)], _SCHEMA)


def _acted(**acted: bool) -> pa.Table:
    return pa.table(
        {
            "traj_id": pa.array(list(acted), pa.string()),
            "agent_acted": pa.array(list(acted.values()), pa.bool_()),
        }
    )


def _classes(table: pa.Table, acted: pa.Table | None = None, **settings: Any) -> list[str]:
    default: dict[str, Any] = {"success_threshold": 1.0, "by_environment": {}, "component": None}
    return [str(c) for c in outcome_classes(table, _acted() if acted is None else acted, **(default | settings))]


def test_success_reaches_the_threshold() -> None:
    table = _rollouts({"reward": 1.0}, {"reward": 0.999}, {"reward": 0.0}, {"reward": -1.0})

    assert _classes(table) == ["success", "failure", "failure", "failure"]
    assert _classes(table, success_threshold=0.0) == ["success", "success", "success", "failure"]


def test_rollout_without_a_reward_is_unscored_and_never_a_failure() -> None:
    table = _rollouts({"reward": None}, {"reward": 0.0, "scored": False}, {"reward": float("nan")})

    assert _classes(table) == ["unscored"] * 3


def test_invalid_reward_comes_before_unscored() -> None:
    table = _rollouts({"reward_valid": False}, {"reward_valid": False, "reward": None})

    assert _classes(table) == ["invalid"] * 2


def test_infrastructure_error_is_invalid_only_where_the_agent_never_acted() -> None:
    infra = {"termination": "infra_error", "reward": 0.0}
    table = _rollouts(infra, infra, infra, {"reward": 0.0})

    assert _classes(table, _acted(t0=False, t1=True, t3=False)) == ["invalid", "failure", "failure", "failure"]


def test_unit_tests_decide_where_the_reward_sums_them_with_process_rewards() -> None:
    table = _rollouts(
        {"reward": 1.3, "reward_components": [("unit_test_pass", 0.0), ("compile_success", 1.0)]},
        {"reward": 0.5, "reward_components": [("unit_test_pass", 1.0)]},
        {"reward": 1.0, "reward_components": [("compile_success", 0.0)]},
        {"reward": 1.0, "reward_components": None},
        {"reward": 1.0, "reward_components": [("unit_test_pass", None)]},
    )

    assert outcome_values(table, None) == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert _classes(table) == ["failure", "success", "success", "success", "success"]


def test_named_component_decides_and_a_rollout_without_it_falls_back() -> None:
    table = _rollouts(
        {"reward": 0.0, "reward_components": [("db_match", 1.0), ("unit_test_pass", 0.0)]},
        {"reward": 0.0, "reward_components": [("unit_test_pass", 0.75)]},
        {"reward": 0.5},
        {"reward": 0.25, "reward_components": [("db_match", float("nan"))]},
        {"reward": None, "reward_components": [("db_match", 1.0)]},
    )

    assert outcome_values(table, "db_match") == [1.0, 0.75, 0.5, 0.25, None]


def test_environment_has_a_threshold_of_its_own() -> None:
    table = _rollouts({"reward": 0.5}, {"reward": 0.5, "env_name": None, "env_type": "terminal"})

    assert thresholds(table, 1.0, by_environment={"terminal": 0.5}) == [1.0, 0.5]
    assert _classes(table, by_environment={"terminal": 0.5}) == ["failure", "success"]


def test_empty_table_has_no_outcomes() -> None:
    assert _classes(_rollouts()) == []


@given(
    st.lists(st.one_of(st.none(), st.floats(-2, 2)), max_size=8),
    st.floats(-1, 1),
    st.randoms(use_true_random=False),
)
def test_outcome_depends_on_the_row_alone(rewards: list[float | None], threshold: float, random: Any) -> None:
    rows = [{"traj_id": f"t{i}", "reward": reward} for i, reward in enumerate(rewards)]
    shuffled = random.sample(rows, len(rows))
    expected = dict(
        zip([row["traj_id"] for row in rows], _classes(_rollouts(*rows), success_threshold=threshold), strict=True)
    )

    got = _classes(_rollouts(*shuffled), success_threshold=threshold)

    assert got == [expected[row["traj_id"]] for row in shuffled]
    assert sum(outcome == OutcomeClass.UNSCORED for outcome in got) == sum(reward is None for reward in rewards)


@pytest.mark.parametrize("termination", ["finished", "timeout_agent", "unknown"])
def test_agent_that_did_nothing_for_another_reason_has_failed(termination: str) -> None:
    table = _rollouts({"reward": 0.0, "termination": termination})

    assert _classes(table, _acted(t0=False)) == ["failure"]
