"""How often a row is written, for trainers that know no weight column."""

import math

from transforms.store.keys import draw


def num_copies(weight: float, *, seed: int, row_id: str) -> int:
    """Return `weight` rounded to a whole number by a draw keyed on (seed, row): its mean over rows is the weight.

    Raises:
        ValueError: The weight is negative or not finite.
    """
    if not math.isfinite(weight) or weight < 0:
        raise ValueError(f"the weight of row {row_id} must be finite and at least 0, got {weight}")
    whole = math.floor(weight)
    return whole + (draw(seed, "copies", row_id) < weight - whole)
