import random

import pytest

from tests.unseen_later import KINDS as LATER_KINDS
from tests.unseen_later import draw_later
from tests.unseen_prints import KINDS as PRINT_KINDS
from tests.unseen_prints import draw_print
from tests.unseen_secrets import KINDS, draw_unseen
from transforms.redaction.engine import Redactor

# Values with brackets, unquoted in half of the carriers: a shell would not read them whole either.
KNOWN_LOW = {
    # Values with brackets, unquoted in half of the carriers: a shell would not read them whole either.
    "django_secret": 0.6,
}
BAR = 0.97


def _low_recalls(draw, kinds, *, per_kind: int, seed: int) -> dict[str, float]:
    redactor, low = Redactor(), {}
    for kind in kinds:
        rng = random.Random(f"{seed} {kind}")
        planted = [draw(kind, rng)[1] for _ in range(per_kind)]
        recall = sum(not one.is_left_in(redactor.redact_text(one.text)) for one in planted) / per_kind
        if recall < KNOWN_LOW.get(kind, BAR):
            low[kind] = recall
    return low


def test_tokens_are_found_as_tools_print_them():
    assert _low_recalls(draw_unseen, KINDS, per_kind=34, seed=1) == {}


def test_tokens_are_found_in_code_and_commands():
    assert _low_recalls(draw_later, LATER_KINDS, per_kind=34, seed=1) == {}


def test_values_are_found_as_programs_print_them_with_their_names():
    assert _low_recalls(draw_print, PRINT_KINDS, per_kind=100, seed=1) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "kinds"),
    [(draw_unseen, KINDS), (draw_later, LATER_KINDS), (draw_print, PRINT_KINDS)],
    ids=["first", "later", "prints"],
)
def test_recall_of_every_kind_in_many_places(draw, kinds):
    assert _low_recalls(draw, kinds, per_kind=300, seed=2) == {}
