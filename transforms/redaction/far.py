"""Truly random tokens near behind a name, whatever words stand between: each is judged once a text."""

import re
from typing import Final

from transforms.redaction.columns import Place
from transforms.redaction.values import is_opaque

MAX_GAP_BYTES: Final = 64
"""Bytes between a name and a token, or between a token and the next."""
_MOST_TOKENS: Final = 3
_FEWEST_BYTES: Final = 16
_TOKEN_START = re.compile(rb"(?<![A-Za-z0-9+/_.~:%-])[A-Za-z0-9+/_.~:%-]{16}")
_TOKEN = re.compile(rb"[A-Za-z0-9+/_.~:%-]+={0,2}")
_HASH = re.compile(rb"(?:sha[0-9]{1,3}[:-])?[0-9a-fA-F-]+\Z")
_FILE = re.compile(
    rb"\.(?:m?js|css|map|html?|json|svg|png|jpe?g|woff2?|wasm|txt|md|py|tsx?|whl|gz|zip|log|ya?ml)(?::[0-9:]+)?\Z"
)
"""How a file ends whose name holds a hash of what is in it, with the line that is told of it."""
_OWN_ID = re.compile(rb"\A[ _-]?[iI][dD]\b")
"""A secret's id is given to log in with it: `secret_id`."""
_HASH_WORD = re.compile(
    rb"(?i)sha|hash|digest|commit|checksum|md5|id\b|rev|checked out|etag|trace|span|uuid|integrity"
)


class FarTokens:
    """The long tokens of a text, asked for by the places where names end."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._stops: dict[int, int] = {}

    def random_after(self, end: int) -> Place | None:
        """Return the first truly random token near on the same line."""
        text = self._text
        for _ in range(_MOST_TOKENS):
            found = _TOKEN_START.search(text, end, end + MAX_GAP_BYTES + _FEWEST_BYTES)
            if found is None:
                return None
            start = found.start()
            gap = text[end:start]
            if b"\n" in gap or b"\\n" in gap or b"\x00" in gap:
                return None
            stop = self._stop_if_random(start)
            if stop > 0:
                is_hash = _HASH.match(text, start, stop) and _HASH_WORD.search(_OWN_ID.sub(b"", gap))
                return None if is_hash else (start, start + len(text[start:stop].rstrip(b".:")))
            end = -stop
        return None

    def _stop_if_random(self, start: int) -> int:
        """Return the end of the token at a place, negative if it is not random."""
        stop = self._stops.get(start)
        if stop is None:
            found = _TOKEN.match(self._text, start)
            stop = found.end() if found else start + _FEWEST_BYTES
            value = self._text[start:stop]
            if _FILE.search(value) or not is_opaque(value, self._text[stop : stop + 1]):
                stop = -stop
            self._stops[start] = stop
        return stop
