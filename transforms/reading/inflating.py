"""Unpacks gzip, zstandard and the members of zip archives; runs in a supervised process."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

import zstandard

from transforms.reading.failures import CutStreamError, UnreadableError

FIRST_PIECE_BYTES: Final = 64 * 1024
"""The first piece is all that is wanted where a file is only looked at."""
PIECE_BYTES: Final = 1024 * 1024
_CHUNK_BYTES: Final = 64 * 1024
_ZSTANDARD_BITE_BYTES: Final = 2048
"""Packed bytes handed over at once: a block of 4 bytes may stand for 128 KiB, so these for 64 MiB."""
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_ZIP_ZSTANDARD: Final = (93, 20)
"""Compression methods of a zip member that the standard library cannot read before Python 3.14."""
_LOCAL_HEADER_BYTES: Final = 30


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


def inflate_gzip(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the plain bytes of a gzip stream, piece by piece.

    Raises:
        CutStreamError: The stream stops before its end; what could be unpacked has been yielded.
        zlib.error: The stream is damaged.
    """
    source = GzipSource(stream)
    return _joined(iter(lambda: source.read(PIECE_BYTES), b""))


def inflate_zstandard(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the plain bytes of a zstandard stream, piece by piece.

    Raises:
        CutStreamError: The last frame stops before its end; what could be unpacked has been yielded.
        zstandard.ZstdError: The stream is damaged.
    """
    return _joined(_frames(stream))


def _frames(stream: BinaryIO) -> Iterator[bytes]:
    decoder = None
    while chunk := stream.read(_CHUNK_BYTES):
        for start in range(0, len(chunk), _ZSTANDARD_BITE_BYTES):
            bite = chunk[start : start + _ZSTANDARD_BITE_BYTES]
            while bite:
                decoder = decoder or zstandard.ZstdDecompressor().decompressobj()
                yield decoder.decompress(bite)
                bite = decoder.unused_data
                decoder = None if decoder.eof else decoder
    if decoder is not None:
        raise CutStreamError("the packed file stops before its end")


def _joined(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the parts joined to pieces of some size; what came before an error is yielded before it is raised."""
    gathered: list[bytes] = []
    size, wanted = 0, FIRST_PIECE_BYTES
    try:
        for part in parts:
            gathered.append(part)
            size += len(part)
            if size >= wanted:
                piece, gathered, size, wanted = b"".join(gathered), [], 0, PIECE_BYTES
                yield piece
    except (UnreadableError, zlib.error, zstandard.ZstdError, zipfile.BadZipFile, EOFError):
        if size:
            yield b"".join(gathered)
        raise
    if size:
        yield b"".join(gathered)


def archive_names(stream: BinaryIO, *, max_members: int) -> list[tuple[str, int]]:
    """Return the names and claimed sizes in bytes of a zip archive's members, in the order of its directory.

    Raises:
        UnreadableError: There are more than `max_members`.
        zipfile.BadZipFile: The archive is damaged.
    """
    with zipfile.ZipFile(stream) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > max_members:
        raise UnreadableError(f"{len(members)} members, {max_members} allowed")
    return [(member.filename, member.file_size) for member in members]


def inflate_member(stream: BinaryIO, *, name: str) -> Iterator[bytes]:
    """Yield the plain bytes of the member `name` of a zip archive, stored, deflated or packed with zstandard.

    Raises:
        UnreadableError: There is no such member.
        CutStreamError: The member stops before its end.
        zipfile.BadZipFile: The archive or the member is damaged.
    """
    with zipfile.ZipFile(stream) as archive:
        member = next((member for member in archive.infolist() if member.filename == name), None)
        if member is None:
            raise UnreadableError("the archive has no such member")
        if member.compress_type in _ZIP_ZSTANDARD:
            yield from inflate_zstandard(io.BufferedReader(_MemberBytes(stream, member)))
            return
        with archive.open(member) as opened:
            yield from _joined(iter(lambda: opened.read(PIECE_BYTES), b""))


class _MemberBytes(io.RawIOBase):
    """The packed bytes of one zip member."""

    def __init__(self, stream: BinaryIO, member: zipfile.ZipInfo) -> None:
        stream.seek(member.header_offset)
        header = stream.read(_LOCAL_HEADER_BYTES)
        if len(header) < _LOCAL_HEADER_BYTES or not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile("a member's own header is damaged")
        names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        self._stream = stream
        self._position = member.header_offset + _LOCAL_HEADER_BYTES + names
        self._left = member.compress_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        self._stream.seek(self._position)
        chunk = self._stream.read(min(len(buffer), self._left))
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        self._left -= len(chunk)
        return len(chunk)
