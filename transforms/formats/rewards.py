"""The one conversion table from rewards as written to numbers.

| as written                                             | reward                                             |
|--------------------------------------------------------|----------------------------------------------------|
| number                                                 | the number; NaN and infinities: not scored         |
| true, false                                            | 1.0, 0.0                                           |
| text of a decimal number, of a percentage              | the number, `50%`: 0.5; "nan", "inf": not scored   |
| text true, yes, pass, passed, success, resolved, …     | 1.0 (case, outer blanks, `_` and `-` matter not)   |
| text false, no, fail, failed, unresolved, not solved … | 0.0                                                |
| missing, null, blank text, none, null, n/a, unscored … | not scored                                         |
| text pending, skipped, error, timeout, incomplete, …   | not scored: there was no judgement                 |
| text of a fault of the machinery: sandbox_error, …     | not scored, as by the endings of `endings`         |
| any other text                                         | the record is set aside: `invalid_reward`          |
| list of one element                                    | that element, by this table                        |
| empty list or object                                   | not scored                                         |
| longer list                                            | the record is set aside: a sum would be a guess    |
| object with total, reward, score, value or resolved    | the first of these that is not null, by this table |
| object of which one of these, or `passed`, `success`   | not scored: `conflicting_label`                    |
| and their like, is 1.0 and another one 0.0             |                                                    |
| any other object                                       | the record is set aside                            |
| per-token list of a rollout dump (verl, SkyRL)         | the sum of its numbers; empty: not scored          |

A number outside `ingest.reward_range` is kept as written, flagged `reward_out_of_range` and not scored.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from schemas.reasons import QuarantineReason
from transforms.formats.endings import ending_of
from transforms.reading.failures import RecordError

TRUE_WORDS: Final = frozenset({
    "true", "yes", "y", "pass", "passed", "success", "successful", "succeeded", "solved", "resolved", "correct", "win",
    "accepted",
})  # fmt: skip
FALSE_WORDS: Final = frozenset({
    "false", "no", "n", "fail", "failed", "failure", "unsuccessful", "unsolved", "unresolved", "incorrect", "loss",
    "wrong", "not solved", "not resolved", "not passed", "not correct", "not successful", "did not pass",
    "rejected",
})  # fmt: skip
UNSCORED_WORDS: Final = frozenset({
    "", "?", "null", "none", "nan", "n/a", "na", "unscored", "unknown", "inf", "+inf", "infinity", "missing",
    "undefined", "pending", "queued", "running", "in progress", "skip", "skipped", "not run", "not evaluated",
    "not graded", "not judged", "ungraded", "error", "errored", "timeout", "timed out", "incomplete", "unfinished",
    "crashed", "cancelled", "canceled", "aborted",
})  # fmt: skip
TOTAL_KEYS: Final = ("total", "reward", "score", "value", "resolved")
OUT_OF_RANGE: Final = "reward_out_of_range"
_WITNESSES: Final = frozenset(
    {"success", "passed", "is_passed", "solved", "is_solved", "is_success", "is_correct", "is_resolved"}
)
"""Fields that are no labels of their own, as they may tell of a call and not of the task, but must not deny the label.
A whole number under `passed` may be one of tests, so it is none."""
_CONDITION: Final = "patch_successfully_applied"
"""A field without which there is no success, and that says nothing more."""
CONFLICTING_LABEL: Final = "conflicting_label"
"""Warning: labels of one run deny each other, so it is not scored."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BLANKS: Final = re.compile(r"[\s_-]+")
MISSING: Final = object()
"""Stands for a field that is not there."""


class Reward(NamedTuple):
    """A converted reward: None means not scored; `raw` is the text as written."""

    value: float | None
    raw: str | None
    warnings: tuple[str, ...] = ()


def convert_reward(raw: Any, reward_range: tuple[float, float]) -> Reward:
    """Convert a reward as written by the table above.

    Args:
        raw: The parsed JSON value, or `MISSING`.
        reward_range: Bounds, both included, outside of which a number is not scored.

    Raises:
        RecordError: A text, list or object the table has no rule for.
    """
    if raw is MISSING:
        return Reward(None, None)
    value = _number(raw)
    written = raw if isinstance(raw, str) else orjson.dumps(raw).decode()
    if isinstance(raw, dict) and deny_each_other((*map(raw.get, TOTAL_KEYS), *witnesses_of(raw))):
        return Reward(None, written, (CONFLICTING_LABEL,))
    if value is not None and not reward_range[0] <= value <= reward_range[1]:
        return Reward(None, written, (OUT_OF_RANGE,))
    return Reward(value, written)


