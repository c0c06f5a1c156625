"""A source unit, read: every native record becomes a trajectory, a bad record or a repeat, redacted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from fsspec import AbstractFileSystem

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit, Trajectory
from schemas.settings.ingest import IngestSettings
from transforms.formats.assembly import assemble
from transforms.formats.contract import OpenFile
from transforms.formats.identity import Identities
from transforms.formats.inline_files import summarise_inline_files
from transforms.formats.registry import adapter_named
from transforms.formats.steps import has_unknown_result_id
from transforms.reading.excerpts import EXCERPT_CHARS
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Lake
from transforms.reading.native import unreadable
from transforms.redaction.engine import Redactor

MAX_MESSAGE_CHARS: Final = 500
UNKNOWN_RESULT_ID: Final = "unknown_result_id"
"""Warning: a result names a call that is not there; it is given to a call by place or name, its id kept with it."""


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
    return read_opened(unit, Lake(filesystem, root).open, settings=settings, redactor=redactor)


def read_opened(
    unit: SourceUnit, open_file: OpenFile, *, settings: IngestSettings, redactor: Redactor
) -> Iterator[Trajectory | BadRecord | Repeat]:
    """Yield what `read_unit` does, from files that `open_file` opens."""
    identities = Identities(unit.path_facts)
    seen: Counter[str] = Counter()
    family = _Family()
    for record in _native_rollouts(unit, open_file, settings):
        if isinstance(record, BadRecord):
            yield from family.add(_told_apart(_redacted(record, redactor), seen))
            continue
        if record.parent_key is None:
            yield from family.leave()
        finished = _told_apart(_finished(record, identities, redactor, settings), seen)
        yield from family.add(finished, record)
    yield from family.leave()


class _Family:
    """A rollout and its parts: held back, once a call of one of them ran another, until the ids of all are known."""

    def __init__(self) -> None:
        self._held: list[tuple[Trajectory | BadRecord | Repeat, dict[str, str]]] = []
        self._ids: dict[str, str] = {}

    def add(
        self, item: Trajectory | BadRecord | Repeat, rollout: Rollout | None = None
    ) -> Iterator[Trajectory | BadRecord | Repeat]:
        """Yield the item, unless it or one before it waits for ids."""
        if rollout is not None and not isinstance(item, BadRecord):
            self._ids[rollout.record_key] = item.traj_id
        calls = dict(rollout.subagents) if rollout is not None else {}
        if self._held or calls:
            self._held.append((item, calls))
        else:
            yield item

    def leave(self) -> Iterator[Trajectory | BadRecord | Repeat]:
        """Yield what was held back, its calls joined with the subagents that they ran, and forget the family."""
        for item, calls in self._held:
            yield replace(item, subagents=self._joined(item, calls)) if isinstance(item, Trajectory) else item
        self._held, self._ids = [], {}

    def _joined(self, trajectory: Trajectory, calls: dict[str, str]) -> tuple[tuple[int, int, str], ...]:
        return tuple(
            (step.step_id, call.call_index, traj_id)
            for step in trajectory.steps
            for call in step.calls
            if (traj_id := self._ids.get(calls.get(call.call_id_raw or "", ""))) is not None
        )


def _told_apart(record: Trajectory | BadRecord | Repeat, seen: Counter[str]) -> Trajectory | BadRecord | Repeat:
    """Number keys that are alike once their secrets are replaced; only these have a placeholder's bracket."""
    if "<" not in record.record_key:
        return record
    seen[record.record_key] += 1
    if seen[record.record_key] == 1:
        return record
    key = f"{record.record_key}~{seen[record.record_key]}"
    return record._replace(record_key=key) if isinstance(record, Repeat) else replace(record, record_key=key)


def _native_rollouts(unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
    try:
        yield from adapter_named(unit.adapter).read(unit, open_file, settings)
    except (UnreadableError, OSError) as error:
        yield unreadable(error)


def _finished(
    rollout: Rollout, identities: Identities, redactor: Redactor, settings: IngestSettings
) -> Trajectory | BadRecord | Repeat:
    """Return what becomes of a rollout; what cannot be redacted or assembled must not end the run."""
    identified = identities.identify(rollout)
    if identified.is_repeat:
        return Repeat(redactor.redact_text(rollout.record_key), identified.traj_id)
    if identified.parent_traj_id is not None:
        rollout = replace(rollout, header=replace(rollout.header, parent_traj_id=identified.parent_traj_id))
    try:
        if settings.inline_files == "summarise":
            rollout = summarise_inline_files(rollout)
        clean, counts = redactor.redact_rollout(rollout)
        trajectory = assemble(clean, identified.traj_id, secrets_redacted=counts)
        if not has_unknown_result_id(trajectory.steps):
            return trajectory
        return replace(trajectory, parse_warnings=(*trajectory.parse_warnings, UNKNOWN_RESULT_ID))
    except Exception as error:
        message = redactor.redact_text(f"{type(error).__name__}: {error}")
        return BadRecord(
            redactor.redact_text(rollout.record_key),
            QuarantineReason.INVALID_VALUE,
            message,
            byte_offset=rollout.record_offset,
            sha256=rollout.canonical_sha256,
        )


def _redacted(record: BadRecord, redactor: Redactor) -> BadRecord:
    excerpt = None if record.excerpt is None else redactor.redact_text(record.excerpt)[:EXCERPT_CHARS]
    message = redactor.redact_text(record.message)[:MAX_MESSAGE_CHARS]
    return replace(record, record_key=redactor.redact_text(record.record_key), message=message, excerpt=excerpt)
