import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from transforms.formats.rewards import (
    CONFLICTING_LABEL,
    MISSING,
    Reward,
    convert_components,
    convert_reward,
    convert_token_scores,
    number_said,
    unread_components,
)
from transforms.reading.failures import RecordError

RANGE = (-1000.0, 1000.0)


@pytest.mark.parametrize(
    ("raw", "value", "written"),
    [
        (1, 1.0, "1"),
        (0.5, 0.5, "0.5"),
        (True, 1.0, "true"),
        (False, 0.0, "false"),
        ("True", 1.0, "True"),
        ("False", 0.0, "False"),
        (" PASS ", 1.0, " PASS "),
        ("fail", 0.0, "fail"),
        ("1.0", 1.0, "1.0"),
        ("-2e-1", -0.2, "-2e-1"),
        ("", None, ""),
        ("nan", None, "nan"),
        ("1e999", None, "1e999"),
        (None, None, "null"),
        (MISSING, None, None),
        ([1.0], 1.0, "[1.0]"),
        ([], None, "[]"),
        ({"total": 0.7}, 0.7, '{"total":0.7}'),
        ({}, None, "{}"),
        ({"total": None, "reward": 1}, 1.0, '{"total":null,"reward":1}'),
        ({"total": None}, None, '{"total":null}'),
        ("Not solved", 0.0, "Not solved"),
        ("50%", 0.5, "50%"),
        ("skipped", None, "skipped"),
        ("Timeout", None, "Timeout"),
        ("not_solved", 0.0, "not_solved"),
        ("Did not pass", 0.0, "Did not pass"),
        ("accepted", 1.0, "accepted"),
        ("50 %", 0.5, "50 %"),
        ("NOT_GRADED", None, "NOT_GRADED"),
        ("in-progress", None, "in-progress"),
        ("-", None, "-"),
        ("-1", -1.0, "-1"),
        ("sandbox_error", None, "sandbox_error"),
        ("verifier timed out", None, "verifier timed out"),
    ],
)
def test_conversion_table(raw, value, written):
    assert convert_reward(raw, RANGE) == Reward(value, written)


def test_an_object_whose_labels_deny_each_other_is_not_scored():
    raw = {"score": "PASS", "reward": 0}
    assert convert_reward(raw, RANGE) == Reward(None, '{"score":"PASS","reward":0}', ("conflicting_label",))
    assert convert_reward({"score": 0.5, "reward": 0}, RANGE).value == 0.0


@pytest.mark.parametrize("raw", ["maybe", "ok", "%", "1.0.0", "0x10", "1_000", "٣", [1, 0], {"steps": 3}, ["maybe"]])
def test_what_the_table_has_no_rule_for_is_set_aside(raw):
    with pytest.raises(RecordError) as caught:
        convert_reward(raw, RANGE)
    assert caught.value.reason is QuarantineReason.INVALID_REWARD


@pytest.mark.parametrize("raw", [-1, 1e9, "1e9"])
def test_reward_out_of_range_is_kept_but_not_scored(raw):
    reward = convert_reward(raw, (0.0, 1.0))
    assert (reward.value, reward.warnings) == (None, ("reward_out_of_range",))
    assert float(reward.raw) == float(raw)


@given(raw=st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=6), st.lists))
def test_a_reward_is_finite_unscored_or_refused(raw):
    try:
        value = convert_reward(raw, RANGE).value
    except RecordError:
        return
    assert value is None or math.isfinite(value)


def test_components_keep_what_is_scored():
    raw = {"unit_test_pass": True, "compile_success": "0.2", "loc": None, "other": "maybe"}
    assert convert_components(raw) == {"unit_test_pass": 1.0, "compile_success": 0.2}
    assert convert_components([1]) == {}


def test_rwd_01_every_spelling_is_converted_or_set_aside(shared_dir):
    path = shared_dir / "cases" / "inputs" / "RWD-01" / "data" / "part-0.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    values = [convert_reward(record.get("reward", MISSING), (0.0, 1.0)).value for record in records]
    assert values == [1, 0, 1, 0.5, 1, 0, 1, 0, 1, 1, None, None, 1, 0.7, None, None, None, None]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([0, 0, 1.5], Reward(1.5, "[0,0,1.5]")),
        ([1], Reward(1.0, "[1]")),
        ([], Reward(None, "[]")),
        (0.5, Reward(0.5, "0.5")),
        ([900, 900], Reward(None, "[900,900]", ("reward_out_of_range",))),
        (MISSING, Reward(None, None)),
    ],
)
def test_token_scores_are_summed(raw, expected):
    assert convert_token_scores(raw, RANGE) == expected


@pytest.mark.parametrize("raw", [[1, None], [True], ["1"], [[1]]])
def test_token_scores_that_are_no_numbers_are_set_aside(raw):
    with pytest.raises(RecordError):
        convert_token_scores(raw, RANGE)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("pass", 1.0),
        ([0.5], 0.5),
        (True, 1.0),
        ("0.10", 0.1),
        ("1e-7", 1e-7),
        (None, None),
        ("good", None),
        ([1, 2], None),
    ],
)
def test_step_reward_goes_by_the_table_and_is_none_without_a_rule(raw, value):
    assert number_said(raw) == value


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ({"a": "great", "b": 0.5, "c": [1, 2], "d": None, "e": "pass"}, {"p.a", "p.c"}),
        ([1, 2], {"p"}),
        ("x", {"p"}),
        (0.5, {"p"}),
        (None, set()),
        ([], set()),
        ("", set()),
        (MISSING, set()),
    ],
)
def test_components_that_have_no_number_are_named(raw, names):
    assert unread_components(raw, prefix="p") == names


@pytest.mark.parametrize("word", ["ok", "tie", "partial", "5/10", "max_steps"])
def test_a_word_that_is_no_verdict_and_no_fault_sets_the_record_aside(word):
    with pytest.raises(RecordError, match="no rule for the reward"):
        convert_reward(word, RANGE)


@pytest.mark.parametrize(
    "labels",
    [{"reward": 1, "passed": False}, {"score": 0, "success": True}, {"total": "PASS", "is_correct": False},
     {"resolved": True, "patch_successfully_applied": False}],
)  # fmt: skip
def test_an_object_whose_witness_denies_its_label_is_not_scored(labels):
    assert convert_reward(labels, RANGE)[::2] == (None, (CONFLICTING_LABEL,))


@pytest.mark.parametrize("labels", [{"reward": 1, "passed": 0}, {"reward": 0, "patch_successfully_applied": True}])
def test_a_count_of_tests_or_an_applied_patch_denies_nothing(labels):
    assert convert_reward(labels, RANGE).value == labels["reward"]
