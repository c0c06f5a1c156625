"""Text of the data as it may be shown: nothing in it can steer a terminal, a page or the reading direction."""

import re
from typing import Final

_STEERING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters but tab and newline, line and paragraph separators, bidirectional marks, lone surrogates."""


def visible(text: str) -> str:
    r"""Return the text with every steering character written out, as `\x1b` or `\u202e`; idempotent."""
    return _STEERING.sub(_written_out, text)


def on_one_line(text: str, *, max_chars: int) -> str:
    """Return the text with white space folded to single blanks, steering characters written out, and cut with `…`."""
    folded = visible(" ".join(text.split()))
    return folded if len(folded) <= max_chars else folded[: max_chars - 1] + "…"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
