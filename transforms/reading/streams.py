"""Plain bytes of a file that may be packed with gzip or zstandard, within a limit on what it may inflate to."""

from collections.abc import Iterator
from typing import BinaryIO, Final, Protocol

from transforms.reading.failures import TooLargeError
from transforms.reading.supervision import supervised

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
INFLATE_FREE_BYTES: Final = 256 * 1024 * 1024
INFLATE_RATIO: Final = 200
"""A packed file may inflate to 256 MiB, or to 200 times its size where that is more: rollout logs, which repeat their
own history, pack 10 to 100 times; deflate's bombs reach 1,000."""


class ByteSource(Protocol):
    """Bytes that are read forward; fewer than asked for may come, none only at the end."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""
        ...


class PieceSource:
    """Bytes that come in pieces, up to a limit.

    Args:
        pieces: The bytes; they may raise UnreadableError.
        limit: Bytes allowed.
    """

    def __init__(self, pieces: Iterator[bytes], *, limit: int) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")
        self._limit = limit
        self._count = 0

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes.

        Raises:
            TooLargeError: There are more bytes than the limit allows.
            UnreadableError: The packing is damaged.
            CutStreamError: The packed stream stops before its end.
        """
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
            self._count += len(self._left)
            if self._count > self._limit:
                raise TooLargeError(f"inflates to more than {self._limit} bytes")
        taken, self._left = self._left[:size], self._left[size:]
        return bytes(taken)


def inflate_limit(size: int) -> int:
    """Return how many bytes a packed file of `size` bytes may stand for."""
    return max(INFLATE_FREE_BYTES, INFLATE_RATIO * size)


def is_packed(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of gzip or zstandard."""
    return head.startswith((GZIP_MAGIC, ZSTD_MAGIC))


def unpacked(stream: BinaryIO, size: int) -> ByteSource:
    """Return the plain bytes of `stream`, told by its first bytes; a plain stream is returned as it is.

    Args:
        stream: A seekable stream at its head.
        size: Its length in bytes, which bounds what it may inflate to.
    """
    head = stream.read(4)
    stream.seek(0)
    if not is_packed(head):
        return stream
    job = "gzip" if head.startswith(GZIP_MAGIC) else "zstandard"
    return PieceSource(supervised(job, stream), limit=inflate_limit(size))


def read_up_to(source: ByteSource, size: int) -> bytes:
    """Return the next `size` bytes, fewer only at the end of the source."""
    chunks: list[bytes] = []
    while size > 0 and (chunk := source.read(min(size, 1024 * 1024))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
