"""What a rule of our catalogue is, and the pieces of patterns that many share."""

from collections.abc import Callable
from dataclasses import dataclass

Accept = Callable[[bytes, bytes], bool]
"""Says of a value and the byte after its match whether it is a secret."""

_COLOUR = r"\[[0-9;]{1,11}m"
"""How a terminal's colour ends: its letter is no part of the word behind."""
LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrt]|" + _COLOUR + ")"
LEFT_OF_NAME = r"(?:^|[^A-Za-z0-9_-]|\\[nrt]|" + _COLOUR + ")"
LEFT_OF_RUN = r"(?:^|[^A-Za-z0-9+/]|\\[nrt]|" + _COLOUR + ")"
"""For a prefix so short that base64 holds it behind one of its two signs."""
CLOSE = r"(?:[\\\"'\]`]|u0022|&quot;|&#34;|%22)*"
QUOTE = r"(?:\\*[\"'`]|\\*u0022|&quot;|&#34;|%22)"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret in one form, `is_contextual` also bare; `trigger` is found wherever the pattern is."""

    kind: str
    pattern: str
    accept: Accept | None = None
    is_contextual: bool = False
    trigger: str = ""

    @property
    def sought(self) -> str:
        """What the one pass looks for: without letters at its very beginning a pattern costs it half its speed."""
        return self.trigger or self.pattern.removeprefix(LEFT).removeprefix(LEFT_OF_NAME).removeprefix(LEFT_OF_RUN)


def fixed(kind: str, pattern: str, *, accept: Accept | None = None, trigger: str = "") -> Rule:
    """Return a rule of a form that is a secret wherever it stands."""
    return Rule(kind, pattern, accept, trigger=trigger)


def context(kind: str, pattern: str, *, accept: Accept, trigger: str = "") -> Rule:
    """Return a rule whose group is the secret and whose rest is the context that makes it one."""
    return Rule(kind, pattern, accept, True, trigger)
