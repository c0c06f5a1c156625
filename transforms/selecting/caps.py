"""Cap the kept rollouts of a cell: those of an approach, then those of a task group, outcome class and policy."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import apache_beam as beam
from apache_beam import PCollection

Cell = tuple[str, str, str]
"""Task group, outcome class and policy; or approach group, outcome class and policy."""


class CapMember(NamedTuple):
    """A rollout of a cell: its keeper rank, its id, and its family (None where it belongs to none)."""

    rank: int
    traj_id: str
    family: str | None


def choose_within_cap(members: Iterable[CapMember], limit: int) -> list[str]:
    """Return the ids of at most `limit` members, sorted: the best of each family first, then the second best of each.

    Inside a round the better rank comes first. A rollout without a family is a family of its own.
    """
    rounds: dict[str, int] = {}
    turns = []
    for member in sorted(members, key=lambda member: (member.rank, member.traj_id)):
        turn = 0
        if member.family is not None:
            turn = rounds.get(member.family, 0)
            rounds[member.family] = turn + 1
        turns.append((turn, member.rank, member.traj_id))
    return sorted(traj_id for _, _, traj_id in sorted(turns)[:limit])


@dataclass
class CapCells(beam.PTransform[PCollection[tuple[Cell, tuple[int, str, str | None]]], PCollection[tuple[str, bool]]]):
    """Keep at most so many rollouts of each cell.

    Takes `(cell, fields of a CapMember)`, gives `(traj_id, is_kept)` for every member.

    Args:
        max_per_cell: Rollouts kept per cell.
    """

    max_per_cell: int

    def expand(self, pcoll: PCollection[tuple[Cell, tuple[int, str, str | None]]]) -> PCollection[tuple[str, bool]]:
        return pcoll | "GroupByCell" >> beam.GroupByKey() | "Cap" >> beam.FlatMapTuple(self._cap)

    def _cap(self, cell: Cell, members: Iterable[tuple[int, str, str | None]]) -> Iterator[tuple[str, bool]]:
        slim = [CapMember(*member) for member in members]
        kept = set(choose_within_cap(slim, self.max_per_cell))
        for member in slim:
            yield member.traj_id, member.traj_id in kept
