"""All access to a store's files: atomic writes, exclusive creation, listing, hashes.

A store lies in a local folder or under any URL fsspec opens. Paths are store-relative POSIX text; ids that come from
data never become paths.
"""

import errno
import hashlib
import os
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import IO, Any, cast

import fsspec
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import DiskFullError, StoreError

_TEMPORARY_SUFFIX = ".part"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_WRITABLE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR})


@dataclass(frozen=True)
class Store:
    """The files under `root`, a local folder or an fsspec URL. Picklable: workers open their own file system.

    Every write appears whole or not at all: local files go through a temporary file, fsync and rename; object stores
    publish an object when its upload ends.
    """

    root: str

    @cached_property
    def _filesystem(self) -> tuple[fsspec.AbstractFileSystem, str]:
        filesystem, path = fsspec.core.url_to_fs(self.root)
        return filesystem, path.rstrip("/")

    def __getstate__(self) -> dict[str, str]:
        """Leave the open file system out of a pickle."""
        return {"root": self.root}

    @property
    def is_local(self) -> bool:
        """Say whether the store lies on this machine's file system."""
        return isinstance(self._filesystem[0], LocalFileSystem)

    def full_path(self, path: str) -> str:
        """Return the file system's own path of the store-relative `path`.

        Raises:
            StoreError: The path would leave the store.
        """
        parts = PurePosixPath(path).parts
        if not path or path.startswith("/") or ".." in parts or "\0" in path:
            raise StoreError(f"{path!r} is no path inside a store")
        return f"{self._filesystem[1]}/{path}"

    def check_writable(self) -> None:
        """Make and remove a folder where a local store lies or would lie; stores elsewhere are not asked.

        Raises:
            DiskFullError: No space is left.
            StoreError: The store is not writable.
        """
        if not self.is_local:
            return
        folder = os.path.abspath(self._filesystem[1])
        try:
            while not _is_folder(folder):
                folder = os.path.dirname(folder)
            os.rmdir(tempfile.mkdtemp(prefix=".trajsift-", dir=folder))
        except OSError as error:
            if error.errno in _NO_SPACE:
                raise DiskFullError(
                    f"no space left for the store {self.root}; free space or move the store"
                ) from error
            raise StoreError(f"store: nothing can be written in {folder}: {error.strerror}; move the store") from error

    def open_read(self, path: str) -> IO[bytes]:
        """Open a file for reading, with random access.

        Raises:
            StoreError: There is no such file.
        """
        try:
            return cast(IO[bytes], self._filesystem[0].open(self.full_path(path), "rb"))
        except FileNotFoundError as error:
            raise StoreError(f"{path} is missing from the store {self.root}") from error

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content. Raises StoreError when there is no such file."""
        with self.open_read(path) as file:
            return file.read()

    def exists(self, path: str) -> bool:
        """Say whether there is a file at `path`."""
        return bool(self._filesystem[0].isfile(self.full_path(path)))

    def size(self, path: str) -> int:
        """Return a file's size in bytes."""
        return int(self._filesystem[0].size(self.full_path(path)))

    def list(self, prefix: str) -> list[str]:
        """Return the store-relative paths of all files below the folder `prefix`, sorted; temporary files left out."""
        filesystem, root = self._filesystem
        folder = self.full_path(prefix)
        if not filesystem.isdir(folder):
            return []
        found = (str(path)[len(root) + 1 :] for path in filesystem.find(folder))
        return sorted(path for path in found if not path.endswith(_TEMPORARY_SUFFIX))

    @contextmanager
    def writer(self, path: str) -> Iterator[IO[bytes]]:
        """Give a binary file that appears at `path` when the block ends, and not at all when it raises.

        Raises:
            DiskFullError: No space is left.
            StoreError: The store is not writable.
        """
        with _clear_errors(self.root, path):
            if self.is_local:
                with self._local_writer(self.full_path(path)) as file:
                    yield file
            else:
                with self._filesystem[0].transaction, self._filesystem[0].open(self.full_path(path), "wb") as file:
                    yield file

    @contextmanager
    def _local_writer(self, target: str) -> Iterator[IO[bytes]]:
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        temporary = f"{target}.{uuid.uuid4().hex}{_TEMPORARY_SUFFIX}"
        try:
            with open(temporary, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
            _sync_folder(folder)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise

    def write_atomic(self, path: str, content: bytes) -> None:
        """Write `content` to `path`, replacing what was there in one step."""
        with self.writer(path) as file:
            file.write(content)

    def put_if_absent(self, path: str, content: bytes) -> bool:
        """Create `path` with `content`; return False, and change nothing, when it exists already."""
        with _clear_errors(self.root, path):
            if not self.is_local:
                if self.exists(path):
                    return False
                self.write_atomic(path, content)
                return True
            target = self.full_path(path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            temporary = f"{target}.{uuid.uuid4().hex}{_TEMPORARY_SUFFIX}"
            try:
                with open(temporary, "xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.link(temporary, target)
            except FileExistsError:
                return False
            finally:
                if os.path.exists(temporary):
                    os.unlink(temporary)
            return True

    def delete(self, path: str) -> None:
        """Remove a file; a file that is gone already is fine."""
        try:
            self._filesystem[0].rm_file(self.full_path(path))
        except FileNotFoundError:
            return

    def delete_folder(self, prefix: str) -> None:
        """Remove a folder and all below it; a folder that is gone already is fine."""
        folder = self.full_path(prefix)
        if self._filesystem[0].exists(folder):
            self._filesystem[0].rm(folder, recursive=True)

    def sha256(self, path: str) -> str:
        """Return the 64 hex digits of a file's SHA-256, read in pieces."""
        with self.open_read(path) as file:
            return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


@contextmanager
def _clear_errors(root: str, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise DiskFullError(
                f"no space left in the store {root} while writing {path}; free space or move the store, then run again"
            ) from error
        if error.errno in _NOT_WRITABLE:
            raise StoreError(f"cannot write {path} in the store {root}: {error.strerror}") from error
        raise


def _is_folder(path: str) -> bool:
    """Say whether a folder is there.

    Raises:
        OSError: Something else is there, or the system refuses such a path.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    return True


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
