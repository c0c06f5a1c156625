"""Strata of the pool (environment × outcome × difficulty) and the share of each that is aimed at."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from schemas.errors import SettingsError

ANY: Final = "*"


class Stratum(NamedTuple):
    """A cell of the balance."""

    environment: str
    outcome_class: str
    difficulty: str

    @property
    def name(self) -> str:
        """Return `environment/outcome/difficulty`."""
        return "/".join(self)


@lru_cache(maxsize=4096)
def parse_stratum(name: str) -> Stratum:
    """Return the stratum or pattern that `name` states; the environment may hold slashes.

    Raises:
        SettingsError: The name has not three parts.
    """
    parts = name.rsplit("/", 2)
    if len(parts) != 3 or not all(parts):
        raise SettingsError(
            f"selection.balance.targets: {name!r} must read environment/outcome/difficulty, `*` standing for any value"
        )
    return Stratum(*parts)


def target_shares(
    counts: Mapping[Stratum, int], alpha: float, *, targets: Mapping[str, float]
) -> dict[Stratum, float]:
    """Return the share of the pool each stratum should have; the shares of all sum to 1.

    An explicit target is split over the strata its pattern matches, in proportion to n^alpha; a stratum belongs to the
    matching pattern with the fewest `*`. What the targets leave goes to the strata without one, again by n^alpha;
    where all have one, the targets are scaled to 1. A pattern that matches nothing keeps its share under its own name,
    so that its shortfall shows.

    Args:
        counts: Rows of each stratum, each at least 1.
        alpha: 1 keeps the lake's shares, 0 makes them equal.
        targets: Pattern → share.

    Raises:
        SettingsError: A pattern has not three parts, a share is negative, or the shares sum to more than 1.
    """
    patterns = _checked(targets)
    owners = {stratum: _owner(stratum, patterns) for stratum in counts}
    claimed = sum(patterns.values())
    pools = dict(patterns)
    if any(owner is None for owner in owners.values()):
        pools[_REST] = 1 - claimed
    elif claimed > 0:
        pools = {pattern: share / claimed for pattern, share in patterns.items()}
    shares: dict[Stratum, float] = {}
    for pattern, share in sorted(pools.items()):
        members = [stratum for stratum in sorted(counts) if (owners[stratum] or _REST) == pattern]
        total = sum(counts[stratum] ** alpha for stratum in members)
        if not members:
            shares[pattern] = share
        for stratum in members:
            shares[stratum] = share * counts[stratum] ** alpha / total
    return shares


_REST: Final = Stratum("", "", "")
"""Owns the strata without an explicit target."""


def _checked(targets: Mapping[str, float]) -> dict[Stratum, float]:
    negative = sorted(name for name, share in targets.items() if share < 0)
    if negative:
        raise SettingsError(f"selection.balance.targets: the share of {negative[0]!r} must be at least 0")
    total = sum(targets.values())
    if total > 1 + 1e-9:
        raise SettingsError(f"selection.balance.targets: the shares must sum to at most 1, got {total:g}")
    return {parse_stratum(name): share for name, share in targets.items()}


def _owner(stratum: Stratum, patterns: Mapping[Stratum, float]) -> Stratum | None:
    """Return the most exact pattern that matches, ties by name."""
    matching = [
        pattern for pattern in patterns if all(ask in (ANY, own) for ask, own in zip(pattern, stratum, strict=True))
    ]
    return min(matching, key=lambda pattern: (pattern.count(ANY), pattern), default=None)
