import gzip
import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.reading.failures import UnreadableError
from transforms.reading.outline import HEAD_BYTES, Outline, keys_of, outline_of, outline_of_head


def shape(text, *, is_complete=True):
    return outline_of_head(text.encode(), is_complete=is_complete).shape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n\n", "empty"),
        ("# Readme\ntext", "other"),
        ('{"a": 1}\n{"a": 2}\n', "lines"),
        ('{"a": 1}', "lines"),
        ('{"a": \n{"a": 2}\n{"a": 3}\n', "lines"),
        ('{"a": "cut', "lines"),
        ('{"a": "cut\n{"a": [{"b": "cut\n', "lines"),
        ('{\n"a": {\n"b": 1}\n}\n', "document"),
        ('{\n "a": [\n  {"b": 1}\n ]\n}\n', "document"),
        ('[{"a": 1}, {"a": 2}]', "document"),
        ('[\n{"a": 1},\n{"a": 2}\n]', "document"),
        ('[\n{"a": 1},\n{"a": 2', "document"),
        ("junk\n" * 9 + '{"a": 1}\n', "lines"),
        ('[INFO] start\n{"a": 1}\n', "lines"),
        ('{"a": "cut\n' + "junk\n" * 9 + '{"a": 1}\n', "lines"),
    ],
)
def test_shape_is_told_by_content(text, expected):
    assert shape(text) == expected


def test_long_document_is_told_from_its_head():
    text = json.dumps([{"task_id": n, "traj": [{"role": "user"}]} for n in range(100)], indent=1)[:600]
    outline = outline_of_head(text.encode(), is_complete=False)
    assert outline.shape == "document"
    assert outline.keys == (frozenset(), frozenset({"task_id", "traj"}), frozenset(), frozenset({"role"}))


def test_long_first_line_is_a_line():
    outline = outline_of_head(
        b'\xef\xbb\xbf{"messages": [{"role": "user", "content": "' + b"x" * 500, is_complete=False
    )
    assert outline.shape == "lines"
    assert outline.has(0, "messages")
    assert outline.has(2, "role", "content")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_record_longer_than_the_head_is_told_whole_up_to_the_limit(pack):
    row = {"messages": "x" * 3 * HEAD_BYTES, "patch": {"a": 1}}
    raw = pack(json.dumps(row).encode() + b"\n" + b'{"b": 1}\n')

    def told(limit):
        outline = outline_of(io.BytesIO(raw), len(raw), max_record_bytes=limit)
        return outline.shape, outline.records, outline.keys[0]

    assert told(4 * HEAD_BYTES) == ("lines", (row,), {"messages", "patch"})
    assert told(2 * HEAD_BYTES) == ("lines", ({"b": 1},), {"b"})


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("junk", ['{"a": "cut', "Warning: no cache", "[INFO] start"])
@pytest.mark.parametrize("num_junk", [40, 9_000])
def test_records_behind_many_damaged_lines_are_found(pack, junk, num_junk):
    raw = pack(((junk + "\n") * num_junk + '{"a": {"b": 1}}\n' * 3).encode())
    outline = outline_of(io.BytesIO(raw), len(raw))
    assert (outline.shape, outline.records) == ("lines", ({"a": {"b": 1}},) * 3)
    assert outline.has(1, "b")


@pytest.mark.parametrize("blank", [b"\n", b" ", b"\r\n"])
def test_records_behind_a_head_of_blanks_are_found(blank):
    raw = blank * (HEAD_BYTES // len(blank)) + b'{"a": {"b": 1}}\n' * 3
    outline = outline_of(io.BytesIO(raw), len(raw))
    assert (outline.shape, len(outline.records)) == ("lines", 3)


def test_levels_of_a_value_are_those_of_its_text():
    value = {"a": [{"b": {"c": 1}}, {"d": 2}], "e": "f"}
    assert keys_of(value) == outline_of_head(json.dumps(value).encode(), is_complete=True).keys


def test_colons_and_brackets_inside_strings_are_no_keys():
    outline = outline_of_head(b'{"a": "{\\"b\\": [", "c": {"d": 1}}', is_complete=True)
    assert outline.keys[:2] == (frozenset({"a", "c"}), frozenset({"d"}))


def test_cut_string_full_of_quotes_is_one_string():
    outline = outline_of_head(b'{"a": "' + b'\\"x\\":{' * 20_000, is_complete=False)
    assert outline.keys == (frozenset({"a"}), frozenset(), frozenset(), frozenset())


def test_packed_lines_and_parquet_columns():
    packed = gzip.compress(b'{"a": 1}\n')
    assert outline_of(io.BytesIO(packed), len(packed)) == Outline(
        "lines",
        is_packed=True,
        starts_as="{",
        keys=(frozenset({"a"}), frozenset(), frozenset(), frozenset()),
        records=({"a": 1},),
    )
    sink = io.BytesIO()
    pq.write_table(pa.table({"messages": ["[]"], "id": ["a"]}), sink)
    assert outline_of(io.BytesIO(sink.getvalue()), 1) == Outline("parquet", keys=(frozenset({"messages", "id"}),))


def test_damaged_parquet_is_unreadable():
    with pytest.raises(UnreadableError):
        outline_of(io.BytesIO(b"PAR1xxx"), 7)


def test_archive_shows_the_names_at_its_top():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name in ("header.json", "samples/1.json", "samples/2/3.json"):
            archive.writestr(name, b"{}")
    sink.seek(0)
    assert outline_of(sink, len(sink.getvalue())) == Outline("zip", keys=(frozenset({"header.json", "samples/"}),))
