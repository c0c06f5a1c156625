"""The stretches of a text in which claims of places let something new be found."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from transforms.redaction.maintained import Finding


@dataclass(frozen=True, slots=True)
class Part:
    """Stretches of a text side by side, a NUL between them: where each begins here and in the whole text."""

    text: bytes
    starts: tuple[int, ...]
    sources: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a place of one stretch lies in the whole text."""
        index = bisect_right(self.starts, start) - 1
        shift = self.sources[index] - self.starts[index]
        return start + shift, end + shift


def part_around(claimed: Iterable[Finding], *, before: bytes, after: bytes) -> Part:
    """Return the stretches that hold a claimed place, as they are after the claims.

    No match lies over a NUL: a claim changes nothing beyond the NULs around it.

    Args:
        claimed: What was claimed.
        before: The text with NULs over what was claimed earlier.
        after: The same, with NULs over these claims too.
    """
    stretches, starts, sources, length, last = [], [], [], 0, 0
    for start, end, _ in sorted(claimed):
        if start < last:
            continue
        first = before.rfind(b"\x00", 0, start) + 1
        last = before.find(b"\x00", end)
        last = len(before) if last < 0 else last
        stretches.append(after[first:last])
        starts.append(length)
        sources.append(first)
        length += last - first + 1
    return Part(b"\x00".join(stretches), tuple(starts), tuple(sources))
