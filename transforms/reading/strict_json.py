"""Strict reading of JSON records: a fast parser, and a slow one for what the fast one refuses or would blur.

The fast parser keeps the last of two equal keys and rounds whole numbers over 64 bits; a record that may hold either
is read again by the slow parser. What the slow parser mends it names in `warnings`.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple, NoReturn

import orjson
import re2

from schemas.reasons import QuarantineReason
from transforms.reading.failures import RecordError

_HUGE_INTEGER: Final = re2.compile(rb"[:\[,]\s*-?[0-9]{20}")
_DIGITS_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_INT64: Final = range(-(2**63), 2**64)
_CUT_WITHIN: Final = 6
"""A parse error this near to the end means a cut text: a cut word (`fals`) or escape (`\\u12`) starts so far back."""


class Parsed(NamedTuple):
    """A JSON value and the names of what had to be mended while reading it."""

    value: Any
    warnings: tuple[str, ...] = ()


def parse_json(raw: bytes, *, watched: Collection[str] = (), max_depth: int = 900) -> Parsed:
    """Parse one JSON text.

    NaN, infinities and numbers beyond a double are read as null (`nonfinite_number`), lone surrogates as U+FFFD
    (`lone_surrogate`), whole numbers over 64 bits as text (`integer_as_text`); of a doubled key that is not watched
    the last value counts (`duplicate_key`).

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
        slow = _may_hold_huge(raw) or _may_double(raw, value, watched)
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


class _SlowReading:
    """The hooks of one slow reading and the warnings they gather."""

    def __init__(self, watched: Collection[str]) -> None:
        self.watched = frozenset(watched)
        self.warnings: list[str] = []

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            self._refuse_ambiguous(pairs, result)
        return result

    def _refuse_ambiguous(self, pairs: list[tuple[str, Any]], result: dict[str, Any]) -> None:
        for key, value in pairs:
            differs = type(value) is not type(result[key]) or value != result[key]
            if differs and (key in self.watched or isinstance(value, dict)):
                raise RecordError(QuarantineReason.DUPLICATE_KEY, f"key {key!r} occurs twice with different values")
        self.warnings.append("duplicate_key")

    def integer(self, text: str) -> int | str:
        # int() refuses texts over 4,300 digits; both bounds of 64 bits have at most 20.
        if len(text) <= 21 and int(text) in _INT64:
            return int(text)
        self.warnings.append("integer_as_text")
        return text

    def number(self, text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            return value
        self.warnings.append("nonfinite_number")
        return None

    def constant(self, text: str) -> None:
        self.warnings.append("nonfinite_number")


def _may_hold_huge(raw: bytes) -> bool:
    """Say whether the text may hold a whole number over 64 bits; of its 20 digits every fifth byte meets four."""
    if b"0000" not in raw[::5].translate(_DIGITS_AS_ZEROS):
        return False
    return _HUGE_INTEGER.search(raw) is not None


def _may_double(raw: bytes, value: Any, watched: Collection[str]) -> bool:
    """Say whether a watched key stands more often in the text than in the parsed value.

    Of an object only its own keys and those of the objects right inside it are looked at: ids and labels lie there.
    """
    if not watched:
        return False
    if isinstance(value, dict):
        near = set(value).union(*(item for item in value.values() if isinstance(item, dict)))
        watched = near.intersection(watched)
    repeated = [name for name in watched if raw.count(f'"{name}"'.encode()) > 1]
    if not repeated:
        return False
    seen = Counter(key for container in _containers(value) if isinstance(container, dict) for key in container)
    return any(len(re.findall(rb'"%s"\s*:' % re.escape(name.encode()), raw)) > seen[name] for name in repeated)


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
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            return depth
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def _mend_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mend_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_mend_surrogates(key): _mend_surrogates(item) for key, item in value.items()}
    return value
