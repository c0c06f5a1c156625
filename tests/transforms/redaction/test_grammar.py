import random

import pytest

from tests.unseen_grammar import KINDS, draw_grammar
from transforms.redaction.engine import Redactor

KNOWN_LOW = {
    # Eight letters and digits: one in four has no digit, and what has one may read as a name.
    "passcode": 0.9,
    # Words joined by dots and underscores, without quotes, read as names in code.
    "phrase": 0.9,
    # Passwords with an equals sign or a bracket in their midst end there where nothing closes them.
    "store": 0.94,
    "database": 0.94,
    "strong": 0.93,
    # Small letters with two digits read as a word with a number in prose.
    "lower 20": 0.94,
}
BAR = 0.97


def _low_recalls(half: int, *, per_kind: int, slack: float) -> dict[str, float]:
    redactor, low = Redactor(), {}
    for kind in KINDS:
        rng = random.Random(f"{half} {kind}")
        planted = [draw_grammar(kind, rng, half=half)[1] for _ in range(per_kind)]
        recall = sum(not one.is_left_in(redactor.redact_text(one.text)) for one in planted) / per_kind
        if recall < KNOWN_LOW.get(kind, BAR) - slack:
            low[kind] = recall
    return low


@pytest.mark.parametrize("half", [0, 1])
def test_every_name_and_value_is_found_in_every_place(half):
    # One more of 40 may be left than the bar says.
    assert _low_recalls(half, per_kind=40, slack=0.03) == {}


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_recall_of_every_name_and_value_in_many_places(half):
    assert _low_recalls(half, per_kind=400, slack=0) == {}
