from hypothesis import given
from hypothesis import strategies as st

from transforms.redaction.bare import occurrences


def test_values_are_found_where_they_start_and_the_longest_stands():
    text = b"x abcdefghij abcdefghijkl\x00zzzzzzzz"
    assert list(occurrences(text, {b"abcdefghij", b"abcdefghijkl", b"zzzzzzzz"})) == [(2, 12), (13, 25), (26, 34)]


def test_of_values_that_begin_alike_the_longest_that_stands_there_is_found():
    values = {b"aaaaaaaa", b"aaaaaaaabb", b"aaaaaaaabbcc", b"aaaaaaaac"}
    assert list(occurrences(b"aaaaaaaabbcd aaaaaaaabbcc", values)) == [(0, 10), (13, 25)]


def test_nothing_is_found_without_values_or_text():
    assert list(occurrences(b"abcdefgh", set())) == []
    assert list(occurrences(b"abc", {b"abcdefgh"})) == []


@given(st.lists(st.binary(min_size=8, max_size=10), max_size=5), st.binary(max_size=40), st.data())
def test_every_value_of_a_text_is_found(values, noise, data):
    text = noise + b"".join(data.draw(st.permutations([*values, noise])))
    starts = {start for start, _ in occurrences(text, values)}
    assert starts == {start for start in range(len(text)) if any(text.startswith(value, start) for value in values)}
