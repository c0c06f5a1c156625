"""What real rollouts look like: the bounds that generated ones keep, and the measures behind them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from schemas.reasons import EnvType

_ERROR_MARKS: Final = re.compile(
    r"^Error|Traceback \(most recent call last\)|[Ss]yntax error|SyntaxError|command not found|cannot access"
    r"|No such file or directory|Permission denied|invalid option|\bFAILED\b",
    re.MULTILINE,
)


class Range(NamedTuple):
    """Bounds of a measure, both included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether the value lies inside."""
        return self.low <= value <= self.high


class Limits(NamedTuple):
    """Bounds of one kind of environment: agent steps, characters of a call, share of tool results that are errors."""

    num_steps: Range
    call_chars: Range
    error_ratio: Range


class Measure(NamedTuple):
    """The three measures of one rollout."""

    num_steps: int
    call_chars: tuple[int, ...]
    error_ratio: float


REAL_LIMITS: Final[Mapping[EnvType, Limits]] = {
    EnvType.CODE_REPO: Limits(Range(4.0, 33.55), Range(5.0, 2477.04), Range(0.0, 0.3285)),
    EnvType.TERMINAL: Limits(Range(1.0, 12.0), Range(0.0, 567.0), Range(0.0, 1.0)),
    EnvType.CROSS_TOOL: Limits(Range(3.0, 30.0), Range(25.63, 542.37), Range(0.0, 0.4286)),
}
"""1st and 99th percentile (NumPy's linear rule, shares rounded to 4 decimals, the rest to 2) of public rollouts.

code_repo: the 24 `.traj` files of the SWE-agent and SWE-smith repositories that hold steps (`measure_swe_agent`).
terminal: the 1,802 InterCode-bash records of all models and strategies (`measure_intercode`).
cross_tool: the 200 airline rollouts of tau-bench's gpt-4o (`measure_messages`).
Call characters are pooled over the calls of a corpus, the other measures over its rollouts.
"""


def is_error_observation(text: str) -> bool:
    """Return whether a tool's answer reads as an error; one rule for every corpus, failing tests included."""
    return _ERROR_MARKS.search(text) is not None


def measure_messages(messages: Iterable[Mapping[str, object]]) -> Measure:
    """Measure an OpenAI chat: steps are assistant messages, a call's characters those of its argument text."""
    num_steps = 0
    call_chars: list[int] = []
    results: list[str] = []
    for message in messages:
        if message["role"] == "assistant":
            num_steps += 1
            calls = message.get("tool_calls") or []
            assert isinstance(calls, list)
            call_chars.extend(len(call["function"]["arguments"]) for call in calls)
        elif message["role"] == "tool":
            results.append(str(message["content"] or ""))
    return Measure(num_steps, tuple(call_chars), _error_ratio(results, len(results)))


def measure_swe_agent(trajectory: Sequence[Mapping[str, object]]) -> Measure:
    """Measure the `trajectory` list of a SWE-agent file: a step is an entry, a call its action text."""
    actions = tuple(len(str(entry["action"]).strip()) for entry in trajectory)
    return Measure(
        len(trajectory),
        actions,
        _error_ratio([str(entry["observation"] or "") for entry in trajectory], len(trajectory)),
    )


def measure_intercode(turn_history: Mapping[str, Sequence[object]]) -> Measure:
    """Measure the `turn_history` of an InterCode record: a step is an action."""
    actions = tuple(len(str(action).strip()) for action in turn_history["actions"])
    observations = [str(observation) for observation in turn_history["observations"]]
    return Measure(len(actions), actions, _error_ratio(observations, len(actions)))


def percentile_limits(measures: Sequence[Measure]) -> Limits:
    """Return the 1st and 99th percentiles of each measure."""
    steps = [float(measure.num_steps) for measure in measures]
    calls = [float(chars) for measure in measures for chars in measure.call_chars]
    errors = [measure.error_ratio for measure in measures]
    return Limits(_percentiles(steps, digits=2), _percentiles(calls, digits=2), _percentiles(errors, digits=4))


def _percentiles(values: list[float], *, digits: int) -> Range:
    low, high = np.percentile(np.asarray(values, dtype=np.float64), [1, 99])
    return Range(round(float(low), digits), round(float(high), digits))


def _error_ratio(observations: list[str], count: int) -> float:
    return sum(map(is_error_observation, observations)) / count if count else 0.0
