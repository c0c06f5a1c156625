"""Patterns that every supported Python matches alike."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("pipelines", "schemas", "transforms") for path in (ROOT / folder).rglob("*.py"))
_KEPT_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")


@pytest.mark.parametrize("pattern", [r"(?:ab)*+", r"(?:a|b){0,4}+", r"(?:a)?+", r"(?>a)"])
def test_a_group_that_gives_nothing_back_is_seen(pattern):
    assert _KEPT_GROUP.search(pattern)


def test_no_group_is_repeated_possessively():
    # Python up to 3.11.4 loses the place of groups behind such a one; single characters are safe, and so is a group
    # that is looked ahead for and then named.
    assert [path.name for path in FILES if _KEPT_GROUP.search(path.read_text())] == []
