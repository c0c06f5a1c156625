"""Reads quarantined records again, with the code and the settings of today, and says what becomes of each."""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple

from fsspec import AbstractFileSystem

from schemas.records import BadRecord, SourceUnit, Trajectory
from schemas.settings.ingest import IngestSettings
from transforms.formats.records import Repeat, read_opened
from transforms.formats.registry import adapter_named
from transforms.formats.rereading import Quarantined, State, find_in_any
from transforms.formats.units import plan_units
from transforms.reading.lake import Lake, shown, walk_lake
from transforms.reading.shown_paths import found_by_shown_path
from transforms.redaction.engine import Redactor

ACCEPTED: Final = "accepted"
REPEAT: Final = "repeat"
STILL_BAD: Final = "still_bad"
RUN_AGAIN: Final = "run_again"


class Replayed(NamedTuple):
    """What became of a record: accepted | repeat | still_bad | run_again, or the `State` for which it was refused.

    `run_again` is a record that is read well, as it was before: the stage that set its trajectory aside decides again
    in a run, as with another encoder.

    `detail` is the reason and message where it is still bad, or what a whole file gives.
    """

    record: Quarantined
    outcome: str
    detail: str = ""


def replay(
    records: Iterable[Quarantined], *, filesystem: AbstractFileSystem, root: str, settings: IngestSettings,
    redactor: Redactor,
) -> Iterator[Replayed]:  # fmt: skip
    """Yield what becomes of each record, unit by unit.

    A unit whose bytes are those that were read is read again whole. In one that changed only lines can be found again,
    by offset and hash; what cannot be found as it was is refused.

    Args:
        records: The records.
        filesystem: The lake's file system.
        root: The lake's root.
        settings: Ingest settings of today.
        redactor: Replaces secrets in what is told.
    """
    lake, listing = Lake(filesystem, root), walk_lake(filesystem, root)
    by_unit: dict[tuple[str, str, str], list[Quarantined]] = defaultdict(list)
    for record in records:
        by_unit[record.uri, record.unit_sha256, record.unit_key].append(record)
    found = found_by_shown_path(listing.uris, redactor)
    files = {path: found.get(path, []) for path, _, _ in by_unit}
    paths = {uri: path for path, uris in files.items() for uri in uris}
    units: dict[tuple[str, str], list[SourceUnit]] = defaultdict(list)
    for unit in plan_units(filesystem, root, sorted(paths), settings):
        units[paths[unit.uri], unit.sha256].append(unit)
    for (path, sha256, unit_key), members in sorted(by_unit.items()):
        if alike := units.get((path, sha256)):
            unit = next((unit for unit in alike if unit.unit_key == unit_key), alike[0])
            yield from _replay_unit(members, unit, lake, settings=settings, redactor=redactor)
        else:
            for record in members:
                yield _replay_line(record, files[path], lake, settings=settings, redactor=redactor)


def _replay_unit(
    records: Sequence[Quarantined], unit: SourceUnit, lake: Lake, *, settings: IngestSettings, redactor: Redactor
) -> Iterator[Replayed]:
    wanted = {record.record_key for record in records}
    fates: dict[str, tuple[str, str]] = {}
    good = bad = 0
    for result in read_opened(unit, lake.open, settings=settings, redactor=redactor):
        bad += isinstance(result, BadRecord)
        good += not isinstance(result, BadRecord)
        if result.record_key in wanted:
            fates[result.record_key] = _fate(result)
    whole = (ACCEPTED, f"{good} records accepted, {bad} bad, as {unit.adapter}")
    for record in records:
        yield _replayed(record, *fates.get(record.record_key, whole if good else (STILL_BAD, whole[1])))


def _replayed(record: Quarantined, outcome: str, detail: str) -> Replayed:
    if outcome == ACCEPTED and record.trajectory_id is not None:
        return Replayed(
            record, RUN_AGAIN, f"{record.trajectory_id} was set aside by {record.stage}, which decides in a run"
        )
    return Replayed(record, outcome, detail)


def _fate(result: Trajectory | BadRecord | Repeat) -> tuple[str, str]:
    if isinstance(result, BadRecord):
        return STILL_BAD, f"{result.reason}: {result.message}"
    return (REPEAT, result.traj_id) if isinstance(result, Repeat) else (ACCEPTED, result.traj_id)


def _replay_line(
    record: Quarantined, uris: Sequence[str], lake: Lake, *, settings: IngestSettings, redactor: Redactor
) -> Replayed:
    """Read one line of a changed file as if it were a file of its own."""
    if not uris:
        return Replayed(record, State.GONE)
    if record.byte_offset is None or not record.record_key.startswith(("line:", "byte:")):
        return Replayed(record, State.CHANGED)
    found = find_in_any(record, uris, open_file=lake.open, settings=settings)
    if found.state is not State.SAME:
        return Replayed(record, found.state)
    adapter = adapter_named(record.adapter)
    unit = SourceUnit(
        unit_key=record.unit_key,
        uri=found.uri,
        adapter=adapter.name,
        adapter_version=adapter.version,
        size=len(found.raw),
        sha256="",
        path_facts=tuple(sorted(adapter.path_facts(shown(found.uri)))),
    )

    def open_line(_: str) -> BinaryIO:
        return io.BytesIO(found.raw)

    results = list(read_opened(unit, open_line, settings=settings, redactor=redactor))
    return _replayed(record, *(_fate(results[0]) if results else (STILL_BAD, "the line is blank")))
