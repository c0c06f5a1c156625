"""Reads the lake: source units → trajectories, steps, calls, what describes them, and the quarantine.

One pass over each new unit; units that the parent snapshot holds are not read again. At the end records that were read
before are told apart as repeats, on ids alone: the smaller unit key owns an id that two units gave.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import fsspec
import polars as pl

from pipelines.plan import committed
from pipelines.stages.context import StageContext
from schemas.errors import InputError, QualityError
from schemas.records import BadRecord, SourceUnit, Trajectory
from schemas.settings import DescribeSettings, IngestSettings
from schemas.tables import UNIT_TABLES
from transforms.describing.describe import describe
from transforms.formats.records import read_unit
from transforms.reading.shown_paths import shown_paths
from transforms.redaction.engine import Redactor
from transforms.store.conservation import UnitBalance, check_units
from transforms.store.files import Store
from transforms.store.packs import CommitRecord, Pack, PackWriter, UnitCounts
from transforms.store.progress import ProgressFile
from transforms.store.rows import Row
from transforms.store.tables import read_table
from transforms.views.blocks import blocks_of

READS: Final[tuple[str, ...]] = ()
WRITES: Final = (*UNIT_TABLES, "inputs")


@dataclass(frozen=True)
class PackJob:
    """A pack to be made and the units that go into it, ordered by key."""

    pack: Pack
    units: tuple[SourceUnit, ...]


def run(context: StageContext) -> None:
    """Make the packs that are not there yet, tell repeats apart and account for every record read."""
    missing = _missing_jobs(context)
    context.progress.total(sum(len(job.units) for job in missing), "source units")
    if missing:
        settings = context.settings
        maker = MakePack(
            store=context.store,
            lake_root=settings.lake.root,
            ingest=settings.ingest,
            describing=settings.describe,
            layer_key=context.layer_key,
            progress=context.progress.file,
        )
        with context.pipeline("ingest") as pipeline:
            _ = pipeline | "Packs" >> beam.Create(missing) | "Spread" >> beam.Reshuffle() | "Make" >> beam.ParDo(maker)
    commits = committed(context.store, context.packs, key=context.layer_key)
    owners = _owners(context)
    context.owned_ids = {
        pack.pack_id: owners.filter(pl.col("pack_id") == pack.pack_id)["traj_id"].to_list() for pack in context.packs
    }
    balances = _write_inputs(context, commits.values(), owners)
    check_units(balances)
    _refuse_bad_lake(context, balances)


def _missing_jobs(context: StageContext) -> list[PackJob]:
    done = committed(context.store, context.packs, key=context.layer_key)
    by_key = {unit.unit_key: unit for unit in reversed(context.units)}
    return [
        PackJob(pack, tuple(by_key[key] for key in pack.unit_keys))
        for pack in context.packs
        if pack.pack_id not in done
    ]


class MakePack(beam.DoFn):
    """Read the units of a pack and write its tables."""

    def __init__(
        self,
        *,
        store: Store,
        lake_root: str,
        ingest: IngestSettings,
        describing: DescribeSettings,
        layer_key: str,
        progress: ProgressFile,
    ) -> None:
        self._store = store
        self._lake_root = lake_root
        self._ingest = ingest
        self._describing = describing
        self._layer_key = layer_key
        self._progress = progress

    def setup(self) -> None:
        """Open the lake and make the redactor once per worker."""
        self._filesystem, self._root = fsspec.core.url_to_fs(self._lake_root)
        self._redactor = Redactor.of(self._ingest.redaction)

    def process(self, job: PackJob) -> Iterator[str]:
        """Make one pack; a pack is written whole or not at all, so a retried bundle does no harm."""
        with PackWriter(self._store, job.pack, layer_key=self._layer_key) as writer:
            for unit in job.units:
                writer.end_unit(self._read(unit, writer))
                self._progress.tick()
        yield job.pack.pack_id

    def _read(self, unit: SourceUnit, writer: PackWriter) -> UnitCounts:
        counts: Counter[str] = Counter()
        for record in read_unit(
            unit, filesystem=self._filesystem, root=self._root, settings=self._ingest, redactor=self._redactor
        ):
            if isinstance(record, Trajectory):
                counts["trajectories"] += 1
                writer.add(record, unit, self._derived(record))
            elif isinstance(record, BadRecord):
                counts["quarantined"] += 1
                writer.add_bad(record, unit)
            else:
                counts["repeats"] += 1
        return UnitCounts(
            unit_key=unit.unit_key,
            num_records=counts.total(),
            num_trajectories=counts["trajectories"],
            num_quarantined=counts["quarantined"],
            num_repeats=counts["repeats"],
        )

    def _derived(self, trajectory: Trajectory) -> dict[str, list[Row]]:
        description = describe(
            trajectory,
            short_horizon_max_steps=self._describing.short_horizon_max_steps,
            medium_horizon_max_steps=self._describing.medium_horizon_max_steps,
        )
        derived = {name: [row] for name, row in description._asdict().items()}
        derived["blocks"] = blocks_of(trajectory)
        return derived


def _owners(context: StageContext) -> pl.DataFrame:
    """Return traj_id, unit_key and pack_id of the trajectories that count: each id once, by its smallest unit key."""
    keys = [unit.unit_key for unit in context.units]
    parts = [pl.DataFrame(schema={"traj_id": pl.String, "unit_key": pl.String, "pack_id": pl.String})]
    for pack in context.packs:
        table = read_table(context.store, pack.path("trajectories"), ["traj_id", "unit_key"])
        part = pl.DataFrame(table).filter(pl.col("unit_key").is_in(keys))
        parts.append(part.with_columns(pack_id=pl.lit(pack.pack_id)))
    return pl.concat(parts).sort("traj_id", "unit_key", "pack_id").unique("traj_id", keep="first", maintain_order=True)


def _write_inputs(context: StageContext, commits: Iterable[CommitRecord], owners: pl.DataFrame) -> list[UnitBalance]:
    counts = {unit.unit_key: unit for commit in commits for unit in commit.units}
    owned = dict(owners.group_by("unit_key").len().iter_rows())
    shown = shown_paths((uri for unit in context.units for uri in (unit.uri, *unit.sidecars)), context.redactor)
    rows: list[Row] = []
    balances = []
    seen: set[str] = set()
    for unit in context.units:
        read = counts[unit.unit_key]
        first = unit.unit_key not in seen
        seen.add(unit.unit_key)
        trajectories = owned.get(unit.unit_key, 0) if first else 0
        quarantined = read.num_quarantined if first else 0
        repeats = read.num_repeats + read.num_trajectories - trajectories if first else read.num_records
        balances.append(UnitBalance(unit.unit_key, read.num_records, trajectories, quarantined, repeats))
        rows.append(
            {
                "unit_key": unit.unit_key,
                "uri": shown[unit.uri],
                "sidecars": [shown[uri] for uri in unit.sidecars],
                "size": unit.size,
                "sha256": unit.sha256,
                "adapter": unit.adapter,
                "adapter_version": unit.adapter_version,
                "num_records": read.num_records,
                "num_trajectories": trajectories,
                "num_quarantined": quarantined,
                "num_repeats": repeats,
            }
        )
    context.write("inputs", rows)
    return balances


def _refuse_bad_lake(context: StageContext, balances: Sequence[UnitBalance]) -> None:
    records = sum(balance.num_records for balance in balances)
    bad = sum(balance.num_quarantined for balance in balances)
    if not records:
        raise InputError(f"the lake {context.settings.lake.root} holds no records: its files are empty")
    limit = context.settings.ingest.max_bad_ratio
    if bad > limit * records:
        reasons = context.read("quarantine", ["reason"])["reason"].to_pylist()
        common = ", ".join(f"{reason} {count}" for reason, count in sorted(Counter(reasons).items()))
        raise QualityError(
            f"{bad} of {records} records are bad ({common}), more than ingest.max_bad_ratio={limit} allows; "
            "mend the lake, set ingest.format, or raise the limit"
        )
