import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.judging.near_miss import partial_results, sibling_aucs


def _rollouts(*rows: tuple[float | None, int | None, int | None]) -> pa.Table:
    schema = pa.schema([("reward", pa.float64()), ("tests_passed", pa.int32()), ("tests_failed", pa.int32())])
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def test_partial_result_is_the_share_of_tests_passed_where_tests_were_counted() -> None:
    table = _rollouts((0.0, 3, 1), (0.5, 0, 2), (0.5, 0, 0), (0.5, None, 2), (0.5, 2, None))

    assert partial_results(table, [1.0] * 5) == [0.75, 0.0, 0.5, 0.5, 0.5]


def test_partial_result_is_else_the_reward_as_a_share_of_the_threshold() -> None:
    table = _rollouts((0.5, None, None), (-1.0, None, None), (3.0, None, None), (None, None, None), (0.5, None, None))

    assert partial_results(table, [2.0, 1.0, 1.0, 1.0, 0.0]) == [0.25, 0.0, 1.0, None, None]


def test_reward_that_is_no_number_tells_nothing() -> None:
    assert partial_results(_rollouts((float("nan"), None, None)), [1.0]) == [None]


def _aucs(*rows: tuple[str, str, str, float | None]) -> dict[str, float]:
    environments, tasks, outcomes, partials = zip(*rows, strict=True)
    return sibling_aucs(environments, tasks, outcomes=outcomes, partials=partials)


def test_auc_is_one_where_near_misses_are_of_solved_tasks_and_zero_where_they_are_not() -> None:
    near = (
        ("e", "a", "success", 1.0),
        ("e", "a", "failure", 0.8),
        ("e", "b", "failure", 0.1),
        ("e", "b", "failure", 0.2),
    )
    far = (
        ("f", "c", "success", 1.0),
        ("f", "c", "failure", 0.1),
        ("f", "d", "failure", 0.7),
        ("f", "d", "failure", 0.9),
    )

    assert _aucs(*near, *far) == {"e": 1.0, "f": 0.0}


def test_auc_counts_pairs_of_failure_and_sibling_with_ties_half() -> None:
    rows = (
        ("e", "a", "success", 1.0),
        ("e", "a", "failure", 0.5),
        ("e", "a", "failure", 0.2),
        ("e", "b", "failure", 0.5),
        ("e", "b", "failure", 0.0),
        ("e", "b", "unscored", None),
        ("e", "b", "failure", None),
    )

    # positives: .5 and .2, one solved sibling each; negatives: .5 (1 + 2), .2 (1), 0 (2)
    assert _aucs(*rows) == {"e": pytest.approx(((1 + 2 + 1.5) + (2 + 0.5)) / (2 * 6))}


def test_environment_whose_siblings_all_end_alike_has_no_auc() -> None:
    assert _aucs(("e", "a", "failure", 0.5), ("e", "a", "failure", 0.1)) == {}
    assert _aucs(("e", "a", "failure", 0.5), ("e", "a", "success", 1.0)) == {}
    assert _aucs(("e", "a", "failure", None), ("e", "a", "success", None)) == {}


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ef"),
            st.sampled_from("ab"),
            st.sampled_from(["success", "failure", "unscored"]),
            st.sampled_from([None, 0.0, 0.5, 1.0]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_auc_is_bounded_and_free_of_the_order(rows: list[tuple[str, str, str, float | None]], random: object) -> None:
    aucs = _aucs(*rows)

    assert all(0 <= auc <= 1 for auc in aucs.values())
    assert _aucs(*random.sample(rows, len(rows))) == pytest.approx(aucs)  # type: ignore[attr-defined]
