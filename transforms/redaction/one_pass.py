"""Many patterns over one text at once: which of them stand in it."""

import threading
from collections.abc import Callable, Sequence
from typing import Final, cast

import re2

try:
    import hyperscan
except ImportError:
    HAS_HYPERSCAN = False
else:
    HAS_HYPERSCAN = True

_SET_MEMORY_BYTES: Final = 1 << 30
"""Room of RE2's pass: a set that runs out of room answers like a clean text, so it must not."""

OnePass = Callable[[bytes], list[int]]
"""Gives the sorted indices of the patterns that match somewhere in a text."""


def byte_options() -> "re2.Options":
    """Return RE2's options for bytes, not code points: negated classes then run over any text, one state a byte."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


def compile_one_pass(patterns: Sequence[str]) -> OnePass:
    """Return the pass over the patterns: Hyperscan's, or RE2's where Hyperscan has no package for the machine."""
    return _HyperscanPass(patterns) if HAS_HYPERSCAN else Re2Pass(patterns)


class _HyperscanPass:
    """Hyperscan reports each pattern once a text; every thread has scratch space of its own."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._database = hyperscan.Database()
        self._database.compile(
            expressions=[pattern.encode() for pattern in patterns],
            ids=list(range(len(patterns))),
            elements=len(patterns),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(patterns),
        )
        self._local = threading.local()

    def __call__(self, text: bytes) -> list[int]:
        scratch = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = hyperscan.Scratch(self._database)
        found: set[int] = set()
        self._database.scan(text, match_event_handler=_take, context=found, scratch=scratch)
        return sorted(found)


def _take(index: int, start: int, end: int, flags: int, found: object) -> None:
    cast("set[int]", found).add(index)


class Re2Pass:
    """RE2's set; a pattern that RE2 cannot read is never reported."""

    def __init__(self, patterns: Sequence[str]) -> None:
        options = byte_options()
        options.max_mem = _SET_MEMORY_BYTES
        self._set = re2.Set.SearchSet(options)
        self._indices = []
        for index, pattern in enumerate(patterns):
            try:
                self._set.Add(pattern.encode())
            except re2.error:
                continue
            self._indices.append(index)
        self._set.Compile()

    def __call__(self, text: bytes) -> list[int]:
        return sorted(self._indices[position] for position in self._set.Match(text) or ())
