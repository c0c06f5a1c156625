"""Messages between a run and the processes that read native formats for it: a kind, a length, that many bytes.

Nothing but bytes and JSON travels here; neither side unpickles what the other says.
"""

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Final

HEAD: Final = struct.Struct("<BQ")
PLACE: Final = struct.Struct("<qQ")
"""What a `WANTED` message asks for: offset and number of bytes."""
MAX_BYTES: Final = 8 << 30
"""No message is longer; a larger length is that of a process which lost its senses."""


class Kind(IntEnum):
    """What a message is.

    The run sends JOB (a JSON request), NEXT (asks for the job's next piece) and SOURCE (bytes of the file); the reader
    sends WANTED (asks for bytes of the file), PIECE, END (there is no further piece) and FAULT (a JSON fault).
    """

    JOB = 1
    NEXT = 2
    SOURCE = 3
    WANTED = 4
    PIECE = 5
    END = 6
    FAULT = 7


def packed(kind: Kind, payload: bytes = b"") -> bytes:
    """Return a message as bytes."""
    return HEAD.pack(kind, len(payload)) + payload


def read_message(read_exactly: Callable[[int], bytes]) -> tuple[Kind, bytes]:
    """Return the next message.

    Args:
        read_exactly: Returns exactly as many bytes as asked for.

    Raises:
        ValueError: The bytes are no message.
    """
    code, length = HEAD.unpack(read_exactly(HEAD.size))
    if length > MAX_BYTES:
        raise ValueError(f"a message of {length} bytes, {MAX_BYTES} allowed")
    return Kind(code), read_exactly(length) if length else b""
