"""A run without messages and a reward: not counted as a failure of its policy, whatever the format."""

import io
import json

import pytest

from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats import test_skyrl, test_verl
from transforms.formats.assembly import assemble
from transforms.formats.registry import adapter_named

SIMULATION = {
    "id": "s",
    "task_id": "0",
    "termination_reason": "user_stop",
    "reward_info": {"reward": 0},
    "messages": [],
}
EMPTY = {
    "tau2": {"info": {}, "tasks": [], "simulations": [SIMULATION]},
    "tau_bench": [{"task_id": 1, "reward": 0.0, "trial": 0, "info": {}, "traj": []}],
    "inspect": {"eval": {"task": "t"}, "samples": [{"id": 1, "messages": [], "scores": {"acc": {"value": "I"}}}]},
    "openhands": {"instance_id": "i", "history": [], "test_result": {"report": {"resolved": False}}},
    "openai_responses": {"responses_create_params": {"input": []}, "response": {"output": []}, "reward": 0.0},
    "swe_smith": {"messages": "[]", "instance_id": "i", "resolved": False},
    "verifiers": {"example_id": 1, "prompt": [], "completion": [], "reward": 0.0},
    "sharegpt": {"conversations": [], "reward": 0},
    "openai_chat": {"messages": [], "reward": 0},
}
HEADER_ONLY = {
    "verl": test_verl.ROW,
    "skyrl": test_skyrl.ROW,
    "terminal_bench": {"results": [{"trial_name": "a.1", "task_id": "a", "is_resolved": False}]},
    "harbor": {"task_name": "t", "trial_name": "t.1", "verifier_result": {"rewards": {"reward": 0}}},
}


def read(name, native):
    raw = json.dumps(native).encode()
    unit = SourceUnit("k", "run/a.json", name, "1", len(raw), "ab")
    [rollout] = adapter_named(name).read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    return assemble(rollout, "t", secrets_redacted={})


@pytest.mark.parametrize("name", EMPTY)
def test_empty_run_is_no_failure_of_the_policy(name):
    trajectory = read(name, EMPTY[name])
    assert trajectory.steps == ()
    assert (trajectory.header.reward, trajectory.header.reward_valid) == (0.0, False)
    assert "no_agent_action" in trajectory.parse_warnings


@pytest.mark.parametrize("name", HEADER_ONLY)
def test_outcome_of_a_format_without_steps_counts(name):
    trajectory = read(name, HEADER_ONLY[name])
    assert trajectory.steps == ()
    assert trajectory.header.reward_valid
    assert "no_agent_action" not in trajectory.parse_warnings
