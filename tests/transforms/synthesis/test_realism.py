import json
from pathlib import Path

import pytest

from schemas.reasons import EnvType
from transforms.synthesis.realism import (
    REAL_LIMITS,
    Limits,
    Measure,
    Range,
    is_error_observation,
    measure_intercode,
    measure_messages,
    measure_swe_agent,
    percentile_limits,
)


def test_error_rule_reads_each_corpus():
    assert is_error_observation("Error: payment amount does not add up")
    assert is_error_observation("ok\n/bin/bash: line 3: BASH: command not found")
    assert is_error_observation("tests/test_a.py::test_b FAILED")
    assert not is_error_observation("the Error of our ways")


def test_messages_count_assistant_turns_and_argument_text():
    messages = [
        {"role": "user", "content": "do"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]},
        {"role": "tool", "content": "Error: no"},
        {"role": "assistant", "content": "done"},
    ]
    assert measure_messages(messages) == Measure(2, (8,), 1.0)


def test_swe_agent_and_intercode_count_actions():
    entries = [{"action": "ls\n", "observation": "a"}, {"action": "submit", "observation": None}]
    assert measure_swe_agent(entries) == Measure(2, (2, 6), 0.0)
    history = {"actions": ["ls", "lss"], "observations": ["a", "bash: lss: command not found"]}
    assert measure_intercode(history) == Measure(2, (2, 3), 0.5)


def test_percentiles_are_linear_and_rounded():
    measures = [Measure(steps, (steps,), 0.0) for steps in range(101)]
    assert percentile_limits(measures) == Limits(Range(1.0, 99.0), Range(1.0, 99.0), Range(0.0, 0.0))


@pytest.mark.parametrize("env_type", sorted(REAL_LIMITS))
def test_kept_figures_are_those_of_the_real_rollouts(env_type: EnvType, real_rollouts: Path):
    measures = {EnvType.CODE_REPO: _swe_agent, EnvType.TERMINAL: _intercode, EnvType.CROSS_TOOL: _tau_bench}
    assert percentile_limits(measures[env_type](real_rollouts)) == REAL_LIMITS[env_type]


def _swe_agent(root: Path) -> list[Measure]:
    entries = [json.loads(path.read_text()).get("trajectory") for path in sorted(root.glob("**/*.traj"))]
    return [measure_swe_agent(trajectory) for trajectory in entries if trajectory]


def _intercode(root: Path) -> list[Measure]:
    measures = []
    for path in sorted((root / "intercode-bash/data/results/bash").glob("*/*.json")):
        records = json.loads(path.read_text())
        records = records.get("logs", records)
        measures.extend(measure_intercode(record["turn_history"]) for record in records.values())
    return measures


def _tau_bench(root: Path) -> list[Measure]:
    records = json.loads((root / "tau-bench/historical_trajectories/gpt-4o-airline.json").read_text())
    return [measure_messages(record["traj"]) for record in records]
