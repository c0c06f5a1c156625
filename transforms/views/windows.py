"""Windows: the pieces of a text that an embedding model sees, spread evenly over the whole of it."""

from collections.abc import Callable, Sequence

from transforms.store.keys import short_id

Tokenize = Callable[[str], Sequence[tuple[int, int]]]
"""Gives the character span (start, end) of each token of a text, in order."""


def window_spans(num_tokens: int, *, window_tokens: int, max_windows: int) -> list[tuple[int, int]]:
    """Return the token spans (start, end) of a text's windows.

    As many windows as it takes to cover the text, `max_windows` at most, evenly spaced; the first starts at the first
    token and the last ends at the last one (with `max_windows` 1, a longer text shows its start only).
    """
    if num_tokens <= window_tokens:
        return [(0, num_tokens)] if num_tokens > 0 else []
    count = min(max_windows, -(-num_tokens // window_tokens))
    if count == 1:
        return [(0, window_tokens)]
    starts = [index * (num_tokens - window_tokens) // (count - 1) for index in range(count)]
    return [(start, start + window_tokens) for start in starts]


def windows_of(text: str, tokenize: Tokenize, *, window_tokens: int, max_windows: int) -> list[str]:
    """Return the windows of a text as text; an empty text has none."""
    tokens = tokenize(text)
    spans = window_spans(len(tokens), window_tokens=window_tokens, max_windows=max_windows)
    return [text[tokens[start][0] : tokens[end - 1][1]] for start, end in spans]


def window_hash(window: str) -> str:
    """Return the hash under which a window's vector is kept."""
    return short_id("window", window)
