"""Files that no format claims, told as a whole or line by line, and files that cannot be opened."""

from collections.abc import Iterator, Sequence

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts, limits_of, refused
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord, line_records, unreadable
from transforms.reading.outline import Outline, outline_of
from transforms.reading.streams import unpacked


class UnknownAdapter:
    """A file in no known format: one bad record, or one a line where its first lines are damaged, so that each counts.

    There a line that is whole is a bad record as well: no first lines say what its format is.
    """

    name = "unknown"
    version = "2"
    carries: tuple[str, ...] = ()
    loses: tuple[str, ...] = (
        "everything: the file, or each line where its first are damaged, is a row of quarantine",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return False

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[BadRecord]:
        limits = limits_of(settings)
        with open_file(unit.uri) as stream:
            outline = outline_of(stream, unit.size, max_record_bytes=limits.max_bytes)
            if outline.shape == "lines" and not outline.records:
                stream.seek(0)
                for record in line_records(unpacked(stream, unit.size), limits=limits, watched=frozenset()):
                    yield record if isinstance(record, BadRecord) else _unclaimed_line(record)
                return
        if outline.encoding is not None:
            written = outline.encoding
            message = f"the text is {written}, and only UTF-8 is read; convert it: iconv -f {written} -t UTF-8"
            yield BadRecord("file", QuarantineReason.INVALID_ENCODING, message, byte_offset=0, byte_length=unit.size)
            return
        keys = sorted(set().union(*outline.keys[:2])) if outline.keys else []
        message = _message("file", outline.shape, keys)
        yield BadRecord("file", QuarantineReason.UNKNOWN_FORMAT, message, byte_offset=0, byte_length=unit.size)


def _unclaimed_line(record: NativeRecord) -> BadRecord:
    message = _message("line", "an object", sorted(record.value))
    return refused(record, QuarantineReason.UNKNOWN_FORMAT, message)


def _message(whole: str, shape: str, keys: Sequence[str]) -> str:
    seen = f"{shape} with the keys {', '.join(keys[:8])}" if keys else shape
    return f"no format claims this {whole} ({seen}); name one with ingest.format or leave it out with lake.exclude"


class UnreadableAdapter:
    """A file that could not be opened when the run was planned."""

    name = "unreadable"
    version = "1"
    carries: tuple[str, ...] = ()
    loses: tuple[str, ...] = ("everything: the file is one row of quarantine",)

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return False

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[BadRecord]:
        try:
            with open_file(unit.uri) as stream:
                outline_of(stream, unit.size)
        except (UnreadableError, OSError) as error:
            yield unreadable(error)
            return
        message = "could not be opened when the run was planned" if unit.size else "the file is empty"
        yield unreadable(UnreadableError(message))
