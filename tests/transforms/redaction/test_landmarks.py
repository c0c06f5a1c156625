import random

import numpy as np
import pytest

from tests.unseen_prints import KINDS, draw_print
from transforms.redaction.landmarks import AHEAD, BEFORE, BELOW, COLUMN, FAR, looks
from transforms.redaction.named import named_values

VALUE = "harborA1b2C3d4E5f6G7h8"


def _looks(text: str, name: str) -> int:
    start = text.index(name)
    return int(looks(text.encode(), np.array([start]), np.array([start + len(name)]))[0])


@pytest.mark.parametrize(
    ("text", "look"),
    [
        (f"token={VALUE}", AHEAD),
        (f"token: '{VALUE}'", AHEAD),
        (f"the token that was sent is {VALUE}", FAR),
        (f"the token:\n{VALUE}\n", BELOW),
        (f"'{VALUE}'  # token", BEFORE),
        (f"id|token|host\n7|{VALUE}|b\n", COLUMN),
        (f"id   token   host\n7    {VALUE}  b\n", COLUMN),
    ],
)
def test_a_look_is_asked_for_where_a_value_stands(text, look):
    assert _looks(text, "token") & look


@pytest.mark.parametrize(
    "text",
    ["token=a1b2c3 token=a1b2c3", "token='a1b2c3d' ", "token|a1,token|a1", f"token: \0{VALUE}", "token of the house"],
)
def test_no_look_is_asked_for_where_no_value_can_stand(text):
    assert _looks(text, "token") == 0


def test_of_many_names_in_one_run_the_first_are_looked_from():
    text = b"token1:" * 100
    starts = np.arange(0, len(text), 7)
    asked = looks(text, starts, starts + 5)
    assert asked[0] & AHEAD
    assert not asked[20:].any()


def test_values_among_many_names_are_found_as_alone():
    rng = random.Random(5)
    for kind in sorted(KINDS):
        for _ in range(20):
            text = draw_print(kind, rng)[1].text.encode() + b"\0"
            alone = list(named_values(text))
            together = list(named_values(text + b"token=1\0" * 2 * max(40, len(text) // 300)))
            assert set(alone) <= set(together)


def test_a_value_on_the_last_line_of_one_of_many_texts_is_found():
    assert len(list(named_values(f"the token:\n{VALUE}\0next".encode()))) == 1
