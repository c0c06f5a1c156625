"""Reads a folder as a run would, file by file, and keeps count: what came out, how long it took, how much it held."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import fsspec
import psutil

from schemas.records import BadRecord, Trajectory
from schemas.settings.ingest import IngestSettings
from transforms.formats.records import read_unit
from transforms.formats.units import list_lake, plan_units
from transforms.redaction.engine import Redactor

SETTINGS = IngestSettings()
MAX_SECONDS = 10.0
MAX_BYTES = 1_500_000_000


@dataclass
class Tally:
    """Counts over many files.

    `keys` holds the record keys a file gave. `seconds` is the longest time one unit took, `memory_bytes` the most that
    this process and its readers held together at the end of a folder.
    """

    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    adapters: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    keys: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0
    memory_bytes: int = 0

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count:,} {name}" for name, count in sorted(self.outcomes.items()))
        held = f"longest {self.seconds:.1f} s, memory {self.memory_bytes / 1e6:,.0f} MB"
        return f"{self.files:,} files: {outcomes}; {held}"


def write_lake(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for uri, content in files.items():
        path = root / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_lake(root: Path, tally: Tally) -> None:
    """Read everything below a folder into the tally; whatever is raised is the test's failure."""
    filesystem = fsspec.filesystem("file")
    uris = list_lake(filesystem, str(root), ["**/*"])
    tally.files += len(uris)
    tally.keys = {}
    redactor = Redactor()
    # The rules are compiled on first use, which is no file's fault.
    redactor.redact_text("warm")
    for unit in plan_units(filesystem, str(root), uris, SETTINGS):
        tally.adapters[unit.adapter] += 1
        start = time.monotonic()
        for result in read_unit(unit, filesystem=filesystem, root=str(root), settings=SETTINGS, redactor=redactor):
            kind = "quarantined" if isinstance(result, BadRecord) else "trajectories"
            tally.outcomes[kind if isinstance(result, BadRecord | Trajectory) else "repeats"] += 1
            tally.keys.setdefault(unit.uri, []).append(result.record_key)
            if isinstance(result, BadRecord):
                tally.reasons[str(result.reason)] += 1
        tally.seconds = max(tally.seconds, time.monotonic() - start)
    own = psutil.Process()
    held = [own, *own.children(recursive=True)]
    tally.memory_bytes = max(tally.memory_bytes, sum(process.memory_info().rss for process in held))
