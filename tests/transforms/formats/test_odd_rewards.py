"""A reward in an odd place or of an odd kind: taken by the conversion table, or named as what was left out."""

import io
import json

import pytest

from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import adapter_named

TALK = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]


def tau2(**reward):
    return {"info": {}, "tasks": [], "simulations": [{"id": "s", "task_id": "0", "messages": TALK, **reward}]}


def harbor(result):
    return {"task_name": "t", "trial_name": "t.1", "verifier_result": result}


def inspect(**sample):
    return {"eval": {"task": "t"}, "samples": [{"id": 1, "messages": TALK, **sample}]}


def traces(**outcome):
    return {"id": "e", "traces": [{"id": "t", "nodes": [], **outcome}]}


def intercode(rewards):
    return {"0": {"query": "q", "turn_history": {"actions": ["ls", "pwd"], "rewards": rewards}, "summary": {}}}


def chat(*messages, **row):
    return {"messages": [TALK[0], *messages], **row}


def read(name, native):
    raw = json.dumps(native).encode()
    unit = SourceUnit("k", "run/a.json", name, "1", len(raw), "ab")
    [rollout] = adapter_named(name).read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    return rollout


@pytest.mark.parametrize(
    ("name", "native", "reward", "reward_name"),
    [
        ("tau2", tau2(reward_info=1.0), 1.0, "reward_info"),
        ("tau2", tau2(reward_info="1.0"), 1.0, "reward_info"),
        ("tau2", tau2(reward_info=[1]), 1.0, "reward_info"),
        ("tau2", tau2(reward_info=None), None, None),
        ("harbor", harbor(1.0), 1.0, "verifier_result"),
        ("harbor", harbor({"rewards": [0.5]}), 0.5, "rewards"),
        ("harbor", harbor({"rewards": {}}), None, None),
        ("verifiers_traces", traces(rewards=[1.0]), 1.0, "rewards"),
        ("verifiers_traces", traces(rewards=0.5), 0.5, "rewards"),
        ("inspect", inspect(scores={"acc": 5}), 5.0, "acc"),
        ("inspect", inspect(scores={"acc": "C"}), 1.0, "acc"),
        ("inspect", inspect(scores=[1]), 1.0, "scores"),
        ("inspect", inspect(scores={}, score=0.5), 0.5, "score"),
        ("intercode", intercode(["0.5", "fail"]), 0.5, "max_reward"),
        ("openhands", {"history": [], "test_result": {"report": {"resolved": "False"}}}, 0.0, "resolved"),
    ],
)
def test_reward_in_place_of_what_should_hold_it_is_read(name, native, reward, reward_name):
    header = read(name, native).header
    assert (header.reward, header.reward_name) == (reward, reward_name)


@pytest.mark.parametrize(
    ("name", "native", "lost"),
    [
        ("tau2", tau2(reward_info={"reward": 1, "reward_breakdown": {"DB": "odd"}}), "reward_info.db"),
        ("harbor", harbor({"rewards": {"reward": 1, "b": "odd"}}), "verifier_result.rewards.b"),
        ("verifiers", {"prompt": TALK[:1], "completion": TALK[1:], "metrics": {"m": "odd"}}, "metrics.m"),
        ("verifiers_traces", traces(rewards={"a": 1}, metrics={"m": "odd"}), "metrics.m"),
        ("inspect", inspect(scores={"acc": {"value": 1}, "b": {"value": "odd"}}), "scores.b"),
        ("intercode", intercode([0.5, "odd"]), "turn_history.rewards.1"),
        ("intercode", intercode(0.5), "turn_history.rewards"),
        (
            "tau_bench",
            [{"traj": TALK, "info": {"reward_info": {"info": {"r_a": "odd"}}}}],
            "info.reward_info.info.r_a",
        ),
        ("openai_chat", chat(TALK[1], reward_components={"a": "odd"}), "reward_components.a"),
        (
            "swe_rebench_openhands",
            {"trajectory": TALK, "resolved": 1, "gen_tests_correct": "odd"},
            "gen_tests_correct",
        ),
    ],
)
def test_part_without_a_rule_is_named(name, native, lost):
    assert lost in read(name, native).lost_fields


def test_labels_beside_the_one_that_is_read_are_kept():
    rollout = read("openai_chat", chat(TALK[1], reward=1, score=0.2, label="bad", target=None))
    assert rollout.header.reward == 1.0
    assert json.loads(rollout.header.extra_json) == {"label": "bad", "score": 0.2}
    rows = {"conversations": [{"from": "human", "value": "q"}], "reward": 1, "score": 0.2}
    assert "score" in read("sharegpt", rows).lost_fields


@pytest.mark.parametrize(
    ("stated", "reward", "kept"),
    [
        ({"reward": "pass"}, 1.0, None),
        ({"reward": [0.5]}, 0.5, None),
        ({"step_reward": None, "reward": 0.5}, 0.5, None),
        ({"step_reward": 1, "reward": 0.5}, 1.0, {"reward": 0.5}),
        ({"reward": "odd"}, None, {"reward": "odd"}),
    ],
)
def test_step_reward_is_read_by_the_table_or_kept_as_written(stated, reward, kept):
    message = read("openai_chat", chat({**TALK[1], **stated})).messages[1]
    assert message.step_reward == reward
    assert (None if message.extra_json is None else json.loads(message.extra_json)) == kept
