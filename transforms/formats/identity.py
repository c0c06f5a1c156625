"""The identity of a record: the same on every machine, in every order, wherever the file lies."""

import hashlib
from collections import Counter
from typing import Any, NamedTuple

from schemas.records import Rollout
from transforms.formats.contract import PathFacts
from transforms.store.keys import canonical_json, short_id


def canonical_hash(record: Any) -> str:
    """Return the SHA-256 of a native record in canonical JSON."""
    return hashlib.sha256(canonical_json(record)).hexdigest()


class Identified(NamedTuple):
    """A record's id and its parent's; `is_repeat` says that this unit already gave the same record."""

    traj_id: str
    is_repeat: bool
    parent_traj_id: str | None = None


class Identities:
    """Gives the records of one unit their ids, in the order in which they are read.

    Two records with the same native id and the same content are one record seen twice. Equal records without a native
    id are different rollouts and are counted apart.
    """

    def __init__(self, path_facts: PathFacts) -> None:
        self._facts = canonical_json(sorted(path_facts))
        self._seen: set[str] = set()
        self._equal: Counter[str] = Counter()
        self._relatives: dict[str, str] = {}

    def identify(self, rollout: Rollout) -> Identified:
        """Return the id of the unit's next record."""
        number = 0
        if rollout.native_id is None:
            number = self._equal[rollout.canonical_sha256]
            self._equal[rollout.canonical_sha256] += 1
        traj_id = short_id(
            rollout.header.source_format, rollout.native_id or "", self._facts, rollout.canonical_sha256, number
        )
        is_repeat = traj_id in self._seen
        self._seen.add(traj_id)
        if rollout.parent_key is None:
            self._relatives.clear()
        self._relatives[rollout.record_key] = traj_id
        return Identified(traj_id, is_repeat, self._relatives.get(rollout.parent_key or ""))
