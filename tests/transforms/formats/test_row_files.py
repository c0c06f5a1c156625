import json

import pytest

from transforms.formats.row_files import rows_have
from transforms.reading.outline import Outline, outline_of_head

ROW = {"id": 1, "turns": [{"from": "human", "value": "x"}], "late": 1}


def outline(content, **options):
    return outline_of_head(json.dumps(content, **options).encode(), is_complete=True)


@pytest.mark.parametrize(
    "seen",
    [outline(ROW), outline(ROW, indent=1), outline([ROW]), Outline("parquet", keys=(frozenset({"id", "turns"}),))],
)
def test_fields_are_seen_in_every_packing(seen):
    assert rows_have(seen, {"id", "turns"}, items={"from", "value"})
    assert not rows_have(seen, {"id", "other"})


def test_items_are_seen_inside_lists_only():
    assert not rows_have(outline(ROW), {"id"}, items={"role"})
    assert not rows_have(outline([ROW]), {"id"}, items={"role"})


def test_cut_row_shows_its_first_fields():
    cut = outline_of_head(json.dumps(ROW).encode()[:45], is_complete=False)
    assert rows_have(cut, {"id", "late"}, items={"from"}, first={"id"})
    assert not rows_have(cut, {"id", "late"})
