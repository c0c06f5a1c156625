"""Where the end of one text and the beginning of the next could be two halves of one token."""

import string
from typing import Final

_LONGEST_HALF: Final = 1024
_TOKEN_CHARACTERS: Final = string.ascii_letters + string.digits + "_./+=:~-!#%*@^|$"
"""All that vendors' tokens are made of, the signs of some of them included."""
TOUCHING: Final = frozenset(_TOKEN_CHARACTERS)


def seam(before: str | None, after: str | None) -> tuple[str, str] | None:
    """Return the two halves of the token that one text's end and the next one's beginning make; None without one.

    The characters that stand around the token come with it: the token begins and ends no text.
    """
    if not before or not after or before[-1] not in TOUCHING or after[0] not in TOUCHING:
        return None
    tail, head = before[-_LONGEST_HALF:], after[:_LONGEST_HALF]
    num_others, num_rest = len(tail.rstrip(_TOKEN_CHARACTERS)), len(head.lstrip(_TOKEN_CHARACTERS))
    return tail[max(num_others - 1, 0) :], head[: len(head) - max(num_rest - 1, 0)]
