"""The files of a lake: a folder or object-store prefix read through fsspec, named by paths relative to its root."""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO, cast

from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import InputError
from transforms.reading.globs import glob_matches


@dataclass(frozen=True)
class Lake:
    """A lake that can be read; it pickles with its file system."""

    fs: AbstractFileSystem
    root: str

    def open(self, uri: str) -> BinaryIO:
        """Open the file at `uri`, relative to the root, as a seekable binary stream.

        Raises:
            OSError: The file cannot be opened.
        """
        return cast("BinaryIO", self.fs.open(f"{self.root.rstrip('/')}/{uri}", "rb"))


@dataclass(frozen=True)
class Listing:
    """All file paths of a lake, sorted, found by name without walking them again."""

    uris: tuple[str, ...]

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by file name, sorted."""
        names: dict[str, list[str]] = defaultdict(list)
        for uri in self.uris:
            names[uri.rpartition("/")[2]].append(uri)
        return dict(names)

    @cached_property
    def by_folder_and_name(self) -> dict[tuple[str, str], list[str]]:
        """Paths by the name of their folder and their own name, sorted."""
        names: dict[tuple[str, str], list[str]] = defaultdict(list)
        for uri in self.uris:
            *_, folder, name = ("", *uri.split("/"))
            names[folder, name].append(uri)
        return dict(names)

    @cached_property
    def known(self) -> frozenset[str]:
        """All paths."""
        return frozenset(self.uris)

    def named(self, name: str) -> list[str]:
        """Return the paths whose file name is `name`."""
        return self.by_name.get(name, [])


def walk_lake(fs: AbstractFileSystem, root: str) -> Listing:
    """List every regular file under `root`.

    Links are followed, but never into a folder that contains them; a file reached by several paths is listed under the
    smallest one; pipes, sockets and devices are left out. A folder that cannot be listed stands in the listing itself,
    so that it is told as unreadable.

    Raises:
        InputError: The root is missing or no folder.
    """
    if not fs.isdir(root):
        raise InputError(f"lake.root: no folder at {root!r}")
    if not isinstance(fs, LocalFileSystem):
        prefix = fs._strip_protocol(root).rstrip("/") + "/"
        return Listing(tuple(sorted(path.removeprefix(prefix) for path in fs.find(root))))
    found: dict[tuple[int, int], str] = {}
    top = cast("str", fs._strip_protocol(root))
    for uri, status in _walk_folder(top, "", ancestors=frozenset()):
        identity = (status.st_dev, status.st_ino)
        if identity not in found or uri < found[identity]:
            found[identity] = uri
    return Listing(tuple(sorted(found.values())))


def _walk_folder(path: str, prefix: str, *, ancestors: frozenset[Any]) -> Iterator[tuple[str, os.stat_result]]:
    status = os.stat(path)
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        yield prefix.rstrip("/"), status
        return
    identity = (status.st_dev, status.st_ino)
    if identity in ancestors:
        return
    for entry in entries:
        uri = f"{prefix}{entry.name}"
        try:
            inner = entry.stat()
        except OSError:
            continue
        if stat.S_ISDIR(inner.st_mode):
            yield from _walk_folder(entry.path, f"{uri}/", ancestors=ancestors | {identity})
        elif stat.S_ISREG(inner.st_mode):
            yield uri, inner


def list_lake(fs: AbstractFileSystem, root: str, include: Sequence[str], exclude: Sequence[str] = ()) -> list[str]:
    """Return the primary files of a lake: those an include glob names and no exclude glob does, each once, sorted.

    Args:
        fs: The file system of the lake.
        root: The folder or prefix.
        include: Globs relative to the root; a glob that is the path of a file names that file literally.
        exclude: Globs of files to leave out.

    Raises:
        InputError: The root is missing, the lake is empty, or an include glob matches nothing.
    """
    listing = walk_lake(fs, root)
    if not listing.uris:
        raise InputError(f"lake.root: {root!r} holds no file")
    chosen: set[str] = set()
    for glob in include:
        matched = _matching(glob, listing)
        if not matched:
            raise InputError(f"lake.include: {glob!r} matches no file under {root!r}")
        chosen.update(matched)
    for glob in exclude:
        chosen.difference_update(_matching(glob, listing))
    if not chosen:
        raise InputError(f"lake.exclude: nothing is left to read under {root!r}")
    return sorted(chosen)


def _matching(glob: str, listing: Listing) -> list[str]:
    literal = glob.strip("/")
    if literal in listing.known:
        return [literal]
    return [uri for uri in listing.uris if glob_matches(glob, uri)]
