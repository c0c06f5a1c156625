"""The files of a lake: a folder or object-store prefix read through fsspec, named by paths relative to its root."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, cast

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
            OSError: The file cannot be opened, or is a pipe, socket or device, which might never answer.
        """
        path = f"{self.root.rstrip('/')}/{uri}"
        if isinstance(self.fs, LocalFileSystem) and os.path.exists(path) and not os.path.isfile(path):
            raise OSError(f"{shown(uri)} is no regular file")
        return cast("BinaryIO", self.fs.open(path, "rb"))


def shown(uri: str) -> str:
    """Return a path as it is stored and told: bytes of its name that are no UTF-8 are written out."""
    return uri.encode("utf-8", "backslashreplace").decode()


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
    def by_folder(self) -> dict[str, list[str]]:
        """Paths by the whole path of their folder, sorted."""
        folders: dict[str, list[str]] = defaultdict(list)
        for uri in self.uris:
            folders[uri.rpartition("/")[0]].append(uri)
        return dict(folders)

    @cached_property
    def known(self) -> frozenset[str]:
        """All paths."""
        return frozenset(self.uris)

    def named(self, name: str) -> list[str]:
        """Return the paths whose file name is `name`."""
        return self.by_name.get(name, [])


def walk_lake(fs: AbstractFileSystem, root: str) -> Listing:
    """List everything under `root` that is no folder.

    Links are followed, but never into a folder that contains them; a file that several paths reach is listed under
    each of them, as its paths may say different things of it. Broken links, pipes, sockets, devices and folders that
    cannot be listed stand in the listing too, so that they are told as unreadable.

    Raises:
        InputError: The root is missing or no folder.
    """
    if not fs.isdir(root):
        raise InputError(f"lake.root: no folder at {root!r}")
    if not isinstance(fs, LocalFileSystem):
        prefix = fs._strip_protocol(root).rstrip("/") + "/"
        return Listing(tuple(sorted(path.removeprefix(prefix) for path in fs.find(root))))
    top = cast("str", fs._strip_protocol(root))
    return Listing(tuple(sorted(_walk_folder(top, "", ancestors=frozenset()))))


def _walk_folder(path: str, prefix: str, *, ancestors: frozenset[tuple[int, int]]) -> Iterator[str]:
    status = os.stat(path)
    identity = (status.st_dev, status.st_ino)
    if identity in ancestors:
        return
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        yield prefix.rstrip("/")
        return
    for entry in entries:
        uri = f"{prefix}{entry.name}"
        if os.path.isdir(entry.path):
            yield from _walk_folder(entry.path, f"{uri}/", ancestors=ancestors | {identity})
        else:
            yield uri


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
