"""View hashes: told from the blocks alone, so that no text is read to see whether a comparable text changed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from transforms.store.files import Store
from transforms.store.packs import Pack
from transforms.store.tables import read_table
from transforms.views.blocks import REST_INDEX, view_hash

HASHED_VIEW_SCHEMA = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("num_blocks", pa.int32(), nullable=False),
    ]
)
"""A trajectory's view hash and the blocks its view holds."""

Row = dict[str, Any]


def hash_views(
    blocks: pa.Table, boilerplate_of: Mapping[str, Collection[str]], *, observation_edge_chars: int
) -> list[Row]:
    """Return the rows of `HASHED_VIEW_SCHEMA` of the trajectories of `boilerplate_of`, ordered by id.

    Args:
        blocks: Columns `traj_id`, `step_id`, `block_index`, `block_hash`; a row may stand twice.
        boilerplate_of: Trajectory id → block hashes that its environment's views leave out.
        observation_edge_chars: Characters kept at each end of an observation.
    """
    columns = [blocks[name].to_pylist() for name in ("traj_id", "block_index", "step_id", "block_hash")]
    rows = []
    for traj_id, members in groupby(sorted(set(zip(*columns, strict=True))), key=itemgetter(0)):
        left_out = boilerplate_of.get(traj_id)
        if left_out is None:
            continue
        own = [(index, step_id, block_hash) for _, index, step_id, block_hash in members]
        kept = sum(index != REST_INDEX and block_hash not in left_out for index, _, block_hash in own)
        hashed = view_hash(own, left_out, observation_edge_chars=observation_edge_chars)
        rows.append({"traj_id": traj_id, "view_hash": hashed, "num_blocks": kept})
    return rows


def boilerplate_by_environment(boilerplate: pa.Table) -> dict[str, frozenset[str]]:
    """Return environment → block hashes, of the table `boilerplate`."""
    sets: dict[str, set[str]] = {}
    for environment, block_hash in zip(
        boilerplate["environment"].to_pylist(), boilerplate["block_hash"].to_pylist(), strict=True
    ):
        sets.setdefault(environment, set()).add(block_hash)
    return {environment: frozenset(hashes) for environment, hashes in sets.items()}


@dataclass
class HashViews(beam.PTransform[PCollection[Pack], PCollection[tuple[str, list[Row]]]]):
    """Hash the view of each trajectory of a pack.

    Takes packs, gives (pack id, rows of `HASHED_VIEW_SCHEMA`).

    Args:
        store: Where the packs lie.
        identities_path: Parquet file with `traj_id`, `pack_id` and `environment` as a position.
        environment_names: Name of each environment, by position.
        boilerplate_path: Parquet file with `environment` and `block_hash`.
        observation_edge_chars: Characters kept at each end of an observation.
    """

    store: Store
    identities_path: Path
    environment_names: Sequence[str]
    boilerplate_path: Path
    observation_edge_chars: int

    def expand(self, packs: PCollection[Pack]) -> PCollection[tuple[str, list[Row]]]:
        return packs | "HashPack" >> beam.ParDo(_HashPack(self))


class _HashPack(beam.DoFn):
    def __init__(self, transform: HashViews) -> None:
        self._store = transform.store
        self._identities_path = transform.identities_path
        self._environment_names = list(transform.environment_names)
        self._boilerplate_path = transform.boilerplate_path
        self._observation_edge_chars = transform.observation_edge_chars

    def setup(self) -> None:
        self._identities = pq.read_table(self._identities_path)
        by_name = boilerplate_by_environment(pq.read_table(self._boilerplate_path))
        self._boilerplate = [by_name.get(name, frozenset()) for name in self._environment_names]

    def process(self, pack: Pack) -> Iterator[tuple[str, list[Row]]]:
        owned = self._identities.filter(pc.equal(self._identities["pack_id"], pack.pack_id))
        boilerplate_of = {
            traj_id: self._boilerplate[environment]
            for traj_id, environment in zip(
                owned["traj_id"].to_pylist(), owned["environment"].to_pylist(), strict=True
            )
        }
        blocks = read_table(self._store, pack.path("blocks"), ["traj_id", "block_index", "step_id", "block_hash"])
        rows = hash_views(blocks, boilerplate_of, observation_edge_chars=self._observation_edge_chars)
        yield pack.pack_id, rows
