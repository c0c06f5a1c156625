import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.reading.globs import glob_matches


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/*", "a.json", True),
        ("**/*", "x/y/a.json", True),
        ("**/*", "x/.git/a.json", False),
        ("**", "x/a.json", True),
        ("*.json", "x/a.json", False),
        ("x/**/a.json", "x/a.json", True),
        ("x/*/a.json", "x/y/z/a.json", False),
        ("part-?.jsonl", "part-1.jsonl", True),
        ("part-[0-3].jsonl", "part-2.jsonl", True),
        ("part-[!0-3].jsonl", "part-2.jsonl", False),
        ("a[1].parquet", "a[1].parquet", True),
        ("a[1].parquet", "a1.parquet", True),
        ("a.json", "axjson", False),
        ("open[", "open[", True),
    ],
)
def test_glob(glob, path, expected):
    assert glob_matches(glob, path) is expected


@given(glob=st.text("ab*?[]!-/.\\", max_size=12), path=st.text("ab[]!-/.\\", max_size=8))
def test_any_glob_can_be_tried(glob, path):
    assert glob_matches(glob, path) in {True, False}