def convert_token_scores(raw: Any, reward_range: tuple[float, float]) -> Reward:
    """Convert the score of a rollout dump, where a list holds one number a token and their sum is the reward.

    Args:
        raw: The parsed JSON value, or `MISSING`; anything but a list goes by the table.
        reward_range: As `convert_reward`.

    Raises:
        RecordError: As `convert_reward`, and for a list that holds anything but finite numbers.
    """
    if not isinstance(raw, list):
        return convert_reward(raw, reward_range)
    written = orjson.dumps(raw).decode()
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in raw):
        raise RecordError(QuarantineReason.INVALID_REWARD, "a list of token scores may hold numbers only")
    total = convert_reward(math.fsum(raw) if raw else None, reward_range)
    return total._replace(raw=written)


def number_said(raw: Any) -> float | None:
    """Return the number that a label, or a step's reward, is by the table; None where it says none or has no rule."""
    try:
        return None if raw is MISSING else _number(raw)
    except RecordError:
        return None


def witnesses_of(record: dict[str, Any]) -> Iterator[Any]:
    """Yield what a record says of its success beside its labels; no success was had where a patch did not apply."""
    yield from (
        record[name] for name in _WITNESSES & record.keys() if name != "passed" or type(record[name]) is not int
    )
    if record.get(_CONDITION) is False:
        yield False


def deny_each_other(labels: Iterable[Any]) -> bool:
    """Say whether one of some labels is a full success and another a full failure; graded ones contradict nothing."""
    said = {number_said(label) for label in labels}
    return 0.0 in said and 1.0 in said


def unread_components(raw: Any, *, prefix: str) -> set[str]:
    """Return the names of the entries that `convert_components` has no number for, although they are scored.

    Args:
        raw: The map from component name to number; anything else that says something is named by the prefix alone.
        prefix: What stands before each name, without the dot.
    """
    if type(raw) is dict or isinstance(raw, Mapping):
        return {f"{prefix}.{name}" for name, item in raw.items() if not _is_readable(item)}
    return set() if raw is None or raw is MISSING or raw in ("", [], ()) else {prefix}


def _is_readable(item: Any) -> bool:
    try:
        _number(item)
    except RecordError:
        return False
    return True


def convert_components(raw: Any) -> dict[str, float]:
    """Return the scored entries of a map from component name to number; anything else has none."""
    if type(raw) is not dict and not isinstance(raw, Mapping):
        return {}
    components: dict[str, float] = {}
    for name, item in raw.items():
        try:
            value = _number(item)
        except RecordError:
            continue
        if value is not None:
            components[str(name)] = value
    return components


def _number(raw: Any) -> float | None:
    if raw is None:
        return None
    if isinstance(raw, bool):
        return float(raw)
    if isinstance(raw, int | float):
        value = float(raw)
        return value if math.isfinite(value) else None
    if isinstance(raw, str):
        return _number_of_text(raw)
    if isinstance(raw, list):
        return _number_of_list(raw)
    if isinstance(raw, dict):
        return _number_of_object(raw)
    raise RecordError(QuarantineReason.INVALID_REWARD, f"no rule for a reward of kind {type(raw).__name__}")


def _number_of_text(raw: str) -> float | None:
    word = raw.strip().lower()
    number = word.removesuffix("%").rstrip()
    if _NUMBER.fullmatch(number):
        value = float(number) / (100 if word.endswith("%") else 1)
        return value if math.isfinite(value) else None
    word = _BLANKS.sub(" ", word).strip()
    if word in TRUE_WORDS:
        return 1.0
    if word in FALSE_WORDS:
        return 0.0
    if word in UNSCORED_WORDS or not ending_of(raw).reward_valid:
        return None
    raise RecordError(QuarantineReason.INVALID_REWARD, f"no rule for the reward {raw!r}")


def _number_of_list(raw: list[Any]) -> float | None:
    if not raw:
        return None
    if len(raw) == 1:
        return _number(raw[0])
    raise RecordError(QuarantineReason.INVALID_REWARD, f"a reward list may have one element, got {len(raw)}")


def _number_of_object(raw: dict[str, Any]) -> float | None:
    if not raw:
        return None
    stated = [raw[key] for key in TOTAL_KEYS if key in raw]
    if stated:
        return _number(next((value for value in stated if value is not None), None))
    names = ", ".join(sorted(map(str, raw))[:5])
    raise RecordError(QuarantineReason.INVALID_REWARD, f"a reward object needs one of {TOTAL_KEYS}, got {names}")
