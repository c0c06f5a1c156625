"""Patterns that are searched only in text that holds one of the literals without which they cannot match."""

import re
from collections.abc import Iterable


class GuardedPattern:
    """A pattern and its literals: most text of a rollout holds none, and looking for a literal costs next to nothing.

    Args:
        pattern: The pattern.
        needs: Literals; every match of the pattern in ASCII text holds one of them. Of a pattern that ignores case,
            in lower case.
        flags: Flags of `re`.
    """

    def __init__(self, pattern: str, *, needs: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> None:
        self._search = re.compile(pattern, flags).search
        self._needs = tuple(needs)
        self._ignores_case = bool(re.compile(pattern, flags).flags & re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in the text, as `re` does."""
        folded = text
        if self._ignores_case:
            # Beyond ASCII a letter may match one that `lower` does not make of it: the long s matches an s.
            if not text.isascii():
                return self._search(text)
            folded = text.lower()
        for literal in self._needs:
            if literal in folded:
                return self._search(text)
        return None
