"""Files that no format claims, and files that cannot be opened: told as one bad record each."""

from collections.abc import Iterator

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts, limits_of
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import line_records, unreadable
from transforms.reading.outline import Outline, outline_of
from transforms.reading.streams import unpacked


class UnknownAdapter:
    """A file in no known format; one of lines that are all damaged is told line by line, so that each counts."""

    name = "unknown"
    version = "2"
    carries: tuple[str, ...] = ()
    loses: tuple[str, ...] = ("everything: the file, or each of its damaged lines, is one row of quarantine",)

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
                is_told = False
                for record in line_records(unpacked(stream, unit.size), limits=limits, watched=frozenset()):
                    if isinstance(record, BadRecord):
                        is_told = True
                        yield record
                if is_told:
                    return
        keys = sorted(set().union(*outline.keys[:2]))[:8] if outline.keys else []
        seen = f"{outline.shape} with the keys {', '.join(keys)}" if keys else outline.shape
        message = f"no format claims this file ({seen}); name one with ingest.format or leave it out with lake.exclude"
        yield BadRecord("file", QuarantineReason.UNKNOWN_FORMAT, message, byte_offset=0, byte_length=unit.size)


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
