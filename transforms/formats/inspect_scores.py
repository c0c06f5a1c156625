"""The reward of an Inspect sample, told by its scores.

| score's value                | reward                                                                           |
|------------------------------|----------------------------------------------------------------------------------|
| the letters C, P, I, N       | 1.0, .5, 0.0, 0.0: Inspect's correct, partly correct, incorrect and no answer    |
| number, bool, text, null     | by the table of `rewards`                                                        |
| list                         | by the table of `rewards`, letters as above                                      |
| object with a total          | by the table of `rewards`, letters as above; its entries are parts               |
| object without a total       | not scored (`score_has_parts_only`): its entries are parts, and no rule joins them |

Of several scorers the first is the reward, as in Inspect itself (`several_scores`); every scorer's value is a part.
"""

from typing import Any, Final, NamedTuple

from transforms.formats.arguments import canonical_text
from transforms.formats.fields import as_object, as_text
from transforms.formats.rewards import (
    MISSING,
    TOTAL_KEYS,
    Reward,
    convert_components,
    convert_reward,
    unread_components,
)

LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
SEVERAL_SCORES: Final = "several_scores"
PARTS_ONLY: Final = "score_has_parts_only"
_STATED: Final = {"C": True, "I": False, "N": False}


class Scored(NamedTuple):
    """What the scores of a sample say."""

    reward: Reward = Reward(None, None)
    name: str | None = None
    success: bool | None = None
    components: dict[str, float] = {}  # noqa: RUF012
    answer: str | None = None
    warnings: tuple[str, ...] = ()


def scored_by(sample: dict[str, Any], reward_range: tuple[float, float]) -> Scored:
    """Return what a sample's scores say; early logs hold a single one under `score`.

    Raises:
        RecordError: The first scorer's value is of a kind the tables have no rule for.
    """
    scores = _scores(sample)
    if not scores:
        return Scored()
    name, first = next(iter(scores.items()))
    value = _value(first)
    reward, warnings = _reward(value, reward_range)
    return Scored(
        reward=reward,
        name=name,
        success=value if isinstance(value, bool) else _STATED.get(value) if isinstance(value, str) else None,
        components=convert_components(dict(_parts(scores))),
        answer=as_text(as_object(first).get("answer")),
        warnings=(*((SEVERAL_SCORES,) if len(scores) > 1 else ()), *warnings),
    )


def unread_scores(sample: dict[str, Any]) -> set[str]:
    """Return the names of a sample's scores, or of their parts, that the tables have no rule for."""
    return unread_components(dict(_parts(_scores(sample))), prefix="scores")


def _scores(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample's scores by scorer; what stands in place of the map is the only score."""
    scores = sample.get("scores")
    if isinstance(scores, dict) and scores:
        return scores
    name = "score" if scores is None or scores in ({}, []) else "scores"
    return {} if sample.get(name) is None else {name: sample[name]}


def _value(score: Any) -> Any:
    """Return the value of a score; some writers give it in place of the object that holds it."""
    return score.get("value", MISSING) if isinstance(score, dict) else score


def _reward(value: Any, reward_range: tuple[float, float]) -> tuple[Reward, tuple[str, ...]]:
    if value is MISSING:
        return Reward(None, None), ()
    written = value if isinstance(value, str) else canonical_text(value)
    if isinstance(value, dict) and value and not any(key in value for key in TOTAL_KEYS):
        return Reward(None, written), (PARTS_ONLY,)
    reward = convert_reward(_numbered(value), reward_range)
    return reward._replace(raw=written), reward.warnings


def _numbered(value: Any) -> Any:
    """Return the value with Inspect's letters as numbers."""
    if isinstance(value, str):
        return LETTERS.get(value, value)
    if isinstance(value, list):
        return [_numbered(item) for item in value]
    if isinstance(value, dict):
        return {key: _numbered(item) for key, item in value.items()}
    return value


def _parts(scores: dict[str, Any]) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = []
    for scorer, score in scores.items():
        value = _numbered(_value(score))
        if isinstance(value, dict):
            parts.extend((f"{scorer}.{key}", item) for key, item in value.items())
        elif value is not MISSING:
            parts.append((scorer, value))
    return parts
