"""Placeholders of one rollout: the same secret has the same name, numbered in the order in which they are found."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import re2

from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES


@cache
def placeholder_pattern() -> "re2._Regexp":
    """Return the pattern of every placeholder this catalogue can write: group 1 its kind, group 2 its number."""
    kinds = sorted({rule.kind for rule in (*SECRET_RULES, *PERSONAL_RULES)}, key=lambda kind: (-len(kind), kind))
    return re2.compile(f"<({'|'.join(kinds)})_([0-9]{{1,9}})>".encode())


@dataclass(slots=True)
class Placeholders:
    """Gives each secret of a rollout its placeholder and counts the replacements by kind."""

    counts: Counter[str] = field(default_factory=Counter)
    _by_value: dict[bytes, tuple[str, bytes]] = field(default_factory=dict)
    _last_number: Counter[str] = field(default_factory=Counter)

    def reserve(self, text: bytes) -> None:
        """Keep the numbers of placeholders that already stand in the text, so that no new secret takes one."""
        for match in placeholder_pattern().finditer(text):
            kind, number = match.group(1).decode(), int(match.group(2))
            self._last_number[kind] = max(self._last_number[kind], number)

    def name(self, value: bytes, kind: str) -> bytes:
        """Return the placeholder of a secret; the kind of its first place names it everywhere."""
        if value not in self._by_value:
            self._last_number[kind] += 1
            self._by_value[value] = (kind, f"<{kind}_{self._last_number[kind]}>".encode())
        kind, placeholder = self._by_value[value]
        self.counts[kind] += 1
        return placeholder
