import random
from collections import Counter

import pytest

from tests.held_out_secrets import CONTEXTUAL, FIXED, draw_contextual, draw_fixed
from transforms.redaction.engine import Redactor


def _recalls(draw, kinds, *, seed: int, per_kind: int) -> dict[str, float]:
    rng, redactor = random.Random(seed), Redactor()
    found = Counter()
    for kind in kinds:
        for _ in range(per_kind):
            drawn = draw(rng, kind)
            found[kind] += drawn.secret not in redactor.redact_text(drawn.text)
    return {kind: found[kind] / per_kind for kind in kinds}


def test_tokens_that_the_rules_were_not_written_on_are_found_glued_and_alone():
    recalls = _recalls(draw_fixed, FIXED, seed=1, per_kind=20)
    assert {kind: recall for kind, recall in recalls.items() if recall < 1 and kind != "netlify"} == {}
    assert sum(recalls.values()) / len(recalls) >= 0.97


def test_values_in_surroundings_that_the_rules_were_not_written_on_are_found():
    recalls = _recalls(draw_contextual, CONTEXTUAL, seed=2, per_kind=20)
    assert {kind: recall for kind, recall in recalls.items() if recall < 0.9} == {}
    assert sum(recalls.values()) / len(recalls) >= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_recall_on_kinds_and_places_not_written_on(seed):
    recalls = _recalls(draw_fixed, FIXED, seed=seed, per_kind=60)
    recalls |= _recalls(draw_contextual, CONTEXTUAL, seed=seed, per_kind=60)
    print(
        f"recall {sum(recalls.values()) / len(recalls):.4f} over {len(recalls)} kinds, least {min(recalls.values())}"
    )
    assert sum(recalls.values()) / len(recalls) >= 0.97
