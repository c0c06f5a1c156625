"""Files of rows, one rollout a row: JSONL (plain or packed), a JSON list or object, Parquet."""

from collections.abc import Iterator, Set
from typing import Any

from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts, limits_of
from transforms.formats.documents import document_records
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord, line_records
from transforms.reading.outline import Outline, outline_of
from transforms.reading.parquet_rows import parquet_records
from transforms.reading.streams import unpacked


class RowAdapter:
    """What adapters of rows share: a plain line file is read range by range, and the path says nothing."""

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()


def row_records(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings, *, watched: frozenset[str]
) -> Iterator[NativeRecord | BadRecord]:
    """Yield the rows of a unit, however they are packed.

    Args:
        unit: A file of rows, or a range of a line file.
        open_file: Opens the file.
        settings: Limits of one record.
        watched: Id and label keys, which must not be doubled.

    Raises:
        UnreadableError: The file is damaged; rows that came before have been yielded.
        OSError: The file cannot be read.
    """
    limits = limits_of(settings)
    with open_file(unit.uri) as stream:
        outline = outline_of(stream, unit.size)
        stream.seek(0)
        if outline.shape == "parquet":
            yield from parquet_records(stream, limits=limits)
            return
        if outline.shape != "document":
            source = unpacked(stream, unit.size)
            yield from line_records(source, limits=limits, watched=watched, start=unit.byte_start, end=unit.byte_end)
            return
    yield from document_records(unit, open_file, settings, watched=watched)


def rows_have(
    outline: Outline, names: Set[str], *, items: Set[str] = frozenset(), first: Set[str] | None = None
) -> bool:
    """Say whether rows hold all `names` as fields and, inside a list of theirs, objects with all of `items`.

    Of Parquet only the columns are known. A first row that is longer than the outline shows its first fields only.

    Args:
        outline: The file's outline.
        names: Fields of a row.
        items: Keys of the objects in one of its lists.
        first: Those of the names that have to be seen in a row that was cut; all by default.
    """
    if outline.shape == "parquet":
        return names <= outline.keys[0]
    if outline.records:
        return any(names <= row.keys() and (not items or _has_items(row, items)) for row in outline.records)
    level = 1 if outline.starts_as == "[" else 0
    return outline.has(level, *(names if first is None else first)) and (not items or outline.has(level + 2, *items))


def _has_items(row: dict[str, Any], items: Set[str]) -> bool:
    lists = (value for value in row.values() if isinstance(value, list))
    return any(isinstance(item, dict) and items <= item.keys() for value in lists for item in value[:4])
