import pytest

from schemas.reasons import QuarantineReason
from transforms.formats.inspect_scores import Scored, scored_by
from transforms.formats.rewards import Reward
from transforms.reading.failures import RecordError

RANGE = (-1000.0, 1000.0)


def scored(value):
    return scored_by({"scores": {"s": {"value": value, "answer": "a"}}}, RANGE)


@pytest.mark.parametrize(
    ("value", "reward", "success", "components", "warnings"),
    [
        ("C", Reward(1.0, "C"), True, {"s": 1.0}, ()),
        ("I", Reward(0.0, "I"), False, {"s": 0.0}, ()),
        ("P", Reward(0.5, "P"), None, {"s": 0.5}, ()),
        ("N", Reward(0.0, "N"), False, {"s": 0.0}, ()),
        ("c", None, None, {}, ()),
        (0.25, Reward(0.25, "0.25"), None, {"s": 0.25}, ()),
        (True, Reward(1.0, "true"), True, {"s": 1.0}, ()),
        ("yes", Reward(1.0, "yes"), None, {"s": 1.0}, ()),
        (None, Reward(None, "null"), None, {}, ()),
        (["C"], Reward(1.0, '["C"]'), None, {"s": 1.0}, ()),
        ([1, 0], None, None, {}, ()),
        ({"total": "P", "x": 1}, Reward(0.5, '{"total":"P","x":1}'), None, {"s.total": 0.5, "s.x": 1.0}, ()),
        ({"x": "C", "y": None}, Reward(None, '{"x":"C","y":null}'), None, {"s.x": 1.0}, ("score_has_parts_only",)),
        ({}, Reward(None, "{}"), None, {}, ()),
    ],
)
def test_values_of_all_shapes(value, reward, success, components, warnings):
    if reward is None:
        with pytest.raises(RecordError) as caught:
            scored(value)
        assert caught.value.reason is QuarantineReason.INVALID_REWARD
        return
    assert scored(value) == Scored(reward, "s", success, components, "a", warnings)


def test_first_of_several_scorers_is_the_reward():
    scores = {"b": {"value": "I"}, "a": {"value": 1}, "text": {"value": "well done"}}
    expected = Scored(Reward(0.0, "I"), "b", False, {"b": 0.0, "a": 1.0}, None, ("several_scores",))
    assert scored_by({"scores": scores}, RANGE) == expected


@pytest.mark.parametrize("sample", [{}, {"scores": None}, {"scores": {}}])
def test_sample_without_scores_is_not_scored(sample):
    assert scored_by(sample, RANGE) == Scored()


def test_early_logs_hold_one_score():
    assert scored_by({"score": {"value": "C"}}, RANGE).reward == Reward(1.0, "C")
