import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.table_rows import Rows, told_rows, words
from transforms.formats.verl import VerlAdapter

ROW = {
    "input": "user\nWhat is 2+2?\nassistant\n",
    "output": "4",
    "gts": "4",
    "score": 1.0,
    "step": 120,
    "acc": True,
    "length_penalty": -0.25,
    "pred": "4",
}
ROWS = Rows(
    {
        "source_format": "verl",
        "record_key": "line:1",
        "record_offset": 0,
        "adapter": "verl",
        "adapter_version": "1",
        "lost_fields": ["gts", "pred"],
        "parse_warnings": ["steps_not_mined"],
        "env_type": "other",
        "policy_step": 120,
        "reward": 1.0,
        "reward_raw": "1.0",
        "reward_name": "score",
        "reward_components": [("acc", 1.0), ("length_penalty", -0.25)],
        "scored": True,
        "reward_valid": True,
        "termination": "unknown",
        "answer": "4",
        "num_steps": 0,
        "num_agent_steps": 0,
        "num_tool_calls": 0,
        "num_tool_errors": 0,
        "instruction": "user\nWhat is 2+2?\nassistant\n",
    },
    [],
    [],
)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_row_gives_these_rows(read_lake):
    read = read_lake({"120.jsonl": lines(ROW)})
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS


def test_equal_prompts_are_rollouts_of_one_task(read_lake):
    read = read_lake({"1.jsonl": lines(ROW, ROW, {**ROW, "output": "5", "score": 0.0}, {**ROW, "input": "2+3?"})})
    assert len({one.traj_id for one in read.trajectories}) == 4
    first, second, third, other = (one.task_hash for one in read.trajectories)
    assert first == second == third != other
    assert [one.header.rollout_index for one in read.trajectories] == [None] * 4


def test_unusable_rows_are_set_aside(read_lake):
    bad = [{**ROW, "output": None}, {**ROW, "score": "maybe"}, {**ROW, "score": [1, "x"]}]
    read = read_lake({"1.jsonl": lines(ROW, *bad)})
    assert [(one.record_key, one.reason) for one in read.bad] == [
        ("line:2", QuarantineReason.MISSING_MESSAGES),
        ("line:3", QuarantineReason.INVALID_REWARD),
        ("line:4", QuarantineReason.INVALID_REWARD),
    ]


@settings(max_examples=60)
@given(st.lists(st.tuples(words, words, st.none() | st.floats(-9, 9) | st.lists(st.integers(-3, 3))), max_size=4))
def test_texts_and_scores_go_through_unchanged(rows):
    raw = lines(*({**ROW, "input": prompt, "output": answer, "score": score} for prompt, answer, score in rows))
    unit = SourceUnit("k", "1.jsonl", "verl", "1", len(raw.encode()), "ab")
    found = list(VerlAdapter().read(unit, lambda uri: io.BytesIO(raw.encode()), IngestSettings()))
    assert [(one.header.task_text, one.header.answer, json.loads(one.header.reward_raw)) for one in found] == rows
