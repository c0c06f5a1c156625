"""CPU of a whole run against the least any reader of the same JSON lines can do, stage by stage.

Baseline: `read_bare` of `bench_ingest` over the same lines, in a process of its own, warmed up, the least of three.
Whole run: the command `trajsift run` with the default settings, its child and worker processes counted: redaction,
describing, lexical clustering, selection, default exports, report. The stages that work on vectors (embed, similar,
families) are told in the table and left out of the sums: "without vectors" means without them. `start` is what no
stage took: interpreter, imports, listing and hashing of the lake, the last writes.

An unmeasured run over a small lake comes first, as compiled code is kept on disk from then on.

    python -m tests.benchmarks.bench_whole_run --rollouts 5000
    python -m tests.benchmarks.bench_whole_run --rollouts 5000 --growth 20000 --nightly --nothing-new

`--growth` runs a larger lake too and tells how CPU and memory grow, `--nightly` runs anew after 1 % of the files were
added, `--nothing-new` runs twice over ten thousand files. Bars: ratio 8, growth over four times the rollouts 4.6 in
CPU and 1.5 in memory, nightly .1 of the full run, nothing new 2 s.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from tests.benchmarks.bench_ingest import BASELINE, ROLLOUTS, SIZE_KB, measure_apart
from transforms.store.files import Store
from transforms.synthesis.lake import LakeRequest, write_lake
from transforms.synthesis.planting import LakeFormat

NUM_FILES: Final = 100
"""Files of a lake: one of them is the 1 % that is new at night."""

LISTED_FILES: Final = 10_000
WARM_ROLLOUTS: Final = 2_400
VECTOR_STAGES: Final = frozenset({"embed", "similar", "families"})
_SETTLED_S: Final = 3
_COMMAND: Final = "from pipelines.cli import run_command; run_command()"


class RunCost(NamedTuple):
    """CPU- and wall-seconds of a command and the rows of its stages; none where there was nothing to do."""

    cpu_s: float
    wall_s: float
    stages: list[dict[str, Any]]

    @property
    def start_s(self) -> float:
        """CPU-seconds that no stage took."""
        return self.cpu_s - sum(stage["cpu_s"] for stage in self.stages)

    @property
    def without_vectors_s(self) -> float:
        """CPU-seconds of all but the stages on vectors."""
        return self.cpu_s - sum(stage["cpu_s"] for stage in self.stages if stage["stage"] in VECTOR_STAGES)

    @property
    def peak_mb(self) -> float:
        """Largest resident memory of a stage that works without vectors, child processes included."""
        return max(stage["peak_rss_mb"] for stage in self.stages if stage["stage"] not in VECTOR_STAGES)


def make_lake(folder: Path, num_rollouts: int, *, size_kb: float = SIZE_KB, num_files: int = NUM_FILES) -> None:
    """Write `folder/lines`, a lake of JSON lines, unless it is there."""
    if (folder / "lines").exists():
        return
    made = folder / "made"
    made.mkdir(parents=True)
    write_lake(made, LakeRequest(0, num_rollouts // ROLLOUTS, ROLLOUTS, size_kb, num_files, LakeFormat.CHAT_JSONL))
    (made / "lake" / "chat").rename(folder / "lines")


def run_command(lake: Path, store: Path) -> RunCost:
    """Run the command over a lake and return what it cost.

    Raises:
        SystemExit: The command failed.
    """
    conf = store.parent / f"{store.name}.json"
    tree = {"lake": {"root": str(lake)}, "store": str(store), "execution": {"progress": "quiet"}}
    conf.write_bytes(orjson.dumps(tree))
    known = set(Store(str(store)).list("runs")) if store.exists() else set()
    started = time.monotonic()
    command = subprocess.Popen([sys.executable, "-c", _COMMAND, "run", str(conf)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(command.pid, 0)
    wall_s = time.monotonic() - started
    command.returncode = os.waitstatus_to_exitcode(status)
    if command.returncode:
        raise SystemExit(f"the run over {lake} ended with {command.returncode}")
    new = set(Store(str(store)).list("runs")) - known
    stages = [stage for path in new for stage in orjson.loads(Store(str(store)).read_bytes(path))["stages"]]
    return RunCost(usage.ru_utime + usage.ru_stime, wall_s, stages)


def print_stages(cost: RunCost, bare_s: float) -> None:
    """Print the table of stages, each with its share of the baseline's CPU."""
    print(f"{'stage':<14}{'CPU-s':>9}{'× baseline':>12}{'peak MB':>10}")
    rows = [("start", cost.start_s, ""), *((s["stage"], s["cpu_s"], f"{s['peak_rss_mb']:,.0f}") for s in cost.stages)]
    for name, cpu_s, peak in rows:
        note = "  on vectors, left out" if name in VECTOR_STAGES else ""
        print(f"{name:<14}{cpu_s:>9.2f}{cpu_s / bare_s:>12.2f}{peak:>10}{note}")
    print(f"{'all':<14}{cost.without_vectors_s:>9.2f}{cost.without_vectors_s / bare_s:>12.2f}{cost.peak_mb:>10,.0f}")
    print(f"{'with vectors':<14}{cost.cpu_s:>9.2f}{cost.cpu_s / bare_s:>12.2f}", flush=True)


