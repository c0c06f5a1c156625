import gzip
import io

import pytest
import zstandard

from transforms.reading import streams
from transforms.reading.failures import UnreadableError
from transforms.reading.streams import CutStreamError, read_up_to, unpacked


def read(raw):
    return read_up_to(unpacked(io.BytesIO(raw), len(raw)), 20_000_000)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_packed_and_plain_streams_give_the_same_bytes(pack):
    assert read(pack(b"abc\n" * 1000)) == b"abc\n" * 1000


def test_joined_gzip_members_are_one_stream():
    assert read(gzip.compress(b"ab") + gzip.compress(b"cd")) == b"abcd"


def test_cut_gzip_is_told():
    with pytest.raises(CutStreamError, match="stops before its end"):
        read(gzip.compress(b"abc" * 1000)[:-12])


@pytest.mark.parametrize("raw", [b"\x1f\x8bxxxxxxxxxxxx", b"\x28\xb5\x2f\xfdxxxxxxxxxx"])
def test_damaged_packing_is_told(raw):
    with pytest.raises(UnreadableError):
        read(raw)


def test_inflating_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(streams, "INFLATE_FREE_BYTES", 1000)
    with pytest.raises(UnreadableError, match="inflates to more than"):
        read(gzip.compress(b"a" * 10_000_000))
