"""Bring the weighted shares of the strata to their targets, and report what is missing."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from transforms.selecting.strata import Stratum

_STEPS: Final = 200
"""Halvings of the bracket around the scale: more than a double can tell apart."""


def balance_factors(
    weights: Mapping[Stratum, float], shares: Mapping[Stratum, float], *, max_factor: float
) -> dict[Stratum, float]:
    """Return the factor by which each stratum's weights are multiplied.

    The sum of all weights stays what it is, unless targets of 0 leave too little to raise. Where no factor reaches its
    bound, every stratum's weighted share becomes its share of the targets of the strata present; where one does, the
    others divide the rest in proportion to theirs.

    Args:
        weights: Sum of weights of each stratum; a stratum of weight 0 keeps its factor of 1.
        shares: Target share of each stratum, as `target_shares` gives them.
        max_factor: Largest factor; its inverse is the smallest.
    """
    present = {stratum: weight for stratum, weight in sorted(weights.items()) if weight > 0}
    aimed = sum(shares[stratum] for stratum in present)
    factors = dict.fromkeys(weights, 1.0)
    if aimed <= 0:
        return factors
    total = sum(present.values())
    ratios = {stratum: shares[stratum] / aimed * total / weight for stratum, weight in present.items()}
    scale = _find_scale(present, ratios, max_factor=max_factor)
    factors.update({stratum: _bounded(scale * ratio, max_factor) for stratum, ratio in ratios.items()})
    return factors


def _find_scale(weights: Mapping[Stratum, float], ratios: Mapping[Stratum, float], *, max_factor: float) -> float:
    """Return the scale of the ratios at which the bounded factors keep the sum of weights."""
    if all(1 / max_factor <= ratio <= max_factor for ratio in ratios.values()):
        return 1.0
    total = sum(weights.values())
    low, high = 0.0, max_factor / min(ratio for ratio in ratios.values() if ratio > 0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        reached = sum(weights[stratum] * _bounded(middle * ratio, max_factor) for stratum, ratio in ratios.items())
        low, high = (middle, high) if reached < total else (low, middle)
    return high


def _bounded(factor: float, max_factor: float) -> float:
    return min(max_factor, max(1 / max_factor, factor))


def balance_rows(
    available: Sequence[Stratum],
    selected: Sequence[tuple[Stratum, float]],
    *,
    shares: Mapping[Stratum, float],
) -> list[dict[str, Any]]:
    """Return the rows of the table `balance`, sorted by stratum name; targets without rows are among them.

    Shares are of the strata that have a target: rows that no dataset weighs (unscored ones) are counted, but have
    neither share nor target.

    Args:
        available: Stratum of each row of the pool before cap and budget.
        selected: Stratum and final weight of each row kept.
        shares: Target shares.
    """
    num_available = Counter(available)
    num_selected = Counter(stratum for stratum, _ in selected)
    weights: dict[Stratum, float] = defaultdict(float)
    for stratum, weight in selected:
        weights[stratum] += weight
    total_selected = sum(num_selected[stratum] for stratum in shares)
    total_weight = sum(weights[stratum] for stratum in sorted(shares))
    rows = []
    for stratum in sorted({*num_available, *num_selected, *shares}):
        target = shares.get(stratum, 0.0)
        has_target = stratum in shares
        weighted = weights[stratum] / total_weight if has_target and total_weight else 0.0
        rows.append(
            {
                "stratum": stratum.name,
                "environment": stratum.environment,
                "outcome_class": stratum.outcome_class,
                "difficulty": stratum.difficulty,
                "num_available": num_available[stratum],
                "num_selected": num_selected[stratum],
                "target_share": target,
                "selected_share": num_selected[stratum] / total_selected if has_target and total_selected else 0.0,
                "weighted_share": weighted,
                "shortfall": max(0.0, target - weighted),
            }
        )
    return sorted(rows, key=lambda row: row["stratum"])
