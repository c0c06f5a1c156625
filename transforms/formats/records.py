"""A source unit, read: every native record becomes a trajectory, a bad record or a repeat, redacted."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from fsspec import AbstractFileSystem

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit, Trajectory
from schemas.settings.ingest import IngestSettings
from transforms.formats.assembly import assemble
from transforms.formats.identity import Identities
from transforms.formats.registry import adapter_named
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Lake
from transforms.reading.native import unreadable
from transforms.redaction.engine import Redactor


class Repeat(NamedTuple):
    """A record that the same unit already gave: same native id, same content."""

    record_key: str
    traj_id: str


def read_unit(
    unit: SourceUnit, *, filesystem: AbstractFileSystem, root: str, settings: IngestSettings, redactor: Redactor
) -> Iterator[Trajectory | BadRecord | Repeat]:
    """Yield one trajectory, bad record or repeat for every native record of a unit, in the order of the file.

    A file that cannot be read, or not to its end, adds one bad record `unreadable`.

    Args:
        unit: What to read.
        filesystem: The lake's file system.
        root: The lake's root.
        settings: Format, field map and limits.
        redactor: Replaces secrets before anything leaves.
    """
    identities = Identities(unit.path_facts)
    for record in _native_rollouts(unit, Lake(filesystem, root), settings):
        if isinstance(record, BadRecord):
            yield _redacted(record, redactor)
        else:
            yield _finished(record, identities, redactor)


def _native_rollouts(unit: SourceUnit, lake: Lake, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
    try:
        yield from adapter_named(unit.adapter).read(unit, lake.open, settings)
    except (UnreadableError, OSError) as error:
        yield unreadable(error)


def _finished(rollout: Rollout, identities: Identities, redactor: Redactor) -> Trajectory | BadRecord | Repeat:
    """Return what becomes of a rollout; what cannot be redacted or assembled must not end the run."""
    identified = identities.identify(rollout)
    if identified.is_repeat:
        return Repeat(rollout.record_key, identified.traj_id)
    if identified.parent_traj_id is not None:
        rollout = replace(rollout, header=replace(rollout.header, parent_traj_id=identified.parent_traj_id))
    try:
        clean, counts = redactor.redact_rollout(rollout)
        return assemble(clean, identified.traj_id, secrets_redacted=counts)
    except Exception as error:
        message = redactor.redact_text(f"{type(error).__name__}: {error}")
        return BadRecord(rollout.record_key, QuarantineReason.INVALID_VALUE, message, rollout.record_offset)


def _redacted(record: BadRecord, redactor: Redactor) -> BadRecord:
    excerpt = None if record.excerpt is None else redactor.redact_text(record.excerpt)
    return replace(record, message=redactor.redact_text(record.message), excerpt=excerpt)
