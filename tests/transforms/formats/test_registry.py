import json

import pytest

from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import adapter_named, detect
from transforms.reading.outline import outline_of_head

MESSAGES = [{"role": "user", "content": "x"}]
STEP = {"action": "ls", "observation": "a", "response": "r", "thought": "t"}


def detected(content, *, settings=None, uri="a.json", cut=None, **options):
    text = content if isinstance(content, str) else json.dumps(content, **options)
    outline = outline_of_head(text[:cut].encode(), is_complete=cut is None or cut >= len(text))
    return detect(outline, settings or IngestSettings(), uri=uri).name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([{"task_id": 1, "reward": 0, "info": {}, "traj": MESSAGES, "trial": 0}], "tau_bench"),
        ({"0": {"query": "q", "turn_history": {"actions": []}}}, "intercode"),
        ({"meta": {"env": "bash"}, "logs": {"0": {"query": "q", "turn_history": {}}}}, "intercode"),
        ({"trajectory": [STEP], "history": MESSAGES, "info": {}}, "swe_agent"),
        ({"history": MESSAGES}, "swe_agent"),
        ({"id": "a", "messages": MESSAGES}, "openai_chat"),
        ([{"messages": MESSAGES}], "openai_chat"),
        ({"conversation": MESSAGES}, "openai_chat"),
        ({"messages": []}, "openai_chat"),
        ({"messages": json.dumps(MESSAGES)}, "openai_chat"),
        ([{"query": "q", "gold": "ls"}], "unknown"),
        ({"resolved_ids": []}, "unknown"),
        ({"conversation": [{"from": "human", "value": "x"}]}, "unknown"),
        ("# text", "unknown"),
        ("", "openai_chat"),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_format_is_told_by_content(content, name, indent):
    assert detected(content, indent=indent) == name


@pytest.mark.parametrize("key", ["trajectory", "history"])
def test_long_files_are_told_from_their_head(key):
    item = STEP if key == "trajectory" else MESSAGES[0]
    assert detected({key: [item] * 100}, cut=300) == "swe_agent"
    assert detected({"messages": MESSAGES * 100}, cut=300) == "openai_chat"


def test_empty_files_are_told_by_name():
    assert [detected("", uri=uri) for uri in ("a.parquet", "a.traj")] == ["unreadable", "swe_agent"]


def test_named_format_wins_over_detection_but_reads_no_prose():
    settings = IngestSettings(format="intercode")
    assert detected({"messages": MESSAGES}, settings=settings) == "intercode"
    assert detected("# text", settings=settings) == "unknown"
    assert adapter_named("intercode").version == "1"
