"""The process in which native formats are read: limits first, then one job after the other, until its input ends.

It opens no file: the bytes it reads it asks the run for. Jobs are `parquet_names`, `parquet_rows`, `gzip`,
`zstandard`, `zip_names` and `zip_member`; each gives pieces of bytes, one whenever the run asks for the next.
"""

import io
import os
import resource
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import orjson

from transforms.reading import inflating
from transforms.reading.excerpts import beginning
from transforms.reading.failures import CutStreamError, TooLargeError
from transforms.reading.frames import PLACE, Kind, packed, read_message

PIECE_CPU_S: Final = 10
"""Seconds of CPU that one piece may take; one that takes more ends the process."""
_BLOCK_BYTES: Final = 256 * 1024
_MAX_FETCH_BYTES: Final = 1024 * 1024
_MAX_FAULT_CHARS: Final = 2000
_REFUSED: Final = ("socket.connect", "socket.bind", "subprocess.Popen", "pty.spawn")
_REFUSED_PARTS: Final = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork")


class Source(io.RawIOBase):
    """The file that is read, whose bytes the run hands over when it is asked."""

    def __init__(self, channel: "Channel", size: int) -> None:
        self._channel = channel
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self._position, self._size)[whence]
        if base + offset < 0:
            raise OSError("a place before the file's head")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        wanted = max(0, min(len(buffer), _MAX_FETCH_BYTES, self._size - self._position))
        if not wanted:
            return 0
        chunk = self._channel.fetch(self._position, wanted)
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)


class Channel:
    """The two pipes to the run."""

    def __init__(self, inbound: BinaryIO, outbound: BinaryIO) -> None:
        self._inbound = inbound
        self._outbound = outbound

    def receive(self) -> tuple[Kind, bytes]:
        return read_message(self._read_exactly)

    def send(self, kind: Kind, payload: bytes = b"") -> None:
        self._outbound.write(packed(kind, payload))
        self._outbound.flush()

    def fetch(self, offset: int, size: int) -> bytes:
        self.send(Kind.WANTED, PLACE.pack(offset, size))
        _, chunk = self.receive()
        return chunk

    def _read_exactly(self, size: int) -> bytes:
        chunk = self._inbound.read(size)
        if len(chunk) < size:
            raise EOFError
        return chunk


def limit_process() -> None:
    """Bound this process for good: no core dump, not one byte into any file, no other process, no connection."""
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (0, 0))
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REFUSED or event.startswith(_REFUSED_PARTS):
        raise PermissionError(f"{event} is not allowed where native formats are read")


def serve(channel: Channel) -> None:
    """Do the jobs that come, until the run closes the pipe."""
    pieces: Iterator[bytes] = iter(())
    while True:
        try:
            kind, payload = channel.receive()
        except EOFError:
            return
        if kind is Kind.JOB:
            request = orjson.loads(payload)
            _limit_memory(request.pop("memory_bytes"))
            pieces = _pieces(channel, **request)
        else:
            _limit_cpu()
            channel.send(*_answer(pieces))


def _pieces(channel: Channel, *, job: str, size: int, arguments: dict[str, Any]) -> Iterator[bytes]:
    stream: BinaryIO = io.BufferedReader(Source(channel, size), _BLOCK_BYTES)
    if job == "parquet_rows":
        from transforms.reading.parquet_decoding import decode_rows

        yield from decode_rows(stream, **arguments)
    elif job == "parquet_names":
        from transforms.reading.parquet_decoding import schema_names

        yield orjson.dumps(schema_names(stream))
    elif job == "zip_names":
        yield orjson.dumps(inflating.archive_names(stream, **arguments))
    elif job == "zip_member":
        yield from inflating.inflate_member(stream, **arguments)
    elif job == "gzip":
        yield from inflating.inflate_gzip(stream)
    else:
        yield from inflating.inflate_zstandard(stream)


def _answer(pieces: Iterator[bytes]) -> tuple[Kind, bytes]:
    """Return the next piece, or what keeps it from coming; whatever a hostile file raises is a fault of the file."""
    try:
        piece = next(pieces, None)
    except MemoryError as error:
        return _fault("memory", error)
    except (OverflowError, TooLargeError) as error:
        return _fault("large", error)
    except CutStreamError as error:
        return _fault("cut", error)
    except Exception as error:
        return _fault("damaged", error)
    return (Kind.END, b"") if piece is None else (Kind.PIECE, piece)


def _fault(kind: str, error: Exception) -> tuple[Kind, bytes]:
    text = (str(error) or type(error).__name__).encode("utf-8", "replace").decode()
    return Kind.FAULT, orjson.dumps([kind, beginning(text, _MAX_FAULT_CHARS)])


def _limit_memory(memory_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))


def _limit_cpu() -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    bound = int(usage.ru_utime + usage.ru_stime) + PIECE_CPU_S + 1
    resource.setrlimit(resource.RLIMIT_CPU, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))


def main() -> None:
    """Serve the run on standard input and output; what libraries print goes nowhere."""
    outbound = os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    limit_process()
    serve(Channel(sys.stdin.buffer, outbound))


if __name__ == "__main__":
    main()
