"""Strict reading of JSON records: a fast parser, and a slow one for what the fast one refuses or would blur.

The fast parser keeps the last of two equal keys and rounds whole numbers over 64 bits; a record that may hold either
is read again by the slow parser. What the slow parser mends it names in `warnings`.
"""

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn, Self

import numpy as np
import orjson
import re2

from schemas.reasons import QuarantineReason
from transforms.reading.failures import RecordError

DUPLICATE_KEY: Final = "duplicate_key"
"""Warning: a key stands twice in an object; the last value counts."""
_HUGE_INTEGER: Final = re2.compile(rb"[:\[,]\s*-?[0-9]{20}")
_NUMBER_BEHIND: Final = re.compile(rb"\s*:\s*(-?[0-9][0-9.eE+-]*)")
_DIGITS_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_QUOTE: Final = ord('"')
_SHORT: Final = 4096
"""Bytes below which bytes are counted faster by their own method than as an array: that takes 1.3 µs to begin."""
_CONTAINERS: Final = frozenset({dict, list})
_WRITER_DEPTH: Final = 254
"""Deepest nesting that the fast writer writes; it refuses what is deeper."""
_INT64: Final = range(-(2**63), 2**64)
_CUT_WITHIN: Final = 6
"""A parse error this near to the end means a cut text: a cut word (`fals`) or escape (`\\u12`) starts so far back."""


class Parsed(NamedTuple):
    """A JSON value and the names of what had to be mended while reading it.

    `max_item_bytes` bounds each record inside of a document that is longer than one record may be; None: none can be
    over the bound.
    """

    value: Any
    warnings: tuple[str, ...] = ()
    max_item_bytes: int | None = None


def parse_json(raw: bytes, *, watched: Collection[str] = (), max_depth: int = 900) -> Parsed:
    """Parse one JSON text.

    NaN, infinities and numbers beyond a double are read as null (`nonfinite_number`), lone surrogates as U+FFFD
    (`lone_surrogate`), whole numbers over 64 bits as text (`integer_as_text`), broken numbers under a watched key that
    are written otherwise than their value would be (`1.10`) as text (`float_as_text`). A doubled key is seen at any
    depth: of one that is not watched the last value counts (`duplicate_key`).

    Args:
        raw: The text as bytes.
        watched: Id and label keys; two different values of one in the same object make the record ambiguous.
        max_depth: Deepest nesting allowed; an object of plain values is 1 deep.

    Raises:
        RecordError: The text is no valid JSON, not UTF-8, ambiguous or nested too deep.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        parsed = _parse_slowly(raw, watched)
    else:
        objects = _watched_objects(value, watched) if watched else []
        if _is_verbatim(raw, value, max_depth=max_depth):
            slow = _has_exponent(objects, watched) and _may_round(raw, objects, watched)
            if not slow:
                return Parsed(value)
        else:
            slow = _may_hold_huge(raw) or _may_double(raw, value) or _may_round(raw, objects, watched)
        parsed = _parse_slowly(raw, watched) if slow else Parsed(value)
    if raw.count(b"{") + raw.count(b"[") > max_depth and _depth(parsed.value, max_depth) > max_depth:
        raise RecordError(QuarantineReason.TOO_DEEP, f"nested deeper than {max_depth} levels")
    return parsed


def parse_object(raw: bytes, *, watched: Collection[str] = (), max_depth: int = 900) -> Parsed:
    """Parse one JSON object; as `parse_json`.

    Raises:
        RecordError: As `parse_json`, and for a value that is no object.
    """
    parsed = parse_json(raw, watched=watched, max_depth=max_depth)
    if not isinstance(parsed.value, dict):
        kind = type(parsed.value).__name__
        raise RecordError(QuarantineReason.NOT_AN_OBJECT, f"expected an object, got {kind}")
    return parsed


def _parse_slowly(raw: bytes, watched: Collection[str]) -> Parsed:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(
            QuarantineReason.INVALID_ENCODING,
            f"invalid UTF-8 at byte {error.start}",
            at_end=error.reason == "unexpected end of data",
        ) from error
    reading = _SlowReading(watched)
    try:
        value = json.loads(
            text,
            object_pairs_hook=reading.pairs,
            parse_int=reading.integer,
            parse_float=reading.number,
            parse_constant=reading.constant,
        )
    except json.JSONDecodeError as error:
        _raise_invalid(error, text)
    except RecursionError as error:
        raise RecordError(QuarantineReason.TOO_DEEP, "nested too deep for the parser") from error
    if reading.has_written:
        value = _with_plain_floats(value)
    try:
        text.encode()
        if "\\u" in text:
            orjson.dumps(value)
    except (UnicodeEncodeError, TypeError):
        value = _mend_surrogates(value)
        reading.warnings.append("lone_surrogate")
    return Parsed(value, tuple(sorted(set(reading.warnings))))


def _raise_invalid(error: json.JSONDecodeError, text: str) -> NoReturn:
    end = len(text.rstrip())
    at_end = error.msg.startswith("Unterminated string") or error.pos >= end - _CUT_WITHIN
    raise RecordError(
        QuarantineReason.INVALID_JSON, f"{error.msg} at character {error.pos}", at_end=at_end and end > 0
    ) from error


class _WrittenFloat(float):
    """A number that is written otherwise than its value would be, and how."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


