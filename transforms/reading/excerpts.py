"""What of a record is shown: text as it reads, long enough to be redacted before it is cut."""

import re
from typing import Final

EXCERPT_CHARS: Final = 200
"""Characters of a bad record that are shown: enough to recognise it, too few to carry it."""
LOOKED_AT_BYTES: Final = 8192
"""Bytes from which an excerpt is made: a secret that begins in what is shown must be seen whole to be found."""
_LAST_RUN: Final = re.compile(r"[^\s\"']{1,1024}\Z")
_ESCAPE: Final = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
_PLAIN: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def beginning(text: str, most: int) -> str:
    """Return a text of at most so many characters whole, of a longer one its beginning without the run at the cut.

    A secret that was cut there could not be told, and would be shown where others before it become short.
    """
    return text if len(text) <= most else _LAST_RUN.sub("", text[:most])


def readable_text(raw: bytes) -> str:
    """Return the first bytes of a record as text, JSON's escapes resolved: they hide where lines and secrets begin."""
    text = raw[:LOOKED_AT_BYTES].decode("utf-8", "replace")
    if len(raw) > LOOKED_AT_BYTES:
        text = _LAST_RUN.sub("", text)
    return _ESCAPE.sub(_resolved, text)


def _resolved(match: re.Match[str]) -> str:
    plain, code = match.groups()
    if plain is not None:
        return _PLAIN[plain]
    character = chr(int(code, 16))
    return character if character.isprintable() else "\ufffd"
