"""Files that no format claims, and files that cannot be opened: told as one bad record each."""

from collections.abc import Iterator

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import unreadable
from transforms.reading.outline import Outline, outline_of


class UnknownAdapter:
    """A file in no known format."""

    name = "unknown"
    version = "1"
    carries: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return False

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[BadRecord]:
        with open_file(unit.uri) as stream:
            outline = outline_of(stream, unit.size)
        keys = sorted(set().union(*outline.keys[:2]))[:8] if outline.keys else []
        seen = f"{outline.shape} with the keys {', '.join(keys)}" if keys else outline.shape
        message = f"no format claims this file ({seen}); name one with ingest.format or leave it out with lake.exclude"
        yield BadRecord("file", QuarantineReason.UNKNOWN_FORMAT, message, byte_offset=0, byte_length=unit.size)


class UnreadableAdapter:
    """A file that could not be opened when the run was planned."""

    name = "unreadable"
    version = "1"
    carries: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()

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