class _SlowReading:
    """The hooks of one slow reading and the warnings they gather."""

    def __init__(self, watched: Collection[str]) -> None:
        self.watched = frozenset(watched)
        self.warnings: list[str] = []
        self.has_written = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            self._refuse_ambiguous(pairs, result)
        for name in self.watched.intersection(result):
            if isinstance(result[name], _WrittenFloat):
                result[name] = result[name].text
                self.warnings.append("float_as_text")
        return result

    def _refuse_ambiguous(self, pairs: list[tuple[str, Any]], result: dict[str, Any]) -> None:
        for key, value in pairs:
            differs = type(value) is not type(result[key]) or value != result[key]
            if differs and (key in self.watched or isinstance(value, dict)):
                raise RecordError(QuarantineReason.DUPLICATE_KEY, f"key {key!r} occurs twice with different values")
        self.warnings.append(DUPLICATE_KEY)

    def integer(self, text: str) -> int | str:
        # int() refuses texts over 4,300 digits; both bounds of 64 bits have at most 20.
        if len(text) <= 21 and int(text) in _INT64:
            return int(text)
        self.warnings.append("integer_as_text")
        return text

    def number(self, text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            if repr(value) == text:
                return value
            self.has_written = True
            return _WrittenFloat(text)
        self.warnings.append("nonfinite_number")
        return None

    def constant(self, text: str) -> None:
        self.warnings.append("nonfinite_number")


def _may_hold_huge(raw: bytes) -> bool:
    """Say whether the text may hold a whole number over 64 bits; of its 20 digits every fifth byte meets four."""
    if b"0000" not in raw[::5].translate(_DIGITS_AS_ZEROS):
        return False
    return _HUGE_INTEGER.search(raw) is not None


def _is_verbatim(raw: bytes, value: Any, *, max_depth: int) -> bool:
    """Say whether the text is just what the value is written as, and the value not nested too deep.

    Then the fast parser lost no key and no digit. The writer itself counts the depth: the value is put so deep that
    its limit is the caller's. A text with blanks behind its first key is none, which spares writing the value.
    """
    if raw.startswith(b": ", raw.find(b'":') + 1):
        return False
    wrapped = value
    padding = max(0, _WRITER_DEPTH - max_depth)
    for _ in range(padding):
        wrapped = [wrapped]
    try:
        written = orjson.dumps(wrapped)
    except TypeError:
        return False
    # What is around the value is as long as the padding on both sides: nothing is left to compare by copying.
    return len(written) == len(raw) + 2 * padding and written.startswith(raw, padding)


def _may_double(raw: bytes, value: Any) -> bool:
    """Say whether the fast parser may have lost a doubled key: the text has more quotes than its value as written.

    What is lost takes the quotes of its key along; blanks have none, and inside of strings there are as many in the
    one as in the other, unless one is written by its number.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:
        return True
    return _num_quotes(raw) != _num_quotes(written) or b"\\u0022" in raw


def doubles_a_key(text: str, value: Any) -> bool:
    """Say whether a text that the fast parser read as `value` has a key twice in one of its objects.

    Args:
        text: JSON as it stands inside of a record.
        value: What it was read as; of one that is nested too deep for the slow parser nothing is said.
    """
    raw = text.encode("utf-8", "replace")
    try:
        return _may_double(raw, value) and DUPLICATE_KEY in _parse_slowly(raw, ()).warnings
    except RecordError:
        return False


def _num_quotes(text: bytes) -> int:
    if len(text) < _SHORT:
        return text.count(b'"')
    # A fifth of the time that the method of bytes takes on long texts.
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _QUOTE))


def _watched_objects(value: Any, watched: Collection[str]) -> list[dict[str, Any]]:
    """Return the objects in which watched keys are looked for.

    Of an object only its own keys and those of the objects right inside it are looked at first, as ids and labels lie
    there; where none of them is watched, as in a map of records, all are.
    """
    watched = frozenset(watched)
    near = [item for item in _near_containers(value) if not watched.isdisjoint(item)]
    return near or [item for item in _containers(value) if isinstance(item, dict)]


def _has_exponent(objects: Iterable[dict[str, Any]], watched: Collection[str]) -> bool:
    """Say whether a watched key has a number whose value is written with an exponent.

    In a text that is just what its value is written as, no other number is written otherwise: the fast writer and
    Python differ in exponents alone. So hardly any such text has to be searched for the key.
    """
    names = frozenset(watched)
    return any(
        type(item[name]) is float and "e" in repr(item[name]) for item in objects for name in names.intersection(item)
    )


def _may_round(raw: bytes, objects: Iterable[dict[str, Any]], watched: Collection[str]) -> bool:
    """Say whether a watched key has a number that is written otherwise than its value would be."""
    floats = {name for item in objects for name in item.keys() & watched if type(item[name]) is float}
    return any(_is_rounded(raw, f'"{name}"'.encode()) for name in floats)


def _near_containers(value: Any) -> Iterator[dict[str, Any]]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            yield item
            yield from (inner for inner in item.values() if isinstance(inner, dict))


def _is_rounded(raw: bytes, key: bytes) -> bool:
    """Say whether a number under the key, which comes with its quotes, is not written as its value is."""
    place = raw.find(key)
    while place >= 0:
        place += len(key)
        number = _NUMBER_BEHIND.match(raw, place)
        if number is not None and _is_blurred(number.group(1).decode()):
            return True
        place = raw.find(key, place)
    return False


def _is_blurred(text: str) -> bool:
    if not text.lstrip("-").isdigit():
        return repr(float(text)) != text
    return len(text) > 20 or int(text) not in _INT64


def _containers(value: Any) -> Iterator[dict[str, Any] | list[Any]]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            yield item
            stack.extend(item)


def _depth(value: Any, limit: int) -> int:
    """Return the nesting depth of `value`, counting no further than one over `limit`."""
    depth, level = 0, [value]
    while depth <= limit:
        level = [item for item in level if type(item) in _CONTAINERS]
        if not level:
            return depth
        depth += 1
        level = [child for item in level for child in (item.values() if type(item) is dict else item)]
    return depth


def _with_plain_floats(value: Any) -> Any:
    if isinstance(value, _WrittenFloat):
        return float(value)
    if isinstance(value, list):
        return [_with_plain_floats(item) for item in value]
    if isinstance(value, dict):
        return {key: _with_plain_floats(item) for key, item in value.items()}
    return value


def _mend_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mend_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_mend_surrogates(key): _mend_surrogates(item) for key, item in value.items()}
    return value
