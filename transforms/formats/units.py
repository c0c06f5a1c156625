"""The source units of a lake: which adapter reads which bytes, and the key that names them by content."""

import hashlib
import os
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem

from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import Adapter, PathFacts, limits_of
from transforms.formats.known_files import FoundFile, KnownFiles
from transforms.formats.registry import OF_SEVERAL_FILES, UNREADABLE, adapter_named, claimant, detect
from transforms.formats.row_files import RowAdapter
from transforms.reading.failures import UnreadableError
from transforms.reading.lake import Lake, Listing, list_lake, shown, walk_lake
from transforms.reading.lines import BLOCK_BYTES, RANGE_BYTES, ByteRange, hash_ranges
from transforms.reading.outline import outline_of
from transforms.store.keys import canonical_json, short_id

__all__ = ["ingest_key", "list_lake", "plan_units"]


class _Source(NamedTuple):
    """A file that was looked at: its adapter, its ranges and its size.

    `is_cut` says that it is read range by range, `is_claimed` that a format claims its content, `is_open` that it
    could be opened.
    """

    uri: str
    adapter: Adapter
    ranges: tuple[ByteRange, ...]
    size: int
    is_cut: bool = False
    is_claimed: bool = False
    is_open: bool = True


def plan_units(
    fs: AbstractFileSystem,
    root: str,
    uris: Sequence[str],
    settings: IngestSettings,
    *,
    range_bytes: int = RANGE_BYTES,
    known: KnownFiles | None = None,
) -> list[SourceUnit]:
    """Return the units of the primary files `uris`, sorted by path and range.

    A file that an adapter claims by its content is a unit of it (a plain line file: one per 64 MiB range); one that is
    only a sidecar of such a file is none; any other is a unit that will be told as unknown or unreadable. A file that
    links lead to has the same units, with the same keys, on all its paths, unless one puts other files beside it.

    Args:
        fs: The lake's file system.
        root: The lake's root.
        uris: Primary files relative to the root.
        settings: Format, field map and limits.
        range_bytes: Nominal size of a line file's range.
        known: What earlier runs found, with the same nominal size; files in the same state are not opened. What is
            found now is added.
    """
    lake, listing = Lake(fs, root), walk_lake(fs, root)
    known = known or KnownFiles(None)
    known.forget_others(listing.known)
    sources = [_source(uri, lake, settings, range_bytes=range_bytes, known=known) for uri in sorted(set(uris))]
    sidecars = _sidecars(sources, listing)
    sources = [source for source in sources if source.uri in sidecars]
    joined = {sidecar for found in sidecars.values() for sidecar in found}
    hashes = {uri: _hash_of(uri, lake, known) for uri in sorted(joined)}
    beside = {uri: sorted(hashes[each] for each in sidecars[uri] if each != uri) for uri in sidecars}
    own_paths = _own_paths(sources, lake, beside=beside)
    settings_key = ingest_key(settings)
    units: list[SourceUnit] = []
    for source in sources:
        if source.uri in joined and not source.is_claimed:
            continue
        others = tuple(uri for uri in sidecars[source.uri] if uri != source.uri)
        facts = source.adapter.path_facts(shown(own_paths[source.uri]))
        units.extend(_units_of(source, others, beside[source.uri], facts=facts, settings_key=settings_key))
    return units


def _sidecars(sources: Sequence[_Source], listing: Listing) -> dict[str, tuple[str, ...]]:
    """Return each unit's sidecars; a file that is a part of another unit's record is no unit of its own."""
    wholes: dict[str, tuple[str, ...]] = {}
    parts: set[str] = set()
    for source in sources:
        if source.adapter.name in OF_SEVERAL_FILES and source.uri not in parts:
            wholes[source.uri] = source.adapter.sidecars(source.uri, listing)
            parts.update(wholes[source.uri])
    return {
        source.uri: wholes[source.uri] if source.uri in wholes else source.adapter.sidecars(source.uri, listing)
        for source in sources
        if source.uri not in parts
    }


