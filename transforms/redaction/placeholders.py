"""Placeholders of one rollout: the same secret has the same name, numbered in the order in which they are found."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from transforms.redaction.encoded import encoded_rule
from transforms.redaction.maintained import maintained_rules
from transforms.redaction.rules import PERSONAL_RULES, SECRET_RULES

_SHAPE: Final = re.compile(rb"<([A-Z0-9][A-Z0-9_]{1,80})_([0-9]{1,9})>")


@cache
def known_kinds() -> frozenset[bytes]:
    """Return every kind that a placeholder can name."""
    ours = {rule.kind.encode() for rule in (*SECRET_RULES, encoded_rule(), *PERSONAL_RULES)}
    return frozenset(ours | {rule.kind.encode() for rule in maintained_rules()})


def placeholders_in(text: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the placeholders of a text: group 1 the kind, group 2 the number."""
    kinds = known_kinds()
    return (match for match in _SHAPE.finditer(text) if match[1] in kinds)


def covered(text: bytes) -> bytes:
    """Return a text with NULs over its placeholders, of their length."""
    if b"<" not in text:
        return text
    kinds = known_kinds()
    return _SHAPE.sub(lambda match: b"\x00" * len(match[0]) if match[1] in kinds else match[0], text)


@dataclass(slots=True)
class Placeholders:
    """Gives each secret of a rollout its placeholder and counts the replacements by kind."""

    counts: Counter[str] = field(default_factory=Counter)
    _by_value: dict[bytes, tuple[str, bytes]] = field(default_factory=dict)
    _last_number: Counter[str] = field(default_factory=Counter)

    def reserve(self, text: bytes) -> None:
        """Keep the numbers of placeholders that already stand in the text, so that no new secret takes one."""
        for match in placeholders_in(text):
            kind, number = match[1].decode(), int(match[2])
            self._last_number[kind] = max(self._last_number[kind], number)

    def name(self, value: bytes, kind: str) -> bytes:
        """Return the placeholder of a secret; the kind of its first place names it everywhere."""
        named = self._by_value.get(value)
        if named is None:
            number = self._last_number[kind] = self._last_number[kind] + 1
            named = self._by_value[value] = (kind, b"<%b_%d>" % (kind.encode(), number))
        self.counts[named[0]] += 1
        return named[1]
