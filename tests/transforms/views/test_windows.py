import re

from hypothesis import given
from hypothesis import strategies as st

from transforms.views.windows import window_spans, windows_of


def words(text):
    return [match.span() for match in re.finditer(r"\S+", text)]


def test_windows_are_spread_evenly_with_the_first_and_the_last():
    assert window_spans(10, window_tokens=4, max_windows=8) == [(0, 4), (3, 7), (6, 10)]
    assert window_spans(100, window_tokens=10, max_windows=3) == [(0, 10), (45, 55), (90, 100)]
    assert window_spans(3, window_tokens=4, max_windows=8) == [(0, 3)]
    assert window_spans(100, window_tokens=10, max_windows=1) == [(0, 10)]
    assert window_spans(0, window_tokens=4, max_windows=8) == []


def test_windows_are_pieces_of_the_text():
    text = "one  two three\nfour five"

    assert windows_of(text, words, window_tokens=2, max_windows=8) == ["one  two", "two three", "four five"]
    assert windows_of(" ", words, window_tokens=2, max_windows=8) == []


@given(st.integers(1, 2000), st.integers(1, 64), st.integers(2, 8))
def test_windows_are_bounded_and_reach_both_ends(num_tokens, window_tokens, max_windows):
    spans = window_spans(num_tokens, window_tokens=window_tokens, max_windows=max_windows)

    assert 1 <= len(spans) <= max_windows
    assert (spans[0][0], spans[-1][1]) == (0, num_tokens)
    assert all(0 < end - start <= window_tokens for start, end in spans)
    assert spans == sorted(set(spans))
    if num_tokens <= window_tokens * max_windows:
        assert {token for start, end in spans for token in range(start, end)} == set(range(num_tokens))