def _own_paths(sources: Sequence[_Source], lake: Lake, *, beside: dict[str, list[str]]) -> dict[str, str]:
    """Return the path of each source that says what its rollouts are of: not a link's, where the lake has the file's.

    A path that puts other files beside a file than its own path does speaks for itself. Of several links to a file
    outside the lake the first speaks.
    """
    own = {source.uri: source.uri for source in sources}
    if not isinstance(lake.fs, LocalFileSystem):
        return own
    top = f"{os.path.realpath(lake.root)}/"
    groups: dict[tuple[str, ...], list[str]] = {}
    for source in sources:
        if source.adapter is not UNREADABLE:
            real = os.path.realpath(f"{lake.root.rstrip('/')}/{source.uri}")
            groups.setdefault((real, source.adapter.name, *beside[source.uri]), []).append(source.uri)
    for (real, *_), uris in groups.items():
        spoken = real.removeprefix(top)
        own |= dict.fromkeys(uris, spoken if spoken in uris else uris[0])
    return own


def ingest_key(settings: IngestSettings) -> str:
    """Return the hash of the ingest settings that change what is read from given bytes by a given adapter."""
    return short_id("ingest settings", canonical_json(settings.model_dump(exclude={"format", "max_bad_ratio"})))


def _source(uri: str, lake: Lake, settings: IngestSettings, *, range_bytes: int, known: KnownFiles) -> _Source:
    """Return what is known of a file, else look at it; one that cannot be opened is looked at each time."""
    state = known.state(uri)
    found = known.found_of(uri, state)
    if found is not None and state is not None:
        adapter = adapter_named(found.adapter)
        return _Source(uri, adapter, found.ranges, state.size, found.is_cut, found.is_claimed)
    source = _look_at(uri, lake, settings, range_bytes=range_bytes)
    if state is not None and source.size == state.size and source.is_open:
        found = FoundFile(source.adapter.name, source.ranges, source.is_cut, source.is_claimed)
        known.add_found(uri, state, found=found)
    return source


def _look_at(uri: str, lake: Lake, settings: IngestSettings, *, range_bytes: int) -> _Source:
    """Open, detect and hash a file; one that cannot be opened is named by its path."""
    try:
        with lake.open(uri) as stream:
            size = stream.seek(0, 2)
            stream.seek(0)
            try:
                outline = outline_of(stream, size, max_record_bytes=limits_of(settings).max_bytes)
            except UnreadableError:
                stream.seek(0)
                return _Source(uri, UNREADABLE, (ByteRange(0, size, _hash(stream)),), size)
            adapter = detect(outline, settings, uri=uri)
            stream.seek(0)
            is_cut = outline.shape == "lines" and not outline.is_packed and isinstance(adapter, RowAdapter)
            ranges = hash_ranges(stream, range_bytes=range_bytes) if is_cut else [ByteRange(0, size, _hash(stream))]
            return _Source(uri, adapter, tuple(ranges), size, is_cut, claimant(outline, settings) is not None)
    except OSError:
        by_path = hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()
        return _Source(uri, UNREADABLE, (ByteRange(0, 0, by_path),), 0, is_open=False)


def _units_of(
    source: _Source, sidecars: tuple[str, ...], beside: list[str], *, facts: PathFacts, settings_key: str
) -> list[SourceUnit]:
    """Return the units of a file; `beside` are the hashes of its sidecars."""
    adapter, facts = source.adapter, tuple(sorted(facts))
    return [
        SourceUnit(
            unit_key=_unit_key(part, adapter, facts, sidecar_hashes=beside, settings_key=settings_key),
            uri=source.uri,
            adapter=adapter.name,
            adapter_version=adapter.version,
            size=source.size,
            sha256=part.sha256,
            byte_start=part.start,
            byte_end=part.end if source.is_cut else None,
            sidecars=sidecars,
            path_facts=facts,
        )
        for part in source.ranges
    ]


def _unit_key(
    part: ByteRange, adapter: Adapter, facts: PathFacts, *, sidecar_hashes: list[str], settings_key: str
) -> str:
    """Return the key of a unit: its bytes (a range's start too, as offsets are kept), never its place."""
    return short_id(
        "unit",
        part.sha256,
        part.start,
        canonical_json(sorted(sidecar_hashes)),
        canonical_json(facts),
        adapter.name,
        adapter.version,
        settings_key,
    )


def _hash_of(uri: str, lake: Lake, known: KnownFiles) -> str:
    """Return the hash of a sidecar; one that cannot be read is named by its path."""
    state = known.state(uri)
    kept = known.hash_of(uri, state)
    if kept is not None:
        return kept
    try:
        with lake.open(uri) as stream:
            sha256 = _hash(stream)
        known.add_hash(uri, state, sha256=sha256)
        return sha256
    except OSError:
        return hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()


def _hash(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()
