import gzip
import io
import os

import pytest
import zstandard

from transforms.reading import streams
from transforms.reading.failures import CutStreamError, UnreadableError
from transforms.reading.streams import read_up_to, unpacked


def read(raw):
    return read_up_to(unpacked(io.BytesIO(raw), len(raw)), 20_000_000)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_packed_and_plain_streams_give_the_same_bytes(pack):
    assert read(pack(b"abc\n" * 1000)) == b"abc\n" * 1000


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_joined_members_are_one_stream(pack):
    assert read(pack(b"ab") + pack(b"cd")) == b"abcd"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_stream_is_told_after_what_came_before_the_cut(pack):
    content = os.urandom(300_000)
    source = unpacked(io.BytesIO(pack(content)[:-12]), 300_000)
    got = b""
    with pytest.raises(CutStreamError, match="stops before its end"):
        while True:
            got += source.read(50_000)
    assert len(got) > 100_000
    assert content.startswith(got)


@pytest.mark.parametrize("raw", [b"\x1f\x8bxxxxxxxxxxxx", b"\x28\xb5\x2f\xfdxxxxxxxxxx"])
def test_damaged_packing_is_told(raw):
    with pytest.raises(UnreadableError):
        read(raw)


def test_inflating_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(streams, "INFLATE_FREE_BYTES", 1000)
    with pytest.raises(UnreadableError, match="inflates to more than"):
        read(gzip.compress(b"a" * 10_000_000))
