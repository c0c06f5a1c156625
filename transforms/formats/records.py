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
MAX_NAME_CHARS: Final = 200
"""Characters kept of the name of a lost field and of a warning: both may hold what a record says."""
_MOST_RECORDS: Final = 64
_BATCH_CHARS: Final = 1 << 20
"""Records, and characters of their messages, up to which one step of the work goes before the next begins."""
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
    for batch in _batches(_native_rollouts(unit, open_file, settings)):
        cleaned = [_cleaned(record, identities, redactor, settings) for record in batch]
        for record, clean in zip(batch, cleaned, strict=True):
            rollout = None if isinstance(record, BadRecord) else record
            if rollout is not None and rollout.parent_key is None:
                yield from family.leave()
            finished = _assembled(clean, redactor) if isinstance(clean, _Clean) else clean
            yield from family.add(_told_apart(finished, seen), rollout)
    yield from family.leave()


def _batches(records: Iterator[Rollout | BadRecord]) -> Iterator[list[Rollout | BadRecord]]:
    """Yield the records in batches: what a step of the work reads is at hand still for the next record."""
    batch: list[Rollout | BadRecord] = []
    num_chars = 0
    for record in records:
        batch.append(record)
        if not isinstance(record, BadRecord):
            num_chars += sum(len(message.content or "") for message in record.messages)
        if len(batch) == _MOST_RECORDS or num_chars >= _BATCH_CHARS:
            yield batch
            batch, num_chars = [], 0
    if batch:
        yield batch


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


class _Clean(NamedTuple):
    """A rollout without secrets, its trajectory's id, and how many secrets were replaced, by kind."""

    rollout: Rollout
    traj_id: str
    counts: dict[str, int]


def _cleaned(
    record: Rollout | BadRecord, identities: Identities, redactor: Redactor, settings: IngestSettings
) -> _Clean | BadRecord | Repeat:
    """Return a record without secrets; what cannot be redacted must not end the run."""
    if isinstance(record, BadRecord):
        return _redacted(record, redactor)
    identified = identities.identify(record)
    if identified.is_repeat:
        return Repeat(redactor.redact_text(record.record_key), identified.traj_id)
    if identified.parent_traj_id is not None:
        record = replace(record, header=replace(record.header, parent_traj_id=identified.parent_traj_id))
    try:
        if settings.inline_files == "summarise":
            record = summarise_inline_files(record)
        clean, counts = redactor.redact_rollout(record)
        clean = _with_short_names(clean)
    except Exception as error:
        return _failed(record, error, redactor)
    return _Clean(clean, identified.traj_id, counts)


def _with_short_names(rollout: Rollout) -> Rollout:
    """Return a redacted rollout whose lost fields and warnings are cut: cut before, a secret could not be told."""
    if max(map(len, (*rollout.lost_fields, *rollout.parse_warnings)), default=0) <= MAX_NAME_CHARS:
        return rollout
    return replace(rollout, lost_fields=_cut(rollout.lost_fields), parse_warnings=_cut(rollout.parse_warnings))


def _cut(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name[:MAX_NAME_CHARS] for name in names))


def _assembled(clean: _Clean, redactor: Redactor) -> Trajectory | BadRecord:
    """Return the trajectory of a rollout; one that cannot be assembled must not end the run."""
    try:
        trajectory = assemble(clean.rollout, clean.traj_id, secrets_redacted=clean.counts)
        if not has_unknown_result_id(trajectory.steps):
            return trajectory
        return replace(trajectory, parse_warnings=(*trajectory.parse_warnings, UNKNOWN_RESULT_ID))
    except Exception as error:
        return _failed(clean.rollout, error, redactor)


def _failed(rollout: Rollout, error: Exception, redactor: Redactor) -> BadRecord:
    bad = BadRecord(
        rollout.record_key,
        QuarantineReason.INVALID_VALUE,
        f"{type(error).__name__}: {error}",
        byte_offset=rollout.record_offset,
        sha256=rollout.canonical_sha256,
    )
    return _redacted(bad, redactor)


def _redacted(record: BadRecord, redactor: Redactor) -> BadRecord:
    excerpt = None if record.excerpt is None else redactor.redact_text(record.excerpt)[:EXCERPT_CHARS]
    message = redactor.redact_text(record.message)[:MAX_MESSAGE_CHARS]
    return replace(record, record_key=redactor.redact_text(record.record_key), message=message, excerpt=excerpt)
