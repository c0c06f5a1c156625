import io
import zipfile

import pytest
import zstandard

from transforms.reading import streams
from transforms.reading.archives import member_names, open_member
from transforms.reading.failures import TooLargeError, UnreadableError
from transforms.reading.streams import read_up_to

CONTENT = b'{"id": 1}' * 50_000


def archive(method=zipfile.ZIP_DEFLATED):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", method) as opened:
        opened.writestr("header.json", b"{}")
        opened.writestr("../../samples/1.json", CONTENT)
    return sink


def zstandard_archive():
    """Return an archive whose members are packed with method 93, which `zipfile` cannot write: patched in place."""
    sink = io.BytesIO()
    packed = zstandard.compress(CONTENT)
    with zipfile.ZipFile(sink, "w") as opened:
        opened.writestr("a.json", packed)
    raw = bytearray(sink.getvalue())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = raw.index(mark) + place
        raw[start : start + 2] = (93).to_bytes(2, "little")
    return io.BytesIO(bytes(raw))


def member(stream, name):
    return read_up_to(open_member(stream, name, size=len(stream.getvalue())), 10_000_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_named_and_read(method):
    stream = archive(method)
    assert member_names(stream) == ["header.json", "../../samples/1.json"]
    assert member(stream, "../../samples/1.json") == CONTENT
    assert member(stream, "header.json") == b"{}"


def test_a_member_packed_with_zstandard_is_read():
    assert member(zstandard_archive(), "a.json") == CONTENT


def test_what_is_damaged_missing_or_too_large_is_told(monkeypatch):
    with pytest.raises(UnreadableError, match="not a zip file"):
        member_names(io.BytesIO(b"PK\x03\x04 nothing"))
    with pytest.raises(UnreadableError, match="no such member"):
        member(archive(), "other.json")
    broken = bytearray(archive().getvalue())
    broken[broken.index(b"samples/1.json") + 40] ^= 255
    with pytest.raises(UnreadableError):
        member(io.BytesIO(bytes(broken)), "../../samples/1.json")
    monkeypatch.setattr(streams, "INFLATE_FREE_BYTES", 1000)
    with pytest.raises(TooLargeError, match="inflates to more than"):
        member(archive(), "../../samples/1.json")
