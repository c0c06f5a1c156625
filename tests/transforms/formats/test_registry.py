import json

import pytest

from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import adapter_named, detect
from transforms.reading.outline import Outline, outline_of_head

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
        ({"info": {"user_info": {}, "environment_info": {}}, "tasks": [], "simulations": []}, "tau2"),
        ({"id": "s", "task_id": "1", "start_time": "", "termination_reason": "", "messages": MESSAGES}, "tau2"),
        ({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": []}, "inspect"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}, "otlp"),
        ({"example_id": 0, "prompt": MESSAGES, "completion": [], "reward": 1.0}, "verifiers"),
        ({"env": {"id": "e"}, "ok": True, "traces": [{"nodes": []}]}, "verifiers_traces"),
        ({"id": "t", "task": {}, "agent": {}, "nodes": [{"message": MESSAGES[0]}]}, "verifiers_traces"),
        ({"input": "a", "output": "b", "gts": None, "score": 0, "step": 1}, "verl"),
        ({"input_prompt": "a", "output_response": "b", "score": [0]}, "skyrl"),
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


@pytest.mark.parametrize(
    ("format_name", "top", "name"),
    [
        ("auto", "header.json", "inspect"),
        ("inspect", "header.json", "inspect"),
        ("openai_chat", "header.json", "unknown"),
        ("auto", "word/", "unknown"),
        ("openai_chat", "word/", "unknown"),
    ],
)
def test_archive_is_read_by_no_other_format(format_name, top, name):
    outline = Outline("zip", keys=(frozenset({top}),))
    assert detect(outline, IngestSettings(format=format_name), uri="a.eval").name == name
