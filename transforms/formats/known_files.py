"""What earlier runs found of the files of a lake: so a run over files that did not change opens none of them.

A file is the same while its size, times and inode are. That decides what is read, never what anything is called: a
unit's key hashes content, whether its hash was taken this time or before. Kept for lakes on a local file system only.
"""

import hashlib
import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

import orjson
from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem

from schemas.settings.ingest import IngestSettings
from schemas.versions import SCHEMA_VERSION, STAGE_VERSIONS
from transforms.formats.registry import ALL_ADAPTERS
from transforms.reading.lines import ByteRange
from transforms.store.files import Store
from transforms.store.keys import canonical_json, short_id

PATH: Final = "listing.json"
"""Store path of what is known."""

_SETTLED_NS: Final = 2 * 10**9
"""A file that changed so shortly before it was read may change again without a sign: the clocks of some file systems
have steps of two seconds."""


class FileState(NamedTuple):
    """What the file system says of a file."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class FoundFile(NamedTuple):
    """What was found of a file: the adapter that reads it, its ranges, if it is cut, if a format claims it."""

    adapter: str
    ranges: tuple[ByteRange, ...]
    is_cut: bool
    is_claimed: bool


@dataclass
class KnownFiles:
    """The files of earlier runs; `found` and `hashes` hold what is trusted, by the hash of the path.

    A path may hold a secret, so it is not written down.

    Attributes:
        root: Where the lake lies; None where the file system tells no states.
        found: Files that were looked at as records.
        hashes: SHA-256 of files that stand beside records.
        has_changed: Whether there is anything to keep that was not kept before.
    """

    root: str | None
    found: dict[str, tuple[FileState, FoundFile]] = field(default_factory=dict)
    hashes: dict[str, tuple[FileState, str]] = field(default_factory=dict)
    has_changed: bool = False
    taken_ns: int = field(default_factory=time.time_ns)

    def forget_others(self, uris: Collection[str]) -> None:
        """Forget the files that are not among those of the lake."""
        names = {_name(uri) for uri in uris} if self.found or self.hashes else set()
        for kept in (self.found, self.hashes):
            for name in kept.keys() - names:
                del kept[name]

    def state(self, uri: str) -> FileState | None:
        """Return the state of a file; None where there is none to trust."""
        if self.root is None:
            return None
        try:
            status = os.stat(f"{self.root}/{uri}")
        except OSError:
            return None
        return FileState(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def found_of(self, uri: str, state: FileState | None) -> FoundFile | None:
        """Return what was found of a file in that state."""
        known = self.found.get(_name(uri))
        return known[1] if known is not None and known[0] == state else None

    def hash_of(self, uri: str, state: FileState | None) -> str | None:
        """Return the hash of a file in that state."""
        known = self.hashes.get(_name(uri))
        return known[1] if known is not None and known[0] == state else None

    def add_found(self, uri: str, state: FileState | None, *, found: FoundFile) -> None:
        """Note what was found of a file whose state was taken before it was opened."""
        if state is not None and self._is_settled(state):
            self.found[_name(uri)] = (state, found)
            self.has_changed = True

    def add_hash(self, uri: str, state: FileState | None, *, sha256: str) -> None:
        """Note the hash of a file whose state was taken before it was opened."""
        if state is not None and self._is_settled(state):
            self.hashes[_name(uri)] = (state, sha256)
            self.has_changed = True

    def _is_settled(self, state: FileState) -> bool:
        return max(state.modified_ns, state.changed_ns) < self.taken_ns - _SETTLED_NS

    def to_json(self, key: str) -> bytes:
        """Return what is known as JSON."""
        return orjson.dumps({"key": key, "found": self.found, "hashes": self.hashes}, default=list)

    @classmethod
    def from_json(cls, content: bytes, root: str, *, key: str) -> Self:
        """Return what `to_json` wrote with that key; nothing, where the key is another or the content damaged."""
        try:
            tree: dict[str, Any] = orjson.loads(content)
            if tree["key"] != key:
                return cls(root)
            found = {
                name: (FileState(*state), FoundFile(adapter, tuple(ByteRange(*each) for each in ranges), *flags))
                for name, (state, (adapter, ranges, *flags)) in tree["found"].items()
            }
            hashes = {name: (FileState(*state), str(sha256)) for name, (state, sha256) in tree["hashes"].items()}
        except (ValueError, KeyError, TypeError):
            return cls(root)
        return cls(root, found, hashes)


def _name(uri: str) -> str:
    return hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def known_key(settings: IngestSettings) -> str:
    """Return the hash of all that decides, beside a file's content and path, what is found of it."""
    adapters = [[adapter.name, adapter.version] for adapter in ALL_ADAPTERS]
    return short_id(
        "known files", STAGE_VERSIONS["ingest"], SCHEMA_VERSION, canonical_json([settings.model_dump(), adapters])
    )


def read_known_files(store: Store, fs: AbstractFileSystem, *, root: str, settings: IngestSettings) -> KnownFiles:
    """Return what earlier runs into the store found of the lake's files."""
    if not isinstance(fs, LocalFileSystem):
        return KnownFiles(None)
    if not store.exists(PATH):
        return KnownFiles(root.rstrip("/"))
    return KnownFiles.from_json(store.read_bytes(PATH), root.rstrip("/"), key=known_key(settings))


def keep_known_files(store: Store, known: KnownFiles, *, settings: IngestSettings) -> None:
    """Write what is known for the next run, if it is more than was read; raises as `Store.write_atomic` does."""
    if known.has_changed:
        store.write_atomic(PATH, known.to_json(known_key(settings)))
