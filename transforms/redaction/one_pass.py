"""Many patterns over one text at once: which of them stand in it."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from itertools import islice
from typing import Final, cast

import numpy as np
import re2
from numpy.typing import NDArray

from transforms.compiled import compiled
from transforms.kept import keep_bytes, kept_bytes

try:
    import hyperscan
except ImportError:
    HAS_HYPERSCAN = False
else:
    HAS_HYPERSCAN = True

_SET_MEMORY_BYTES: Final = 1 << 30
"""Room of RE2's pass: a set that runs out of room answers like a clean text, so it must not."""

_LONG_RUN_BYTES: Final = 32
_IS_ALNUM: Final = np.array([chr(byte).isascii() and chr(byte).isalnum() for byte in range(256)])
_RUN: Final = r"\[(?:[A-Za-z]-[A-Za-z]|[0-9]-[0-9])+\]\{(?:3[2-9]|[4-9][0-9]|[1-9][0-9]{2}),?[0-9]*\}"
_MANDATORY: Final = (
    r"(?:[A-Za-z0-9_:/@-]|\\\.|\[[^\]\\]+\](?:\{[0-9]+,?[0-9]*\}|[+*?])?|\(\?:[A-Za-z0-9_|-]+\)\??|\(|\))*"
)
"""Pieces of a pattern that stand in a row, none instead of another and no group optional but a group of words."""
_OF_LONG_RUNS: Final = re.compile(
    rf"{_MANDATORY}{_RUN}{_MANDATORY}|\[a-z\]_\[A-Za-z0-9\]\{{32\}}|.*\(\?:\[0-9A-Fa-f\]\)\{{32\}}\\\..*", re.DOTALL
)
"""Patterns, as they are written, that match nothing without a long run of letters and digits: a third of all."""

OnePass = Callable[[bytes], list[int]]
"""Gives the sorted indices of the patterns that match somewhere in a text."""


def byte_options() -> "re2.Options":
    """Return RE2's options for bytes, not code points: negated classes then run over any text, one state a byte."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


def compile_one_pass(patterns: Sequence[str], *, over_short_texts: bool = False) -> OnePass:
    """Return the pass over the patterns: Hyperscan's, or RE2's where Hyperscan has no package for the machine.

    Args:
        patterns: What is looked for.
        over_short_texts: Whether texts are so short that a call costs more than what it does.
    """
    if not HAS_HYPERSCAN:
        return Re2Pass(patterns)
    if over_short_texts:
        database = _Database(patterns, range(len(patterns)))
        return lambda text: sorted(database.scan(text))
    return _HyperscanPass(patterns)


def compile_ends(pattern: str, *, most: int) -> Callable[[bytes], list[int]]:
    """Return what gives the sorted ends of a pattern's first matches in a text.

    Where matches overlap or begin at one place, all ends may be told, or that of the first and longest alone.

    Args:
        pattern: What is looked for.
        most: Ends after which the search stops.
    """
    if HAS_HYPERSCAN:
        database = _Database([pattern], [0], flags=0)
        return lambda text: database.ends(text, most)
    compiled = re2.compile(pattern.encode(), byte_options())
    return lambda text: [match.end() for match in islice(compiled.finditer(text), most)]


def needs_long_run(pattern: str) -> bool:
    """Say whether it can be read off a pattern that all it matches holds 32 letters and digits in a row."""
    return _OF_LONG_RUNS.fullmatch(pattern) is not None


class _HyperscanPass:
    """Hyperscan reports each pattern once a text; every thread has scratch space of its own.

    The patterns of long runs, which any text with underscores or digits makes half of the pass's work, are searched
    apart and only in a text that has such a run: one rollout in twenty, and in it that costs no more than all at once.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        of_runs = [index for index, pattern in enumerate(patterns) if needs_long_run(pattern)]
        others = [index for index in range(len(patterns)) if index not in of_runs]
        self._others = _Database([patterns[index] for index in others], others) if others else None
        self._of_runs = _Database([patterns[index] for index in of_runs], of_runs) if of_runs else None

    def __call__(self, text: bytes) -> list[int]:
        found = self._others.scan(text) if self._others else set()
        if self._of_runs and _has_long_run(np.frombuffer(text, np.uint8), _IS_ALNUM):
            found |= self._of_runs.scan(text)
        return sorted(found)


@compiled
def _has_long_run(letters: NDArray[np.uint8], is_alnum: NDArray[np.bool_]) -> bool:
    """Say whether 32 letters and digits stand in a row."""
    size, last, place = len(letters), -1, _LONG_RUN_BYTES - 1
    while place < size:
        # From the end of the window backwards to what is none: the next window begins behind it.
        start = place
        while start > last and is_alnum[letters[start]]:
            start -= 1
        if start == last:
            return True
        last, place = start, start + _LONG_RUN_BYTES
    return False


class _Database:
    """Patterns that Hyperscan searches together, and what each is called."""

    def __init__(self, patterns: Sequence[str], indices: Sequence[int], *, flags: int | None = None) -> None:
        flag = hyperscan.HS_FLAG_SINGLEMATCH if flags is None else flags
        self._database = _kept_database(patterns, indices, flag)
        self._local = threading.local()

    def scan(self, text: bytes) -> set[int]:
        """Return which of the patterns match somewhere in a text."""
        found: set[int] = set()
        self._database.scan(text, match_event_handler=_take, context=found, scratch=self._scratch())
        return found

    def ends(self, text: bytes, most: int) -> list[int]:
        """Return where the first matches end."""
        found: list[int] = []

        def take(index: int, start: int, end: int, flags: int, context: object) -> bool:
            found.append(end)
            return len(found) >= most

        with suppress(hyperscan.ScanTerminated):
            self._database.scan(text, match_event_handler=take, scratch=self._scratch())
        return found

    def _scratch(self) -> "hyperscan.Scratch":
        scratch = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = hyperscan.Scratch(self._database)
        return scratch


def _kept_database(patterns: Sequence[str], indices: Sequence[int], flag: int) -> "hyperscan.Database":
    """Return the compiled patterns, which cost seconds, as an earlier process kept them or anew."""
    key = database_key(patterns, indices, flag)
    if kept := kept_bytes(key):
        with suppress(hyperscan.HyperscanError):
            database = hyperscan.loadb(kept, hyperscan.HS_MODE_BLOCK)
            if str(database.info()) == _platform():
                return database
    database = _compile(patterns, indices, flag)
    keep_bytes(key, hyperscan.dumpb(database))
    return database


def database_key(patterns: Sequence[str], indices: Sequence[int], flag: int) -> bytes:
    """Return what the compiled form of patterns depends on."""
    made_by = [version("hyperscan"), _platform()]
    return json.dumps(["patterns", made_by, list(patterns), list(indices), flag]).encode()


def _compile(patterns: Sequence[str], indices: Sequence[int], flag: int) -> "hyperscan.Database":
    database = hyperscan.Database()
    database.compile(
        expressions=[pattern.encode() for pattern in patterns],
        ids=list(indices),
        elements=len(patterns),
        flags=[flag] * len(patterns),
    )
    return database


@cache
def _platform() -> str:
    """Return Hyperscan's own version, and for which features of the processor it compiles here."""
    return str(_compile(["a"], [0], 0).info())


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
