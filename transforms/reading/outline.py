"""What a file holds, told from its first bytes: its packing, its shape and the keys that stand at each level."""

import codecs
import re
from itertools import islice
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from transforms.reading.archives import ZIP_MAGIC, member_names
from transforms.reading.failures import CutStreamError, UnreadableError
from transforms.reading.lines import BOM
from transforms.reading.parquet_rows import MAGIC, column_names
from transforms.reading.streams import ByteSource, is_packed, unpacked

HEAD_BYTES: Final = 64 * 1024
"""Bytes looked at for shape and keys: first records of real files mostly have 3 to 60 KB."""
LOOKED_AT_LINES: Final = 20
LOOKED_ON_BYTES: Final = 4 * 1024 * 1024
"""Bytes in which a first whole record is looked for where the head has none: 200 damaged lines of 20 KB."""
# A text that is cut ends its last string: else each quote inside it would be tried anew up to the end.
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)|[{}\[\]:]', re.DOTALL)
_MAX_LEVEL: Final = 4
_MARKED: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_ZEROS: Final = {
    b"\1\0\1\0": "UTF-16LE",
    b"\0\1\0\1": "UTF-16BE",
    b"\1\0\0\0": "UTF-32LE",
    b"\0\0\0\1": "UTF-32BE",
}
"""Encodings by where the zeros stand in the first four bytes of a text that begins as JSON does."""


class Outline(NamedTuple):
    """The shape of a file.

    `shape` is parquet | zip | lines | document | empty | other. `keys[n]` holds the object keys seen at nesting level
    n of the first value, lists counting as levels (of a Parquet file its columns, at level 0; of an archive the names
    at its top, those of folders with a slash); `starts_as` is its first bracket. `records` are the first lines that
    could be parsed: of the head, or where none of it could, of the `LOOKED_ON_BYTES` behind it. `encoding` names that
    of a text whose characters take two or four bytes each, which is not read: its shape is other.
    """

    shape: str
    is_packed: bool = False
    starts_as: str = ""
    keys: tuple[frozenset[str], ...] = ()
    records: tuple[dict[str, Any], ...] = ()
    encoding: str | None = None

    def has(self, level: int, *names: str) -> bool:
        """Say whether all `names` were seen as keys at `level`."""
        return level < len(self.keys) and self.keys[level].issuperset(names)


def outline_of(stream: BinaryIO, size: int, *, max_record_bytes: int = HEAD_BYTES) -> Outline:
    """Return the outline of the file in `stream`.

    Args:
        stream: The file, at its head.
        size: Its length in bytes.
        max_record_bytes: How long a line that goes on behind the head may be, so that its record can be told.

    Raises:
        UnreadableError: The packing, the archive or the Parquet footer is damaged.
        OSError: The stream cannot be read.
    """
    head = stream.read(4)
    stream.seek(0)
    if head == MAGIC:
        return Outline("parquet", keys=(frozenset(column_names(stream)),))
    if head == ZIP_MAGIC:
        return Outline("zip", keys=(frozenset(map(_top_of, member_names(stream))),))
    source = unpacked(stream, size)
    text = _readable(source, HEAD_BYTES)
    is_complete = len(text) < HEAD_BYTES
    outline = outline_of_head(text, is_complete=is_complete)._replace(is_packed=is_packed(head))
    if outline.records or outline.shape not in {"lines", "other"} or b"\0" in text:
        return outline
    return _with_later_records(outline, text, source, max_record_bytes=max_record_bytes)


def _with_later_records(outline: Outline, head: bytes, source: ByteSource, *, max_record_bytes: int) -> Outline:
    """Return the outline with the records of a first line that goes on behind the head, or of those behind it."""
    pieces = [head.removeprefix(BOM).lstrip()]
    if outline.shape == "lines":
        length = len(head)
        while length <= max_record_bytes and b"\n" not in pieces[-1]:
            piece = _readable(source, HEAD_BYTES)
            if not piece:
                break
            pieces.append(piece)
            length += len(piece)
        first = _record(b"".join(pieces).partition(b"\n")[0])
        if first is not None:
            return outline._replace(keys=(outline.keys[0] | first.keys(), *outline.keys[1:]), records=(first,))
    lines = b"".join((*pieces, _readable(source, LOOKED_ON_BYTES))).split(b"\n")
    likely = (line for line in lines if line.startswith(b"{") and len(line) <= max_record_bytes)
    records = tuple(islice(filter(None, map(_record, likely)), LOOKED_AT_LINES))
    if not records:
        return outline
    return outline._replace(shape="lines", starts_as="{", keys=keys_of(records[0]), records=records)


