"""Supervises the processes that read native formats, so that a crash, a hang or a bomb costs one file.

Processes are kept and used again. One that died, stood still or ran out of memory is ended; if it had read other files
before, the file is tried once more in a fresh one, so that what becomes of a file does not depend on its neighbours.
"""

import atexit
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, Final

import orjson

from transforms.reading.failures import CutStreamError, NativeCrashError, TooLargeError, UnreadableError
from transforms.reading.frames import PLACE, Kind, packed, read_message

MEMORY_BYTES: Final = 1 << 30
"""Address space of a reading process: the libraries take 320 MB of it."""
PIECE_WALL_S: Final = 60.0
"""Seconds one piece may take, without the time in which the file's own bytes are waited for."""
MAX_IDLE: Final = 2
"""Processes kept for the next file."""
_MODULE: Final = "transforms.reading.native_child"
_QUIET_LIBRARIES: Final = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
_FAULTS: Final[dict[str, type[UnreadableError]]] = {"cut": CutStreamError, "large": TooLargeError}


class _OutOfMemoryError(TooLargeError):
    """The reading process has no room for the file."""


def supervised(job: str, stream: BinaryIO, *, memory_bytes: int = MEMORY_BYTES, **arguments: Any) -> Iterator[bytes]:
    """Yield the pieces of bytes that a job of `native_child` makes of a file.

    Args:
        job: The job.
        stream: The file, seekable; it is read from its head.
        memory_bytes: Address space the process may take.
        arguments: The job's own arguments, plain JSON.

    Raises:
        CutStreamError: A packed stream stops before its end.
        TooLargeError: The file holds more than is allowed, or reading it takes more memory than is allowed.
        NativeCrashError: The process died or stood still.
        UnreadableError: The file is damaged.
        OSError: The stream cannot be read.
    """
    num_done = 0
    for reader in (POOL.take(), None):
        reader = reader or _Reader()
        try:
            for piece in islice(reader.pieces(job, stream, memory_bytes, arguments), num_done, None):
                num_done += 1
                yield piece
            return
        except (NativeCrashError, _OutOfMemoryError):
            if reader.num_jobs == 1:
                raise
        finally:
            POOL.give_back(reader)


class _Reader:
    """A process that reads native formats.

    `is_sound` is false while it owes an answer, and for good once it failed; `num_jobs` counts what it was given.
    """

    def __init__(self) -> None:
        self.num_jobs = 0
        self.is_sound = True
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
            env={**os.environ, **_QUIET_LIBRARIES, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inbound = self._process.stdout.fileno()
        self._outbound = self._process.stdin.fileno()
        self._waiting = select.poll()
        self._waiting.register(self._inbound, select.POLLIN)
        self._seconds_left = 0.0

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.communicate()

    def pieces(self, job: str, stream: BinaryIO, memory_bytes: int, arguments: dict[str, Any]) -> Iterator[bytes]:
        """Yield the pieces of a job."""
        self.num_jobs += 1
        size = stream.seek(0, 2)
        request = {"job": job, "size": size, "memory_bytes": memory_bytes, "arguments": arguments}
        self._send(packed(Kind.JOB, orjson.dumps(request)))
        while True:
            self.is_sound = False
            self._send(packed(Kind.NEXT))
            kind, payload = self._answer(stream)
            self.is_sound = True
            if kind is Kind.END:
                return
            if kind is Kind.FAULT:
                self._raise(payload)
            yield payload

    def _raise(self, payload: bytes) -> None:
        fault, text = orjson.loads(payload)
        if fault == "memory":
            self.is_sound = False
            raise _OutOfMemoryError("reading it takes more memory than is allowed")
        raise _FAULTS.get(fault, UnreadableError)(text)

    def _answer(self, stream: BinaryIO) -> tuple[Kind, bytes]:
        """Return the answer to what was asked, handing over the bytes of the file that are wanted until it comes."""
        self._seconds_left = PIECE_WALL_S
        while True:
            try:
                kind, payload = read_message(self._read_exactly)
            except ValueError as error:
                raise NativeCrashError(f"the reading process lost its senses: {error}") from error
            if kind is not Kind.WANTED:
                return kind, payload
            offset, size = PLACE.unpack(payload)
            stream.seek(offset)
            self._send(packed(Kind.SOURCE, stream.read(size)))

    def _read_exactly(self, size: int) -> bytes:
        chunks: list[bytes] = []
        while size:
            since = time.monotonic()
            if not self._waiting.poll(max(0.0, self._seconds_left) * 1000):
                raise NativeCrashError(f"the reading process stood still for {PIECE_WALL_S:g} s")
            self._seconds_left -= time.monotonic() - since
            chunk = os.read(self._inbound, min(size, 1 << 20))
            if not chunk:
                raise NativeCrashError(f"the reading process died ({self._death()})")
            chunks.append(chunk)
            size -= len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _send(self, message: bytes) -> None:
        left = memoryview(message)
        try:
            while left:
                left = left[os.write(self._outbound, left) :]
        except BrokenPipeError as error:
            self.is_sound = False
            raise NativeCrashError(f"the reading process died ({self._death()})") from error

    def _death(self) -> str:
        status = self._process.wait()
        return f"signal {-status}" if status < 0 else f"status {status}"


class _Pool:
    """The reading processes of this process that have nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Reader] = []

    def take(self) -> _Reader:
        """Return a process that has read before, else a fresh one."""
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.is_alive():
                    return reader
                reader.end()
        return _Reader()

    def give_back(self, reader: _Reader) -> None:
        """Keep a process for the next file, or end it."""
        with self._lock:
            if reader.is_sound and len(self._idle) < MAX_IDLE:
                self._idle.append(reader)
                return
        reader.end()

    def forget(self) -> None:
        """Leave the processes to the one that started them: this one is its fork."""
        self._lock = threading.Lock()
        self._idle = []

    def end_all(self) -> None:
        """End every idle process."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


POOL: Final = _Pool()
os.register_at_fork(after_in_child=POOL.forget)
atexit.register(POOL.end_all)
