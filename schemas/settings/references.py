"""Settings of the comparison with what was curated before."""

from typing import Literal

from schemas.settings.section import Section


class ReferenceSettings(Section):
    """What happens to a rollout that a set of `reference_sets` holds already."""

    action: Literal["drop", "flag"] = "drop"
    """`drop` leaves it out of the pool, naming the item it repeats; `flag` only writes it to `reference_hits`."""
    by_vectors: bool = True
    """Compare the vectors of published snapshots too, not only signatures."""