def _top_of(name: str) -> str:
    folder, slash, _ = name.partition("/")
    return folder + slash


def _readable(source: ByteSource, size: int) -> bytes:
    """Return the next bytes of a source; of one that is damaged or cut, those before the damage, if any."""
    text = b""
    while len(text) < size:
        try:
            chunk = source.read(size - len(text))
        except CutStreamError:
            break
        except UnreadableError:
            if not text:
                raise
            break
        if not chunk:
            break
        text += chunk
    return text


def outline_of_head(head: bytes, *, is_complete: bool) -> Outline:
    """Return the outline told by the first plain bytes of a file.

    A single object on one line is the first of several `lines`; an object over several lines is a `document`.
    """
    encoding = _wide_encoding(head[:4])
    if encoding is not None:
        return Outline("other", encoding=encoding)
    text = head.removeprefix(BOM).lstrip()
    if not text:
        return Outline("empty" if is_complete else "other")
    starts_as = chr(text[0]) if text[:1] in {b"{", b"["} else ""
    keys, end = _scan(text) if starts_as else ((), None)
    lines = _complete_lines(text, is_complete=is_complete)
    parsed = [(line, _record(line)) for line in lines]
    records = tuple(record for _, record in parsed if record is not None)
    of_lines = Outline("lines", starts_as="{", keys=keys, records=records)
    if len(records) > 1 and 2 * len(records) >= len(lines):
        # A first line that was cut leaves its braces and quotes open: the lines behind it tell the shape.
        return of_lines
    if starts_as and _is_document(text, end, is_cut=not is_complete):
        return Outline("document", starts_as=starts_as, keys=keys)
    if len(lines) > 1 and all(line.startswith(b"{") for line in lines):
        # Each line was cut: in an object over several lines only the first one starts with a brace.
        return of_lines
    if records and (len(lines) <= 2 or any(line.startswith(b"{") and record is not None for line, record in parsed)):
        # Between lines that are no JSON; inside a list or an object over several lines an object is indented, or ends
        # with a comma.
        return of_lines
    if starts_as == "{" and b"\n" not in text.strip():
        return of_lines
    is_bracketed_word = starts_as == "[" and end is not None and not any(keys)
    return Outline("document" if starts_as and not is_bracketed_word else "other", starts_as=starts_as, keys=keys)


def _wide_encoding(head: bytes) -> str | None:
    for mark, name in _MARKED:
        if head.startswith(mark):
            return name
    first = head.replace(b"\0", b"")[:1]
    return _ZEROS.get(bytes(map(bool, head))) if first in {b"{", b"[", b" ", b"\t", b"\r", b"\n"} else None


def _is_document(text: bytes, end: int | None, *, is_cut: bool) -> bool:
    """Say whether the first value is a list, or an object over several lines with nothing behind it."""
    if text.startswith(b"["):
        return end is None or not text[end:].strip()
    return end is not None and b"\n" in text[:end] and not text[end:].strip() and not is_cut


def _complete_lines(text: bytes, *, is_complete: bool) -> list[bytes]:
    lines = text.split(b"\n", LOOKED_AT_LINES + 1)
    if not is_complete or len(lines) > LOOKED_AT_LINES:
        lines = lines[:-1]
    return [line for line in lines if line.strip()]


def keys_of(value: Any) -> tuple[frozenset[str], ...]:
    """Return the object keys at each of the first levels of a parsed value, as `Outline.keys` has them."""
    keys = []
    level = [value]
    for _ in range(_MAX_LEVEL):
        objects = [each for each in level if isinstance(each, dict)]
        keys.append(frozenset(name for each in objects for name in each))
        lists = [each for each in level if isinstance(each, list)]
        level = [inner for each in (*lists, *(each.values() for each in objects)) for inner in each]
    return tuple(keys)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and value else None


def _scan(text: bytes) -> tuple[tuple[frozenset[str], ...], int | None]:
    """Return the keys seen at each level of the first value, and where it ends (None: not in these bytes)."""
    keys: list[set[str]] = [set() for _ in range(_MAX_LEVEL)]
    depth = 0
    last_string: bytes | None = None
    for token in _TOKEN.finditer(text):
        symbol = token.group()
        if symbol in {b"{", b"["}:
            depth += 1
        elif symbol in {b"}", b"]"}:
            depth -= 1
            if depth <= 0:
                return tuple(frozenset(level) for level in keys), token.end()
        elif symbol == b":" and last_string is not None and 0 < depth <= _MAX_LEVEL:
            keys[depth - 1].add(last_string[1:-1].decode("utf-8", "replace"))
        last_string = symbol if symbol.startswith(b'"') else None
    return tuple(frozenset(level) for level in keys), None
