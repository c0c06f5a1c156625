"""Where the end of one text and the beginning of the next could be two halves of one token."""

import re
from typing import Final

_LONGEST_HALF: Final = 256
_TAIL: Final = re.compile(r"[A-Za-z0-9_./+=-]+\Z")
_HEAD: Final = re.compile(r"[A-Za-z0-9_./+=-]{1,256}")


def seam(before: str | None, after: str | None) -> tuple[str, str] | None:
    """Return the two halves of the token that one text's end and the next one's beginning make; None without one."""
    if not before or not after or not before[-1].isalnum() or not after[0].isalnum():
        return None
    tail, head = _TAIL.search(before[-_LONGEST_HALF:]), _HEAD.match(after)
    return (tail[0], head[0]) if tail and head else None
