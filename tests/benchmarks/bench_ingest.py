"""CPU of ingest against the least any reader of the same JSON lines can do: parse them and write them as Parquet.

Baseline: `orjson.loads` of every line, then one text column (the line) and four scalars of the record, zstd 3.
Ingest: what `MakePack` does for the units of the same lines, as packs of a fresh store, once with the describing rows
(features, behaviours, audit, safety, blocks) and once without. Planning (which hashes the lake) is told apart.
The bars of ingest are for reading without describing: `plain` at most 3, `redacted` at most 4.5.

Every run has a process of its own with one thread and an unmeasured warm-up over more than a row group. So no side
pays for its first pages of memory: in a cold process they cost the baseline a third or nothing, as it happens. Runs
alternate in pairs, and the median of the paired ratios is printed last.

    python -m tests.benchmarks.bench_ingest --mb 100
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import fsspec
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.stages.ingest import MakePack, PackJob
from schemas.records import SourceUnit, Trajectory
from schemas.settings import DescribeSettings, IngestSettings, RedactionSettings
from transforms.formats.records import read_unit
from transforms.formats.units import list_lake, plan_units
from transforms.redaction.engine import Redactor
from transforms.store.files import Store
from transforms.store.packs import PackWriter, UnitCounts, plan_packs
from transforms.store.progress import ProgressFile
from transforms.synthesis.lake import LakeRequest, write_lake
from transforms.synthesis.planting import LakeFormat

SIZE_KB: Final = 20
ROLLOUTS: Final = 8
ROW_GROUP_BYTES: Final = 32 * 2**20
WARM_MB: Final = 50
SCALARS: Final = {
    "trajectory_id": pa.string(),
    "task_id": pa.string(),
    "model_name": pa.string(),
    "rollout_index": pa.int32(),
}


class Cost(NamedTuple):
    """CPU-seconds of the measured work, of planning, and the peak resident memory of its process in MB."""

    cpu_s: float
    planning_s: float
    peak_mb: float


class Variant(NamedTuple):
    """One way of reading the lake; `redaction` and `describing` say which steps of ingest are on."""

    name: str
    is_baseline: bool = False
    redaction: bool = False
    describing: bool = False


BASELINE: Final = Variant("baseline", is_baseline=True)
VARIANTS: Final = (
    Variant("plain"),
    Variant("redacted", redaction=True),
    Variant("described", describing=True),
    Variant("redacted+described", redaction=True, describing=True),
)


def read_bare(lake: Path, target: Path) -> None:
    """Write every line of the lake as text beside four of its values."""
    schema = pa.schema([("text", pa.string()), *SCALARS.items()])
    with pq.ParquetWriter(target, schema, compression="zstd", compression_level=3) as writer:
        for rows in _row_groups(lake):
            columns = [pa.array([text for text, _ in rows], pa.string())]
            columns += [pa.array([record.get(name) for _, record in rows], kind) for name, kind in SCALARS.items()]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=len(rows))


def _row_groups(lake: Path) -> Iterator[list[tuple[bytes, dict[str, object]]]]:
    rows: list[tuple[bytes, dict[str, object]]] = []
    size = 0
    for path in sorted(lake.rglob("*.jsonl")):
        with path.open("rb") as file:
            for line in file:
                record = orjson.loads(line)
                rows.append((line[:-1], {name: record.get(name) for name in SCALARS}))
                size += len(line)
                if size >= ROW_GROUP_BYTES:
                    yield rows
                    rows, size = [], 0
    if rows:
        yield rows


def plan_jobs(lake: Path, settings: IngestSettings) -> list[PackJob]:
    """Return the packs of the lake and the units that go into each."""
    filesystem, root = fsspec.core.url_to_fs(str(lake))
    units = plan_units(filesystem, root, list_lake(filesystem, root, ["**/*.jsonl"]), settings)
    by_key = {unit.unit_key: unit for unit in units}
    packs = plan_packs(units, layer_key="benchmark")
    return [PackJob(pack, tuple(by_key[key] for key in pack.unit_keys)) for pack in packs]


def ingest(lake: Path, target: Path, *, jobs: list[PackJob], settings: IngestSettings, describing: bool) -> None:
    """Read the units and write their packs as the stage does."""
    store = Store(str(target))
    if not describing:
        filesystem, root = fsspec.core.url_to_fs(str(lake))
        redactor = Redactor(enabled=settings.redaction.enabled)
        for job in jobs:
            with PackWriter(store, job.pack, layer_key="benchmark") as writer:
                for unit in job.units:
                    records = read_unit(unit, filesystem=filesystem, root=root, settings=settings, redactor=redactor)
                    writer.end_unit(_add_undescribed(records, unit, writer))
        return
    maker = MakePack(
        store=store,
        lake_root=str(lake),
        ingest=settings,
        describing=DescribeSettings(),
        layer_key="benchmark",
        progress=ProgressFile(target / "progress"),
    )
    maker.setup()
    for job in jobs:
        list(maker.process(job))


def _add_undescribed(records: Iterator[object], unit: SourceUnit, writer: PackWriter) -> UnitCounts:
    count = 0
    for record in records:
        if isinstance(record, Trajectory):
            writer.add(record, unit, {})
            count += 1
    return UnitCounts(unit.unit_key, count, count, 0, 0)


def measure(variant: Variant, folder: Path) -> Cost:
    """Measure one variant over `folder/lines` in this process, after a warm-up over `folder/warm`."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    with tempfile.TemporaryDirectory() as scratch:
        _work(variant, folder / "warm", Path(scratch) / "warm")
        return _work(variant, folder / "lines", Path(scratch) / "lines")


