"""Inspect `.eval` archives as a test writes them: members packed with zstandard, which `zipfile` cannot write."""

import io
import json
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any

import zstandard

METHOD = 93


def archive(members: Iterable[tuple[str, Any]]) -> bytes:
    """Return a zip archive of the members, in their order; values that are no bytes become JSON."""
    members = [(name, value if isinstance(value, bytes) else json.dumps(value).encode()) for name, value in members]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as opened, warnings.catch_warnings():
        # A test may want a name twice.
        warnings.simplefilter("ignore")
        for name, plain in members:
            opened.writestr(zipfile.ZipInfo(name), zstandard.compress(plain))
    raw = bytearray(sink.getvalue())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = 0
        for _, plain in members:
            start = raw.index(mark, start) + 1
            at = start - 1 + place
            raw[at : at + 2] = METHOD.to_bytes(2, "little")
            raw[at + 6 : at + 10] = zlib.crc32(plain).to_bytes(4, "little")
            raw[at + 14 : at + 18] = len(plain).to_bytes(4, "little")
    return bytes(raw)
