from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.selecting.keepers import SETTLED_RULE, deciding_rules, is_verified, keeper_ranks

_DEFAULT_ORDER = ["best_reward", "no_audit_flag", "fewest_steps", "smallest_id"]
_SCHEMA = pa.schema(
    [
        ("traj_id", pa.string()),
        ("reward", pa.float64()),
        ("has_audit_flag", pa.bool_()),
        ("num_agent_steps", pa.int32()),
        ("token_count", pa.int64()),
    ]
)


def _rows(**rows: tuple[float | None, bool | None, int | None, int | None]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(_SCHEMA.names, (name, *values), strict=True)) for name, values in rows.items()], _SCHEMA
    )


def _order(table: pa.Table, rules: list[str]) -> list[str]:
    ids = table.column("traj_id").to_pylist()
    return [ids[row] for row in np.argsort(keeper_ranks(table, rules))]


def test_first_rule_decides_first_and_the_smallest_id_last() -> None:
    table = _rows(
        e=(1.0, False, 3, 10),
        d=(1.0, False, 3, 10),
        c=(1.0, False, 2, 10),
        b=(1.0, True, 1, 10),
        a=(0.5, False, 1, 10),
    )

    assert _order(table, _DEFAULT_ORDER) == ["c", "d", "e", "b", "a"]
    assert keeper_ranks(table, _DEFAULT_ORDER).tolist() == [2, 1, 0, 3, 4]
    assert keeper_ranks(table, _DEFAULT_ORDER).dtype == np.int64


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("best_reward", ["b", "a", "c", "d"]),
        ("no_audit_flag", ["a", "c", "b", "d"]),
        ("fewest_steps", ["c", "b", "a", "d"]),
        ("most_steps", ["a", "b", "c", "d"]),
        ("fewest_tokens", ["b", "c", "a", "d"]),
        ("smallest_id", ["a", "b", "c", "d"]),
    ],
)
def test_each_rule_points_its_own_way_and_puts_the_unknown_last(rule: str, expected: list[str]) -> None:
    table = _rows(
        d=(None, None, None, None),
        a=(-0.5, False, 9, 900),
        b=(2.0, True, 5, 100),
        c=(-1.0, False, 1, 500),
    )

    assert _order(table, [rule]) == expected


def test_rules_after_the_smallest_id_say_nothing() -> None:
    table = _rows(b=(1.0, False, 1, 1), a=(0.0, True, 9, 9))

    assert _order(table, ["smallest_id", "best_reward"]) == ["a", "b"]


def test_what_the_rules_leave_equal_goes_to_the_smallest_id() -> None:
    table = _rows(b=(1.0, False, 1, 1), a2=(1.0, True, 9, 9), a10=(1.0, False, 5, 5))

    assert _order(table, ["best_reward"]) == ["a10", "a2", "b"]


def test_reward_that_is_no_number_is_unknown() -> None:
    table = _rows(a=(float("nan"), False, 1, 1), b=(-9.0, False, 1, 1))

    assert _order(table, ["best_reward"]) == ["b", "a"]


def test_rule_reads_only_its_own_column() -> None:
    table = pa.table({"traj_id": ["a", "b"], "reward": [0.0, 1.0]})

    assert keeper_ranks(table, ["best_reward", "smallest_id"]).tolist() == [1, 0]


def test_missing_column_is_refused_by_name() -> None:
    with pytest.raises(
        ValueError, match="keeper rule 'fewest_tokens' needs the column 'token_count', got \\['traj_id'\\]"
    ):
        keeper_ranks(pa.table({"traj_id": ["a"]}), ["fewest_tokens"])


def test_unknown_rule_is_refused_and_the_known_are_named() -> None:
    with pytest.raises(ValueError, match="unknown keeper rule 'newest', known: \\['best_reward', .*'verified'\\]"):
        keeper_ranks(pa.table({"traj_id": ["a"]}), ["newest"])


def test_id_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="traj_id must be unique to rank keepers"):
        keeper_ranks(pa.table({"traj_id": ["a", "b", "a"]}), ["smallest_id"])


def test_no_rows_have_no_ranks() -> None:
    assert keeper_ranks(_rows(), _DEFAULT_ORDER).tolist() == []


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.tuples(
            st.sampled_from([None, 0.0, 1.0]),
            st.sampled_from([None, False, True]),
            st.sampled_from([None, 1, 2]),
            st.sampled_from([None, 5, 6]),
        ),
        max_size=12,
    ),
    st.permutations(["best_reward", "no_audit_flag", "fewest_steps", "fewest_tokens"]),
    st.randoms(use_true_random=False),
)
def test_keeper_order_is_total_and_free_of_the_input_order(
    rows: dict[str, Any], rules: list[str], random: Any
) -> None:
    shuffled = dict(random.sample(list(rows.items()), len(rows)))

    ranks = keeper_ranks(_rows(**rows), rules)

    assert sorted(ranks.tolist()) == list(range(len(rows)))
    assert _order(_rows(**rows), rules) == _order(_rows(**shuffled), rules)


def test_rule_that_decided_is_named() -> None:
    table = _rows(
        a=(1.0, False, 9, 10),
        b=(0.5, False, 2, 10),
        c=(1.0, False, 12, 10),
        d=(1.0, False, 9, 99),
        e=(1.0, False, 3, 10),
        f=(None, None, None, None),
    )

    rules = deciding_rules(table, ["a", "a", "a", "a", "a", "a"], _DEFAULT_ORDER)

    assert rules == [None, "best_reward", "fewest_steps", "smallest_id", SETTLED_RULE, "best_reward"]
    assert deciding_rules(table, ["d", *"bcdef"], _DEFAULT_ORDER)[0] == SETTLED_RULE


def test_reward_is_verified_by_tests_or_components() -> None:
    components = pa.map_(pa.string(), pa.float64())
    trajectories = pa.table(
        {
            "tests_passed": pa.array([3, None, None, None], pa.int32()),
            "tests_failed": pa.array([None, None, None, None], pa.int32()),
            "reward_components": pa.array([None, [("compile", 1.0)], [], None], components),
        }
    )

    assert is_verified(trajectories).to_pylist() == [True, True, False, False]
