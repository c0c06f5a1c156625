"""What a reader of a native format is: an adapter turns the records of a source unit into rollouts or bad records."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final, Protocol

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import name_untold
from transforms.formats.canonical import canonical_hash
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import Limits, NativeRecord
from transforms.reading.outline import Outline

OpenFile = Callable[[str], BinaryIO]
"""Opens a lake-relative uri as a seekable binary stream; raises OSError when it cannot be opened."""
PathFacts = tuple[tuple[str, str], ...]
MEBIBYTE: Final = 1024 * 1024


class Adapter(Protocol):
    """A reader of one native format.

    `version` is raised whenever the rollouts read from equal bytes change.
    """

    name: str
    version: str

    @property
    def carries(self) -> tuple[str, ...]:
        """What of the format reaches the tables, in plain words."""
        ...

    @property
    def loses(self) -> tuple[str, ...]:
        """What of the format does not reach the tables, in plain words."""
        ...

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        """Say whether a file of this outline is in this format; told by content, never by place."""
        ...

    def path_facts(self, uri: str) -> PathFacts:
        """Return what the path says of the rollouts (model, run, task), and nothing else of the path."""
        ...

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the files beside `uri` that its rollouts are joined with, sorted."""
        ...

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        """Yield one rollout or bad record for every native record.

        Raises:
            UnreadableError: The file cannot be read, or not to its end.
            OSError: As above.
        """
        ...


def limits_of(settings: IngestSettings) -> Limits:
    """Return the bounds of one record."""
    return Limits(max_bytes=settings.max_record_mb * MEBIBYTE, max_depth=settings.max_depth)


def _itself(record: NativeRecord) -> Iterable[Any]:
    return (record.value,)


def build_rollouts(
    records: Iterable[NativeRecord | BadRecord],
    build: Callable[[NativeRecord], Rollout],
    *,
    sources: Callable[[NativeRecord], Iterable[Any]] | None = _itself,
    known: Collection[str] = (),
) -> Iterator[Rollout | BadRecord]:
    """Yield the rollout of every native record; what cannot be built becomes a bad record.

    A record of a shape that nobody foresaw must not end the run: any other error is told as `invalid_value`.
    """
    return build_groups(records, lambda record: (build(record),), sources=sources, known=known)


def build_groups(
    records: Iterable[NativeRecord | BadRecord],
    build: Callable[[NativeRecord], Sequence[Rollout]],
    *,
    sources: Callable[[NativeRecord], Iterable[Any]] | None = _itself,
    known: Collection[str] = (),
) -> Iterator[Rollout | BadRecord]:
    """Yield the rollouts of every native record that may hold several; as `build_rollouts`, all of them or none.

    Args:
        records: Native and bad records.
        build: Reads one native record.
        sources: What speaks of a record, held against its rollouts so that what they do not tell is named: the record
            itself, where they are read too the head of its file and files beside it. None where the reading keeps or
            names all of it itself.
        known: Names of fields that the settings or a file beside the records give.
    """
    for record in records:
        if isinstance(record, BadRecord):
            yield record
            continue
        try:
            rollouts = build(record)
            if sources is not None:
                rollouts = name_untold(sources(record), rollouts, known=known)
        except RecordError as error:
            yield refused(record, error.reason, str(error))
        except Exception as error:
            yield refused(record, QuarantineReason.INVALID_VALUE, f"{type(error).__name__}: {error}")
        else:
            yield from rollouts


def refused(record: NativeRecord, reason: QuarantineReason, message: str) -> BadRecord:
    """Return the bad record of a native record that could be parsed but not used."""
    return BadRecord(
        record.key,
        reason,
        message,
        byte_offset=record.offset,
        byte_length=record.length,
        sha256=hash_of_value(record.value),
    )


def hash_of_value(value: object) -> str | None:
    """Return the SHA-256 of a parsed record in canonical JSON; None for one that JSON's writer refuses."""
    try:
        return canonical_hash(value)
    except TypeError:
        return None
