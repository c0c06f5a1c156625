"""Seconds, CPU and memory of each stage, workers included."""

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import psutil

_SAMPLE_S = 0.1


@dataclass(slots=True)
class StageCost:
    """What a stage took.

    `peak_rss_mb` is the largest resident memory seen, this process and its children together; `counts` are what the
    stage counted of its own work, which depends on what was kept before.
    """

    stage: str
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_rss_mb: float = 0.0
    counts: dict[str, int | float] = field(default_factory=dict)


@dataclass(slots=True)
class Measures:
    """The costs of a run's stages, in the order they worked, and what the stages warned of."""

    stages: list[StageCost] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[StageCost]:
        """Measure the block as a stage."""
        cost = StageCost(name)
        self.stages.append(cost)
        stop = threading.Event()
        sampler = threading.Thread(target=_sample, args=(cost, stop), daemon=True)
        wall, cpu = time.monotonic(), _cpu_seconds()
        sampler.start()
        try:
            yield cost
        finally:
            stop.set()
            sampler.join()
            cost.wall_s = round(time.monotonic() - wall, 3)
            cost.cpu_s = round(_cpu_seconds() - cpu, 3)

    def rows(self) -> list[dict[str, Any]]:
        """Return the costs as plain rows."""
        return [asdict(cost) for cost in self.stages]


def _sample(cost: StageCost, stop: threading.Event) -> None:
    me = psutil.Process()
    while True:
        resident = 0
        for process in (me, *me.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                resident += process.memory_info().rss
        cost.peak_rss_mb = max(cost.peak_rss_mb, round(resident / 2**20, 1))
        if stop.wait(_SAMPLE_S):
            return


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those children that have ended."""
    times = psutil.Process().cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)