def _work(variant: Variant, lake: Path, target: Path) -> Cost:
    target.mkdir()
    started = time.process_time()
    if variant.is_baseline:
        read_bare(lake, target / "bare.parquet")
        return Cost(time.process_time() - started, 0.0, _peak_mb())
    settings = IngestSettings(redaction=RedactionSettings(enabled=variant.redaction))
    jobs = plan_jobs(lake, settings)
    planned = time.process_time()
    ingest(lake, target, jobs=jobs, settings=settings, describing=variant.describing)
    return Cost(time.process_time() - planned, planned - started, _peak_mb())


def _peak_mb() -> float:
    """Return the peak resident memory of this program; unlike `ru_maxrss` it knows nothing of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measure_apart(variant: Variant, folder: Path) -> Cost:
    """Measure one variant in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (variant, folder))


def make_lines(folder: Path, megabytes: int) -> None:
    """Write `folder/lines`, about so many MB of JSON lines, and `folder/warm`, which is always the same."""
    for name, size in (("warm", WARM_MB), ("lines", megabytes)):
        num_tasks = max(1, round(size * 1e6 / (SIZE_KB * 1024 * ROLLOUTS)))
        made = folder / f"made-{name}"
        made.mkdir(parents=True)
        write_lake(made, LakeRequest(0, num_tasks, ROLLOUTS, SIZE_KB, max(2, size // 50), LakeFormat.CHAT_JSONL))
        (made / "lake" / "chat").rename(folder / name)


def main() -> None:
    """Make the lines, measure the pairs and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=100, help="MB of JSON lines (default 100)")
    parser.add_argument("--pairs", type=int, default=5, help="pairs a variant (default 5)")
    parser.add_argument("--lines", type=Path, help="folder in which the lines are made once and kept")
    parser.add_argument("--only", choices=[variant.name for variant in VARIANTS], help="measure this variant alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.lines or Path(scratch)
        if not (folder / "lines").exists():
            make_lines(folder, arguments.mb)
        num_bytes = sum(path.stat().st_size for path in (folder / "lines").iterdir())
        print(f"{num_bytes / 1e6:,.0f} MB of JSON lines, {arguments.pairs} pairs a variant, CPU-seconds")
        summary = []
        for variant in VARIANTS:
            if arguments.only in (None, variant.name):
                summary.append(_compare(variant, folder, num_pairs=arguments.pairs))
        print("\n".join(summary))


def _compare(variant: Variant, folder: Path, *, num_pairs: int) -> str:
    ratios = []
    for number in range(num_pairs):
        order = (BASELINE, variant) if number % 2 == 0 else (variant, BASELINE)
        costs = {each.name: measure_apart(each, folder) for each in order}
        bare, cost = costs[BASELINE.name], costs[variant.name]
        ratios.append(cost.cpu_s / bare.cpu_s)
        figures = f"{bare.cpu_s:7.2f} {cost.cpu_s:7.2f} (planning {cost.planning_s:.2f}) peak {cost.peak_mb:,.0f} MB"
        print(f"{variant.name:<20}{figures}  ratio {ratios[-1]:.2f}", flush=True)
    return f"{variant.name:<20}ratio {statistics.median(ratios):.2f}"


if __name__ == "__main__":
    main()
