"""What redaction leaves and what it takes wrongly, counted in full.

Tokens of fixed forms in every field (alone, glued to words, split, wrapped); recall by kind on kinds and surroundings
that the rules were not written on; benign lines of hashes, ids and paths that change.

    python -m tests.benchmarks.count_redaction --tokens 10000 --per-kind 500 --lines 100000
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable

from schemas.records import Rollout
from tests.benign_lines import benign_lines
from tests.held_out_secrets import CONTEXTUAL, FIXED, HeldOut, draw_contextual, draw_fixed
from tests.planted_secrets import PLACES, is_left, plant_encoded, plant_split
from tests.rule_examples import EXAMPLES, draw_example
from tests.unseen_carriers import Planted, is_still_in
from tests.unseen_grammar import KINDS as GRAMMAR_KINDS
from tests.unseen_grammar import draw_grammar
from tests.unseen_later import KINDS as LATER_KINDS
from tests.unseen_later import draw_later
from tests.unseen_prints import KINDS as PRINT_KINDS
from tests.unseen_prints import draw_print
from tests.unseen_secrets import KINDS, draw_unseen
from transforms.redaction.engine import Redactor
from transforms.redaction.rules import SECRET_RULES


def main() -> None:
    """Print every count, the sums last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000)
    parser.add_argument("--per-kind", type=int, default=500)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=2031)
    chosen = parser.parse_args()
    rng, redactor = random.Random(chosen.seed), Redactor()
    num_left = _count_left(rng, redactor, num_tokens=chosen.tokens)
    fixed = _recalls("fixed", FIXED, lambda kind: draw_fixed(rng, kind), redactor, per_kind=chosen.per_kind)
    contextual = _recalls(
        "contextual", CONTEXTUAL, lambda kind: draw_contextual(rng, kind), redactor, per_kind=chosen.per_kind
    )
    unseen = _recalls("unseen", KINDS, lambda kind: draw_unseen(kind, rng)[1], redactor, per_kind=chosen.per_kind)
    later = _recalls("later", LATER_KINDS, lambda kind: draw_later(kind, rng)[1], redactor, per_kind=chosen.per_kind)
    prints = _recalls("prints", PRINT_KINDS, lambda kind: draw_print(kind, rng)[1], redactor, per_kind=chosen.per_kind)
    halves = [
        recall
        for half in (0, 1)
        for recall in _recalls(
            f"half {half}",
            GRAMMAR_KINDS,
            lambda kind, half=half: draw_grammar(kind, rng, half=half)[1],
            redactor,
            per_kind=chosen.per_kind,
        )
    ]
    recalls = [*fixed, *contextual, *unseen, *later, *prints, *halves]
    lines = benign_lines(rng, chosen.lines)
    num_changed = sum(redactor.redact_text(line) != line for line in lines)
    print(
        f"left: {num_left} of {chosen.tokens:,} tokens of fixed forms in {len(PLACES)} fields, split and wrapped ones"
    )
    num_low = sum(recall < 0.97 for recall in recalls)
    print(f"recall: {sum(recalls) / len(recalls):.4f} over {len(recalls)} kinds, {num_low} of them under .97")
    print(f"false positives: {num_changed} of {chosen.lines:,} lines, {num_changed / chosen.lines:.4%}")


def _count_left(rng: random.Random, redactor: Redactor, *, num_tokens: int) -> int:
    tokens = [
        example
        for rule, example in zip(SECRET_RULES, EXAMPLES, strict=True)
        if rule.accept is None and "(" not in rule.pattern
    ]
    left: Counter[str] = Counter()
    for _ in range(num_tokens):
        secret = _token(rng, tokens)
        place, rollout = _plant(rng, secret)
        left[place] += is_left(secret, redactor.redact_rollout(rollout)[0])
    for place, number in left.items():
        if number:
            print(f"left in {place}: {number}")
    return left.total()


def _token(rng: random.Random, tokens: list[str]) -> str:
    kinds = [kind for kind in FIXED if kind != "netlify"]
    return FIXED[rng.choice(kinds)](rng) if rng.random() < 0.3 else draw_example(rng.choice(tokens), rng)[0]


def _plant(rng: random.Random, secret: str) -> tuple[str, Rollout]:
    draw = rng.random()
    if draw < 0.05:
        over = rng.choice(["parts", "messages"])
        return f"split over {over}", plant_split(secret, rng, over=over)
    if draw < 0.08 and secret.startswith(("gh", "github_pat_", "glpat-", "sk-ant-", "sk-proj-")):
        return "base64", plant_encoded(secret, rng)
    place = rng.choice(sorted(PLACES))
    return place, PLACES[place](rng.choice(["", "x", "a ", "\n", "\\n"]) + secret, rng)


def _recalls(
    name: str, kinds: Iterable[str], draw: Callable[[str], HeldOut | Planted], redactor: Redactor, *, per_kind: int
) -> list[float]:
    recalls = []
    for kind in kinds:
        drawn = [draw(kind) for _ in range(per_kind)]
        recall = sum(not is_still_in(found.secret, redactor.redact_text(found.text)) for found in drawn) / per_kind
        recalls.append(recall)
        if recall < 1:
            print(f"{name} {kind}: {recall:.4f}")
    return recalls


if __name__ == "__main__":
    main()
