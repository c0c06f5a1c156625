"""A large set of secrets: every name, in every place, with every value, and texts of their own form, in two halves.

Half 0 has the names and places at even positions of their groups, half 1 the others: rules written after one half are
measured on the other. At first sight the rules took .683 and .632 of the halves' 49 kinds; written after half 0, they
took .958 of half 1 before they were mended after it too.
"""

import random
from typing import Final

from tests.unseen_carriers import Planted
from tests.unseen_code import CODE, SETTINGS, SHELLS
from tests.unseen_names import KINDS as NAMED_KINDS
from tests.unseen_names import names_of
from tests.unseen_prints import fill
from tests.unseen_texts import LOGS, PROSE, TABLES
from tests.unseen_wholes import WHOLES

GROUPS: Final = (CODE, SETTINGS, SHELLS, LOGS, TABLES, PROSE)
KINDS: Final = (*NAMED_KINDS, *WHOLES)


def draw_grammar(kind: str, rng: random.Random, *, half: int) -> tuple[str, Planted]:
    """Return the place and a secret of the kind in it."""
    if kind in WHOLES:
        draws = list(WHOLES[kind].values())[half::2]
        return rng.choice(draws)(rng)
    names, value = names_of(kind)[half::2], NAMED_KINDS[kind][1](rng)
    place = rng.choice(rng.choice(GROUPS)[half::2])
    return place, Planted(value, fill(place, rng.choice(names), value))
