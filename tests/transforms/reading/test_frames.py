import io

import pytest

from transforms.reading.frames import MAX_BYTES, Kind, packed, read_message


@pytest.mark.parametrize("payload", [b"", b"x", b"\x00" * 100_000])
def test_a_message_is_read_as_it_was_sent(payload):
    assert read_message(io.BytesIO(packed(Kind.PIECE, payload)).read) == (Kind.PIECE, payload)


@pytest.mark.parametrize("raw", [b"\x09" + b"\x00" * 8, b"\x05" + (MAX_BYTES + 1).to_bytes(8, "little")])
def test_what_is_no_message_is_refused(raw):
    with pytest.raises(ValueError, match=r"Kind|bytes, .* allowed"):
        read_message(io.BytesIO(raw).read)
