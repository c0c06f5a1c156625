import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.describing.actions import _ERROR_ANYWHERE, _INVALID_RESULT
from transforms.describing.audit import _HARNESS
from transforms.describing.guarded import GuardedPattern
from transforms.describing.safety import _REFUSAL

PATTERNS = [_ERROR_ANYWHERE, _INVALID_RESULT, _HARNESS, _REFUSAL]
PIECES = [
    "Error: Exception: Traceback (most recent call last) : command not found", "No such file or directory",
    ": Permission denied", "\nValueError: x", "syntax error", "invalid option", "missing operand", "SyntaxError",
    "No space left on device", "Connection refused", "Segmentation fault", "Operation not permitted",
    "unknown tool", "no such tool", "tool x is not found", "Tool not available", "MALFORMED action",
    "invalid arguments for", "could not parse", "failed to parse", "Validation Error", "invalid action format",
    "denied by the user", "not permitted by policy", "user declined", "violates the policy",
    "do not try this again", "_pytest", "TestCase.run =", "builtins.open =", "time.sleep = ",
    "def __eq__(self, o):\n    return True", "sys.modules['pytest']", "pytest_sessionfinish", "de\u017fied",
    "\u017fegmentation fault",
]  # fmt: skip


@given(
    st.lists(st.sampled_from([*PIECES, " ", "a", "\n"]), max_size=6).map("".join), st.sampled_from([str, str.upper])
)
def test_literals_never_hide_a_match(text, fold):
    for guarded in PATTERNS:
        plain = guarded._search(fold(text))
        found = guarded.search(fold(text))
        assert (found and found.span()) == (plain and plain.span())


@pytest.mark.parametrize("text", PIECES)
def test_every_piece_alone(text):
    for guarded in PATTERNS:
        assert bool(guarded.search(text)) == bool(guarded._search(text))


def test_text_beyond_ascii_is_searched_when_case_is_ignored():
    assert GuardedPattern("refused", needs=["refused"], flags=re.IGNORECASE).search("refu\u017fed")


def test_text_without_a_literal_is_no_match():
    assert GuardedPattern("a|b", needs=["a"]).search("b") is None
