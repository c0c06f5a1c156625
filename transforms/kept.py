"""Keeping on disk what is costly to make anew in every process and follows from installed code alone.

Bytes are kept in a folder `trajsift` of the user's cache folder, or of the one that numba was told to keep code in,
or nowhere when that cannot be written. A file that is damaged or made for something else is as good as none. No other
user can plant one: the folder and its files are read only if they are this user's and no one else may write them.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from numba.core import config
from numba.misc.appdirs import AppDirs

_MAGIC: Final = b"trajsift 1\n"
_HEAD_BYTES: Final = len(_MAGIC) + hashlib.sha256().digest_size
_MOST_FILES: Final = 64
"""A release has about ten; each is some MB at most."""
_OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_IS_SUPPORTED: Final = os.open in os.supports_dir_fd and hasattr(os, "geteuid")
"""Elsewhere nothing tells a folder of one's own from another's."""


def kept_bytes(key: bytes) -> bytes | None:
    """Return what was kept under a key, byte by byte as it was; None if there is nothing that can be trusted.

    Args:
        key: All that the bytes depend on: what they were made from, and the versions of what made them.
    """
    try:
        with _own_folder() as folder:
            kept = _read(_name(key), folder)
    except OSError:
        return None
    head, body = kept[:_HEAD_BYTES], kept[_HEAD_BYTES:]
    return body if head == _MAGIC + _digest(key, body) else None


def keep_bytes(key: bytes, kept: bytes) -> None:
    """Keep bytes under a key for the next process, whole or not at all; nothing happens without a place to write."""
    name = _name(key)
    draft = f"{name}.{secrets.token_hex(8)}"
    with suppress(OSError), _own_folder() as folder:
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
            with open(descriptor, "wb") as file:
                file.write(_MAGIC + _digest(key, kept) + kept)
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            os.unlink(draft, dir_fd=folder)
        _remove_oldest(folder)


@contextmanager
def _own_folder() -> Iterator[int]:
    """Give the descriptor of the folder, which is made if need be; everything is opened relative to it."""
    if not _IS_SUPPORTED:
        raise PermissionError("files cannot be told from those of other users")
    told: str = vars(config)["CACHE_DIR"]
    path = f"{told}/trajsift" if told else AppDirs("trajsift", appauthor=False).user_cache_dir
    with suppress(FileExistsError):
        os.makedirs(path, mode=0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if not _is_own(os.fstat(folder)):
            raise PermissionError("the folder is open to others")
        yield folder
    finally:
        os.close(folder)


def _read(name: str, folder: int) -> bytes:
    # Without waiting: a pipe has no other end here.
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_own(status):
            raise PermissionError("the file is open to others")
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & _OPEN_TO_OTHERS


def _remove_oldest(folder: int) -> None:
    """Remove what earlier releases and ended processes left."""
    names = os.listdir(folder)
    if len(names) > _MOST_FILES:
        by_age = sorted((os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns, name) for name in names)
        for _, name in by_age[:-_MOST_FILES]:
            os.unlink(name, dir_fd=folder)


def _name(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()


def _digest(key: bytes, kept: bytes) -> bytes:
    return hashlib.sha256(len(key).to_bytes(8) + key + kept).digest()
