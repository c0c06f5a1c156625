"""A label that stands twice in an object, whatever the format and the depth: set aside, or no label at all."""

import io
import json

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import adapter_named

TALK = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
SIMULATION = {"id": "s", "task_id": "0", "trial": 0, "reward_info": {"reward": 1.0}, "messages": TALK}
DOUBLED = {
    "tau2": ({"info": {}, "tasks": [], "simulations": [SIMULATION]}, '"reward": 1.0'),
    "harbor": (
        {"task_name": "t", "trial_name": "t.1", "verifier_result": {"rewards": {"reward": 1.0}}},
        '"reward": 1.0',
    ),
    "openhands": (
        {"instance_id": "i", "history": [], "test_result": {"report": {"resolved": True}}},
        '"resolved": true',
    ),
    "inspect": (
        {"eval": {"task": "t"}, "samples": [{"id": 1, "messages": TALK, "scores": {"acc": {"value": "C"}}}]},
        '"value": "C"',
    ),
    "intercode": (
        {"0": {"query": "q", "turn_history": {"actions": ["ls"], "rewards": [1]}, "summary": {}}},
        '"rewards": [1]',
    ),
    "verifiers_traces": (
        {"id": "e", "traces": [{"id": "t", "nodes": [], "rewards": {"a": {"score": 1.0}}}]},
        '"score": 1.0',
    ),
}


def read(name, raw, *, sidecars):
    adapter = adapter_named(name)
    facts = tuple(sorted(adapter.path_facts("i/i.traj")))
    unit = SourceUnit("k", "i/i.traj", name, "1", len(raw), "ab", sidecars=tuple(sorted(sidecars)), path_facts=facts)
    files = {"i/i.traj": raw, **sidecars}
    return list(adapter.read(unit, lambda uri: io.BytesIO(files[uri]), IngestSettings()))


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", DOUBLED)
def test_doubled_label_is_ambiguous(name, indent):
    native, label = DOUBLED[name]
    raw = json.dumps(native).replace(label, f"{label}, {label.partition(':')[0]}: 0")
    if indent:
        raw = raw.replace("{", "{\n")
    [bad] = read(name, raw.encode(), sidecars={})
    assert bad.reason is QuarantineReason.DUPLICATE_KEY


@pytest.mark.parametrize(
    "report",
    [
        b'{"i": {"resolved": true, "resolved": false}}',
        b'{"i": {"resolved": true}, "i": {"resolved": false}}',
        b'{"resolved_ids": ["i"], "resolved_ids": []}',
    ],
)
def test_report_that_says_two_things_gives_no_label(report):
    turns = {"history": [{"role": "assistant", "content": "a"}], "trajectory": [], "info": {}}
    [rollout] = read("swe_agent", json.dumps(turns).encode(), sidecars={"i/report.json": report})
    assert (rollout.header.reward, rollout.header.success) == (None, None)
    assert "unreadable_report" in rollout.parse_warnings
