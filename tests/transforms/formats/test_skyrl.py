import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.table_rows import Rows, told_rows, words
from transforms.formats.skyrl import SkyRLAdapter

ROW = {
    "input_prompt": "What is 2+2?",
    "output_response": "4",
    "score": [0, 0, 1.0],
    "stop_reason": "length",
    "env_class": "gsm8k",
    "env_extras": {"reward_spec": {"ground_truth": "4"}},
    "data_source": "openai/gsm8k",
}
ROWS = Rows(
    {
        "task_source": "openai/gsm8k",
        "source_format": "skyrl",
        "record_key": "line:1",
        "record_offset": 0,
        "adapter": "skyrl",
        "adapter_version": "1",
        "lost_fields": ["env_extras"],
        "parse_warnings": ["steps_not_mined"],
        "env_type": "other",
        "env_name": "gsm8k",
        "reward": 1.0,
        "reward_raw": "[0,0,1.0]",
        "reward_name": "score",
        "scored": True,
        "reward_valid": True,
        "termination": "max_tokens_context",
        "termination_raw": "length",
        "truncated": True,
        "answer": "4",
        "num_steps": 0,
        "num_agent_steps": 0,
        "num_tool_calls": 0,
        "num_tool_errors": 0,
        "instruction": "What is 2+2?",
    },
    [],
    [],
)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_row_gives_these_rows(read_lake):
    read = read_lake({"gsm8k.jsonl": lines(ROW)})
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS


@pytest.mark.parametrize(
    ("score", "reward"), [(0.5, 0.5), ([], None), (None, None), ([0.25, 0.5], 0.75), (True, 1.0), ("0.5", 0.5)]
)
def test_score_is_a_number_or_a_list_of_token_scores(read_lake, score, reward):
    (trajectory,) = read_lake({"a.jsonl": lines({**ROW, "score": score})}).trajectories
    assert trajectory.header.reward == reward


def test_prompt_may_be_messages(read_lake):
    prompt = [{"role": "system", "content": "Think"}, {"role": "user", "content": "2+2?"}]
    (trajectory,) = read_lake({"a.jsonl": lines({**ROW, "input_prompt": prompt, "stop_reason": "stop"})}).trajectories
    header = trajectory.header
    assert (header.task_text, header.termination, trajectory.steps) == ("Think\n2+2?", Termination.FINISHED, ())


def test_unusable_rows_are_set_aside(read_lake):
    bad = [{**ROW, "output_response": 4}, {**ROW, "input_prompt": None}, {**ROW, "score": {"a": 1}}]
    read = read_lake({"a.jsonl": lines(*bad, ROW)})
    assert [one.reason for one in read.bad] == [
        QuarantineReason.MISSING_MESSAGES,
        QuarantineReason.MISSING_MESSAGES,
        QuarantineReason.INVALID_REWARD,
    ]


@settings(max_examples=60)
@given(st.lists(st.tuples(words, words, st.none() | st.floats(-9, 9) | st.lists(st.integers(-3, 3))), max_size=4))
def test_texts_and_scores_go_through_unchanged(rows):
    texts = [
        {**ROW, "input_prompt": prompt, "output_response": answer, "score": score} for prompt, answer, score in rows
    ]
    raw = lines(*texts).encode()
    unit = SourceUnit("k", "a.jsonl", "skyrl", "1", len(raw), "ab")
    found = list(SkyRLAdapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings()))
    assert [(one.header.task_text, one.header.answer, json.loads(one.header.reward_raw)) for one in found] == rows
