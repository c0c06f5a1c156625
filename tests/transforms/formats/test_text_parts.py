import pytest

from transforms.formats.chat_messages import Content
from transforms.formats.rewards import MISSING
from transforms.formats.text_parts import text_or_parts


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ("a", Content("a", "text")),
        ({"type": "text", "text": "a", "cache_prompt": False}, Content("a", "text")),
        ([{"type": "output_text", "text": "a", "annotations": []}], Content("a", "text")),
        ([], Content(None, "null")),
        (None, Content(None, "null")),
        (MISSING, Content(None, "missing")),
        ([{"type": "text", "text": "a", "id": 1}], Content("a", "parts", '[{"id":1,"text":"a","type":"text"}]')),
        ([{"type": ["x"], "text": "a"}], Content("a", "parts", '[{"text":"a","type":["x"]}]')),
        (["a", "b"], Content("a\nb", "parts", '["a","b"]')),
    ],
)
def test_one_plain_text_part_is_text(raw, content):
    assert text_or_parts(raw) == content
