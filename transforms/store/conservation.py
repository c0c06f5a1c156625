"""The law of row conservation, checked before a snapshot is published.

Per source unit: records read = trajectories + quarantined + repeats. Over all: every trajectory has exactly one
decision, and every candidate of a dataset exactly one use per role and row.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.errors import ConservationError


@dataclass(frozen=True, slots=True)
class UnitBalance:
    """The counts of a source unit after repeats across units are told apart."""

    unit_key: str
    num_records: int
    num_trajectories: int
    num_quarantined: int
    num_repeats: int


def check_units(units: Iterable[UnitBalance]) -> None:
    """Check that each unit's records are all accounted for.

    Raises:
        ConservationError: A count is negative or the sum does not hold; names the unit and its counts.
    """
    for unit in units:
        parts = (unit.num_trajectories, unit.num_quarantined, unit.num_repeats)
        if min(parts) < 0 or unit.num_records != sum(parts):
            raise ConservationError(
                f"unit {unit.unit_key}: {unit.num_records} records read, but {unit.num_trajectories} trajectories + "
                f"{unit.num_quarantined} quarantined + {unit.num_repeats} repeats"
            )


def check_one_row_each(expected: Sequence[str], found: Sequence[str], *, table: str) -> None:
    """Check that `found` holds every expected id exactly once and no other.

    Raises:
        ConservationError: Names the first id that is missing, unknown or there twice.
    """
    doubled = sorted(identifier for identifier, count in Counter(found).items() if count > 1)
    if doubled:
        raise ConservationError(f"{table} has {doubled[0]} more than once ({len(doubled)} such rows)")
    missing = sorted(set(expected) - set(found))
    if missing:
        raise ConservationError(f"{table} lacks {missing[0]} ({len(missing)} of {len(set(expected))} rows missing)")
    unknown = sorted(set(found) - set(expected))
    if unknown:
        raise ConservationError(f"{table} has {unknown[0]}, which no trajectory has ({len(unknown)} such rows)")


def check_total(whole: int, parts: dict[str, int], *, of: str) -> None:
    """Check that the parts sum up to the whole.

    Raises:
        ConservationError: They do not; names every part.
    """
    if min(parts.values(), default=0) < 0 or whole != sum(parts.values()):
        listed = " + ".join(f"{count} {name}" for name, count in parts.items())
        raise ConservationError(f"{of}: {whole} is not {listed or '0'}")
