"""What every encoder offers, and the identity under which its vectors are kept."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Vectors of shape [texts, dimensions]."""

TokenSpan = tuple[int, int]
"""First character and end of a token in its text."""


class EncoderIdentity(NamedTuple):
    """What a vector depends on beside its text; vectors of unequal identities are never mixed.

    `device_class` also names the backend; `max_tokens` is where texts are cut, 0 where they are not.
    """

    name: str
    revision: str
    precision: str
    device_class: str
    max_tokens: int = 0

    @property
    def described(self) -> str:
        """Return all but the device class on one line, as manifests name the encoder."""
        length = f", {self.max_tokens} tokens" if self.max_tokens else ""
        return f"{self.name}@{self.revision} {self.precision}{length}"


def is_blank(text: str | None) -> bool:
    """Say whether a text has nothing to compare: no character that is seen, blanks, NUL and controls left out."""
    return text is None or not any(character.isprintable() and not character.isspace() for character in text)


class Encoder(Protocol):
    """Turns texts into vectors.

    A vector is a pure function of its text: neither the other texts of a call nor their order or number change a bit
    of it.
    """

    @property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on beside the text."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def takes_windows(self) -> bool:
        """Say whether texts are to be cut into windows (a model) or given whole (the hashed encoder)."""
        ...

    @property
    def batch_size(self) -> int:
        """Return the texts that go through at once; less than at first once memory ran out."""
        ...

    @property
    def window_tokens(self) -> int:
        """Return the tokens of a text that the encoder sees at once, as `token_spans` counts them."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 vectors [texts, dimensions], L2-normalised.

        A text without any word gives zeros, and so does one whose vector is not finite.
        """
        ...

    def token_spans(self, text: str) -> list[TokenSpan]:
        """Return the spans of the text's tokens, in order, as windows are counted in them."""
        ...
