"""Plain bytes of a file that may be packed with gzip or zstandard, within a limit on what it may inflate to."""

import zlib
from typing import BinaryIO, Final, Protocol

import zstandard

from transforms.reading.failures import UnreadableError

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
INFLATE_FREE_BYTES: Final = 256 * 1024 * 1024
INFLATE_RATIO: Final = 200
"""A packed file may inflate to 256 MiB, or to 200 times its size where that is more: rollout logs, which repeat their
own history, pack 10 to 100 times; deflate's bombs reach 1,000."""
_CHUNK_BYTES: Final = 64 * 1024
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS


class CutStreamError(UnreadableError):
    """A packed file that stops before its end."""


class ByteSource(Protocol):
    """Bytes that are read forward; fewer than asked for may come, none only at the end."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""
        ...


class GzipSource:
    """The unpacked bytes of a gzip stream of one or several members; what can be unpacked comes before an error."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)
        self._pending = b""
        self._at_member_start = True

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""
        while True:
            chunk = self._pending or self._packed.read(_CHUNK_BYTES)
            if not chunk:
                if self._at_member_start:
                    return b""
                raise CutStreamError("the packed file stops before its end")
            if self._at_member_start and not (chunk := chunk.lstrip(b"\0")):
                self._pending = b""
                continue
            self._at_member_start = False
            plain = self._decoder.decompress(chunk, size)
            self._pending = self._decoder.unconsumed_tail
            if self._decoder.eof:
                self._pending = self._decoder.unused_data
                self._decoder = zlib.decompressobj(_GZIP_WINDOW)
                self._at_member_start = True
            if plain:
                return plain


class LimitedSource:
    """An unpacked source that stops with an error at its limit."""

    def __init__(self, inner: ByteSource, *, limit: int) -> None:
        self._inner = inner
        self._limit = limit
        self._count = 0

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes.

        Raises:
            UnreadableError: The packing is damaged or inflates beyond the limit.
            CutStreamError: The packed stream stops before its end.
        """
        try:
            chunk = self._inner.read(size)
        except (zlib.error, zstandard.ZstdError) as error:
            raise UnreadableError(f"damaged packing: {error}") from error
        self._count += len(chunk)
        if self._count > self._limit:
            raise UnreadableError(f"inflates to more than {self._limit} bytes")
        return chunk


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
    inner: ByteSource
    if head.startswith(GZIP_MAGIC):
        inner = GzipSource(stream)
    else:
        inner = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return LimitedSource(inner, limit=max(INFLATE_FREE_BYTES, INFLATE_RATIO * size))


def read_up_to(source: ByteSource, size: int) -> bytes:
    """Return the next `size` bytes, fewer only at the end of the source."""
    chunks: list[bytes] = []
    while size > 0 and (chunk := source.read(min(size, 1024 * 1024))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
