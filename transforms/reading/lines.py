"""Lines of a byte stream with their numbers, offsets and lengths, and the fixed ranges a line file is cut into."""

import hashlib
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol, runtime_checkable

from transforms.reading.failures import CutStreamError
from transforms.reading.streams import ByteSource, read_up_to

RANGE_BYTES: Final = 64 * 1024 * 1024
"""Nominal size of a line file's range; a range ends with the first line that reaches its end."""
BLOCK_BYTES: Final = 256 * 1024
"""Bytes read at once: they lie in the processor's cache when they are cut; at 1 MiB that takes half as long again."""
BOM: Final = b"\xef\xbb\xbf"


@runtime_checkable
class Seekable(Protocol):
    """A stream that can be placed anywhere."""

    def seek(self, offset: int, /) -> int:
        """Go to `offset`, counted from the head."""
        ...


class Line(NamedTuple):
    """One line without its end.

    `number` counts from 1 and is None where the reading began inside the file. `offset` and `length` are bytes of the
    stream: reading `length` bytes at `offset` gives `raw`. `raw` is None for a line over the limit, whose hash stands
    in `sha256`. `is_terminated` is false for a last line without a line end.
    """

    number: int | None
    offset: int
    length: int
    raw: bytes | None
    sha256: str | None = None
    is_terminated: bool = True


class ByteRange(NamedTuple):
    """A range of whole lines, end excluded, and the hash of its bytes."""

    start: int
    end: int
    sha256: str


class _OpenLine:
    """A line whose end has not been seen yet; over the limit only its hash and length are kept."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        self.pieces: list[bytes] = []
        self.length = 0
        self.digest: hashlib._Hash | None = None

    def add(self, piece: bytes) -> None:
        self.length += len(piece)
        if self.digest is None and self.length > self.limit:
            self.digest = hashlib.sha256(b"".join(self.pieces))
            self.pieces = []
        if self.digest is None:
            self.pieces.append(piece)
        else:
            self.digest.update(piece)

    def close(self, number: int | None, offset: int, *, is_terminated: bool) -> Line:
        if self.digest is not None:
            line = Line(number, offset, self.length, None, self.digest.hexdigest(), is_terminated)
        else:
            line = _plain_line(number, offset, b"".join(self.pieces), is_terminated=is_terminated)
        self.clear()
        return line


def read_lines(stream: ByteSource, *, max_bytes: int, start: int = 0, end: int | None = None) -> Iterator[Line]:
    r"""Yield the lines that start in [start, end) of the stream, blank ones included.

    Lines end with \n or \r\n; a byte order mark at the head of the stream belongs to no line. Only a line whose first
    byte lies in the range is read, and it is read to its end wherever that is.

    Args:
        stream: Bytes; seekable when `start` is not 0.
        max_bytes: Lines longer than this are yielded without their bytes and never held in memory.
        start: First byte of the range.
        end: End of the range, excluded; None reads to the end of the stream.

    Raises:
        CutStreamError: A packed stream stops before its end and no line is open there to tell it.
        UnreadableError: The packing is damaged or inflates too far.
    """
    number = 1 if start == 0 else None
    offset = _seek_line(stream, start) if start else 0
    open_line = _OpenLine(max_bytes)
    try:
        for block in _blocks(stream, at_head=start == 0):
            if offset == 0 and block.startswith(BOM):
                block, offset = block[len(BOM) :], len(BOM)
            *closed, rest = block.split(b"\n")
            for piece in closed:
                if end is not None and offset >= end:
                    return
                open_line.add(piece)
                length = open_line.length
                yield open_line.close(number, offset, is_terminated=True)
                offset += length + 1
                number = None if number is None else number + 1
            if end is not None and offset >= end:
                return
            open_line.add(rest)
    except CutStreamError:
        if not open_line.length:
            raise
    if open_line.length:
        yield open_line.close(number, offset, is_terminated=False)


def hash_ranges(stream: ByteSource, *, range_bytes: int = RANGE_BYTES) -> list[ByteRange]:
    """Cut a line stream into ranges of whole lines on a fixed grid and hash each; an empty stream is one range."""
    ranges: list[ByteRange] = []
    digest = hashlib.sha256()
    start = position = 0
    target = range_bytes
    while block := stream.read(BLOCK_BYTES):
        done = 0
        while position + len(block) >= target:
            newline = block.find(b"\n", max(target - 1 - position, done))
            if newline < 0:
                break
            digest.update(block[done : newline + 1])
            done = newline + 1
            ranges.append(ByteRange(start, position + done, digest.hexdigest()))
            start, digest = position + done, hashlib.sha256()
            target = (start // range_bytes + 1) * range_bytes
        digest.update(block[done:])
        position += len(block)
    if position > start or not ranges:
        ranges.append(ByteRange(start, position, digest.hexdigest()))
    return ranges


def _plain_line(number: int | None, offset: int, raw: bytes, *, is_terminated: bool) -> Line:
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    return Line(number, offset, len(raw), raw, None, is_terminated)


def _blocks(stream: ByteSource, *, at_head: bool) -> Iterator[bytes]:
    """Yield the stream's blocks; the first one is long enough to tell a byte order mark."""
    head = read_up_to(stream, len(BOM)) if at_head else b""
    while block := head + stream.read(BLOCK_BYTES):
        yield block
        head = b""


def _seek_line(stream: ByteSource, start: int) -> int:
    """Place the stream on the first line that starts at or after `start`; return that offset."""
    if not isinstance(stream, Seekable):
        raise TypeError("a range that starts inside a file needs a seekable stream")
    stream.seek(start - 1)
    position = start - 1
    while block := stream.read(BLOCK_BYTES):
        newline = block.find(b"\n")
        if newline >= 0:
            stream.seek(position + newline + 1)
            return position + newline + 1
        position += len(block)
    return position
