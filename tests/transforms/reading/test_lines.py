import hashlib
import io
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from transforms.reading import lines as module
from transforms.reading.lines import Line, hash_ranges, read_lines


def read(raw, **options):
    return list(read_lines(io.BytesIO(raw), max_bytes=options.pop("max_bytes", 100), **options))


def test_lines_have_number_offset_and_length():
    assert read(b"ab\r\n\ncd") == [
        Line(1, 0, 2, b"ab"),
        Line(2, 4, 0, b""),
        Line(3, 5, 2, b"cd", is_terminated=False),
    ]


def test_byte_order_mark_belongs_to_no_line():
    assert read(b"\xef\xbb\xbfab\n") == [Line(1, 3, 2, b"ab")]


def test_line_over_the_limit_keeps_only_length_and_hash():
    assert read(b"abcdef\nab\n", max_bytes=4) == [
        Line(1, 0, 6, None, hashlib.sha256(b"abcdef").hexdigest()),
        Line(2, 7, 2, b"ab"),
    ]


def test_line_separator_inside_text_does_not_split():
    assert len(read("a\u2028b\x85\n".encode())) == 1


@given(
    raw=st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r\n", b"\xc3\xa9"]), max_size=40).map(b"".join),
    cuts=st.lists(st.integers(0, 80), max_size=4),
    block=st.integers(1, 9),
)
def test_ranges_give_every_line_once(raw, cuts, block):
    before, module.BLOCK_BYTES = module.BLOCK_BYTES, block
    try:
        bounds = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})
        whole = [(line.offset, line.raw) for line in read(raw)]
        parts = [
            (line.offset, line.raw) for start, end in pairwise(bounds) for line in read(raw, start=start, end=end)
        ]
    finally:
        module.BLOCK_BYTES = before
    assert parts == whole


@given(
    raw=st.lists(st.sampled_from([b"a", b"bbbb", b"\n"]), max_size=60).map(b"".join),
    size=st.integers(1, 20),
    block=st.integers(1, 9),
)
def test_hash_ranges_cut_at_line_ends_and_cover_the_stream(raw, size, block):
    before, module.BLOCK_BYTES = module.BLOCK_BYTES, block
    try:
        ranges = hash_ranges(io.BytesIO(raw), range_bytes=size)
    finally:
        module.BLOCK_BYTES = before
    assert ranges[0].start == 0
    assert ranges[-1].end == len(raw)
    assert all(one.end == other.start for one, other in pairwise(ranges))
    assert all(raw[: one.end].endswith(b"\n") for one in ranges[:-1])
    assert [one.sha256 for one in ranges] == [hashlib.sha256(raw[one.start : one.end]).hexdigest() for one in ranges]
