"""Members of a zip archive, read in a supervised process; their names say nothing of where anything is written."""

from typing import BinaryIO, Final

import orjson

from transforms.reading.streams import ByteSource, PieceSource, inflate_limit
from transforms.reading.supervision import supervised

ZIP_MAGIC: Final = b"PK\x03\x04"
MAX_MEMBERS: Final = 100_000


def member_names(stream: BinaryIO) -> list[str]:
    """Return the names of an archive's members in the order of its directory; a name may stand there twice.

    Raises:
        UnreadableError: The archive is damaged or has more than `MAX_MEMBERS` members.
    """
    pieces = supervised("zip_names", stream, max_members=MAX_MEMBERS)
    return [str(name) for piece in pieces for name, _ in orjson.loads(piece)]


def open_member(stream: BinaryIO, name: str, *, size: int) -> ByteSource:
    """Return the plain bytes of a member: stored, deflated, or packed with zstandard.

    Args:
        stream: The archive, seekable.
        name: The member's name as `member_names` tells it.
        size: Bytes of the archive, which bound what the member may inflate to.
    """
    return PieceSource(supervised("zip_member", stream, name=name), limit=inflate_limit(size))