def measure_lake(folder: Path, num_rollouts: int, *, warm: Path) -> tuple[RunCost, float]:
    """Return what the run over a lake of so many rollouts costs, and the baseline's CPU-seconds; print the stages."""
    make_lake(folder, num_rollouts)
    if not (folder / "warm").exists():
        (folder / "warm").symlink_to(warm)
    bare_s = min(measure_apart(BASELINE, folder).cpu_s for _ in range(3))
    num_bytes = sum(path.stat().st_size for path in (folder / "lines").iterdir())
    print(f"\n{num_rollouts:,} rollouts, {num_bytes / 1e6:,.0f} MB of JSON lines, baseline {bare_s:.2f} CPU-s")
    with tempfile.TemporaryDirectory() as scratch:
        cost = run_command(folder / "lines", Path(scratch) / "store")
    print_stages(cost, bare_s)
    return cost, bare_s


def measure_nightly(folder: Path) -> str:
    """Run over all files but 1 %, then over all, and compare."""
    with tempfile.TemporaryDirectory() as scratch:
        lake = Path(scratch) / "lake"
        lake.mkdir()
        files = sorted((folder / "lines").iterdir())
        new = max(1, len(files) // 100)
        for path in files[:-new]:
            (lake / path.name).symlink_to(path)
        full = run_command(lake, Path(scratch) / "store")
        for path in files[-new:]:
            (lake / path.name).symlink_to(path)
        night = run_command(lake, Path(scratch) / "store")
    print(f"\nnightly, {new} of {len(files)} files new")
    print_stages(night, full.cpu_s)
    return (
        f"nightly     {night.cpu_s:.2f} of {full.cpu_s:.2f} CPU-s, ratio {night.cpu_s / full.cpu_s:.3f}, "
        f"without vectors {night.without_vectors_s / full.without_vectors_s:.3f}"
    )


def measure_nothing_new(folder: Path) -> str:
    """Run twice over ten thousand files of one rollout each; tell what the second run takes."""
    make_lake(folder, LISTED_FILES, size_kb=1)
    with tempfile.TemporaryDirectory() as scratch:
        lake = Path(scratch) / "lake"
        for number, line in enumerate(islice(_lines(folder / "lines"), LISTED_FILES)):
            path = lake / f"{number % 100:02d}" / f"{number}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(line)
        # A run trusts no file that was written just before it.
        time.sleep(_SETTLED_S)
        first = run_command(lake, Path(scratch) / "store")
        again = run_command(lake, Path(scratch) / "store")
    return (
        f"nothing new {again.wall_s:.2f} s, {again.cpu_s:.2f} CPU-s over {LISTED_FILES:,} files "
        f"(the first run {first.cpu_s:.1f} CPU-s)"
    )


def _lines(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            yield from file


def main() -> None:
    """Make the lakes, run the command over them and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=5_000, help="rollouts of the lake (default 5000)")
    parser.add_argument("--growth", type=int, help="rollouts of a second, larger lake")
    parser.add_argument("--nightly", action="store_true", help="run again with 1 %% of the files new")
    parser.add_argument("--nothing-new", action="store_true", help="run twice over ten thousand files")
    parser.add_argument("--lakes", type=Path, help="folder in which the lakes are made once and kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        lakes = arguments.lakes or Path(scratch)
        make_lake(lakes / "warm", WARM_ROLLOUTS, num_files=2)
        warm = (lakes / "warm" / "lines").resolve()
        run_command(warm, Path(scratch) / "warm-store")
        summary = []
        folder = lakes / str(arguments.rollouts)
        cost, bare_s = measure_lake(folder, arguments.rollouts, warm=warm)
        if arguments.growth:
            larger, larger_bare_s = measure_lake(lakes / str(arguments.growth), arguments.growth, warm=warm)
            cpu, peak = larger.without_vectors_s / cost.without_vectors_s, larger.peak_mb / cost.peak_mb
            summary.append(f"growth      {cpu:.2f} × the CPU, {peak:.2f} × the memory of {cost.peak_mb:,.0f} MB")
            cost, bare_s = larger, larger_bare_s
        if arguments.nightly:
            summary.append(measure_nightly(folder))
        if arguments.nothing_new:
            summary.append(measure_nothing_new(lakes / "listed"))
        print("", *summary, f"whole run   ratio {cost.without_vectors_s / bare_s:.2f}", sep="\n")


if __name__ == "__main__":
    main()
