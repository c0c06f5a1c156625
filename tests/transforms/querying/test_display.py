from hypothesis import given
from hypothesis import strategies as st

from transforms.querying.display import on_one_line, visible


def test_visible_writes_steering_characters_out() -> None:
    text = "a\x1b[31m\x00\x9b\u202ekcab\ud800\r\n\tb"
    assert visible(text) == "a\\x1b[31m\\x00\\x9b\\u202ekcab\\ud800\\x0d\n\tb"


def test_on_one_line_folds_and_cuts() -> None:
    assert on_one_line("  a\n b\x1b c ", max_chars=80) == "a b\\x1b c"
    assert on_one_line("abcdef", max_chars=4) == "abc…"


@given(st.text())
def test_visible_is_idempotent_and_encodable(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert all(character.isprintable() or ord(character) >= 32 or character in "\t\n" for character in shown)
    shown.encode()
