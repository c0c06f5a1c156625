"""What a file holds, told from its first bytes: its packing, its shape and the keys that stand at each level."""

import re
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
# A text that is cut ends its last string: else each quote inside it would be tried anew up to the end.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]:]', re.DOTALL)
_MAX_LEVEL: Final = 4


class Outline(NamedTuple):
    """The shape of a file.

    `shape` is parquet | zip | lines | document | empty | other. `keys[n]` holds the object keys seen at nesting level
    n of the first value, lists counting as levels (of a Parquet file its columns, at level 0; of an archive the names
    at its top, those of folders with a slash); `starts_as` is its first bracket. `records` are the first lines that
    could be parsed.
    """

    shape: str
    is_packed: bool = False
    starts_as: str = ""
    keys: tuple[frozenset[str], ...] = ()
    records: tuple[dict[str, Any], ...] = ()

    def has(self, level: int, *names: str) -> bool:
        """Say whether all `names` were seen as keys at `level`."""
        return level < len(self.keys) and self.keys[level].issuperset(names)


def outline_of(stream: BinaryIO, size: int, *, max_record_bytes: int = HEAD_BYTES) -> Outline:
    """Return the outline of the file in `stream`.

    Args:
        stream: The file, at its head.
        size: Its length in bytes.
        max_record_bytes: How far a first line is read that is longer than the head, so that its record can be told.

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
    if outline.shape != "lines" or outline.records or is_complete:
        return outline
    return _with_first_record(outline, text, source, max_record_bytes=max_record_bytes)


def _with_first_record(outline: Outline, head: bytes, source: ByteSource, *, max_record_bytes: int) -> Outline:
    """Return the outline with the record of a first line that goes on behind the head, and its keys."""
    pieces = [head.removeprefix(BOM)]
    length = len(head)
    while length <= max_record_bytes and b"\n" not in pieces[-1]:
        piece = _readable(source, HEAD_BYTES)
        if not piece:
            break
        pieces.append(piece)
        length += len(piece)
    record = _record(b"".join(pieces).lstrip().partition(b"\n")[0])
    if record is None:
        return outline
    return outline._replace(keys=(outline.keys[0] | record.keys(), *outline.keys[1:]), records=(record,))


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
    text = head.removeprefix(BOM).lstrip()
    if not text:
        return Outline("empty" if is_complete else "other")
    starts_as = chr(text[0]) if text[:1] in {b"{", b"["} else ""
    keys, end = _scan(text) if starts_as else ((), None)
    lines = _complete_lines(text, is_complete=is_complete)
    records = [record for record in map(_record, lines) if record is not None]
    if len(records) > 1 and 2 * len(records) >= len(lines):
        # A first line that was cut leaves its braces and quotes open: the lines behind it tell the shape.
        return Outline("lines", starts_as="{", keys=keys, records=tuple(records))
    if starts_as and _is_document(text, end, is_cut=not is_complete):
        return Outline("document", starts_as=starts_as, keys=keys)
    if len(lines) > 1 and all(line.startswith(b"{") for line in lines):
        # Each line was cut: in an object over several lines only the first one starts with a brace.
        return Outline("lines", starts_as="{", keys=keys, records=tuple(records))
    if records and (_record(lines[0]) is not None or len(lines) <= 2):
        return Outline("lines", starts_as="{", keys=keys, records=tuple(records))
    if starts_as == "{" and b"\n" not in text.strip():
        return Outline("lines", starts_as="{", keys=keys)
    return Outline("document" if starts_as else "other", starts_as=starts_as, keys=keys)


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
