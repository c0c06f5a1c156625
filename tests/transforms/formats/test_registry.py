import json

import pytest

from schemas.settings.ingest import IngestSettings
from transforms.formats.registry import CLAIMING, adapter_named, detect
from transforms.reading.outline import Outline, outline_of_head

MESSAGES = [{"role": "user", "content": "x"}]
MINI = "mini_swe_agent"
EVENT = {"id": 0, "timestamp": "2026-01-05", "source": "user"}
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
        ({"info": {"git_commit": "c"}, "simulations": []}, "tau2"),
        ({"tasks": [{"id": "1"}], "simulations": [{"id": "s"}]}, "tau2"),
        ({"id": "s", "task_id": "1", "start_time": "", "termination_reason": "", "messages": MESSAGES}, "tau2"),
        ({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": []}, "inspect"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}, "otlp"),
        ({"example_id": 0, "prompt": MESSAGES, "completion": [], "reward": 1.0}, "verifiers"),
        ({"env": {"id": "e"}, "ok": True, "traces": [{"nodes": []}]}, "verifiers_traces"),
        ({"id": "t", "task": {}, "agent": {}, "nodes": [{"message": MESSAGES[0]}]}, "verifiers_traces"),
        ({"input": "a", "output": "b", "gts": None, "score": 0, "step": 1}, "verl"),
        ({"input_prompt": "a", "output_response": "b", "score": [0]}, "skyrl"),
        ({"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a"}, "steps": []}, "atif"),
        ({"id": "1", "task_name": "t", "trial_name": "t__1", "verifier_result": None}, "harbor"),
        ({"results": [{"trial_name": "t", "task_id": "t", "is_resolved": None}]}, "terminal_bench"),
        ({"trial_name": "t", "task_id": "t", "is_resolved": True}, "terminal_bench"),
        ({"info": {"mini_version": "2"}, "messages": MESSAGES, "trajectory_format": "mini-swe-agent-1.1"}, MINI),
        ({"info": {"mini_version": "1", "exit_status": ""}, "messages": MESSAGES}, MINI),
        ({"info": {"note": 1}, "messages": MESSAGES}, "openai_chat"),
        ({"instance_id": "i", "history": [], "test_result": {}}, "openhands"),
        ({"instance_id": "i", "history": [{"id": 0, "source": "user", "action": "message"}]}, "openhands"),
        ([{**EVENT, "kind": "MessageEvent"}], "openhands_events"),
        ({**EVENT, "action": "message", "args": {}}, "openhands_events"),
        ({"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": {}}, "claude_code"),
        ({"type": "summary", "summary": "s", "leafUuid": "u"}, "claude_code"),
        ({"timestamp": "2026-01-05", "type": "session_meta", "payload": {"id": "s"}}, "codex"),
        ({"session": {"id": "s", "timestamp": "t", "instructions": ""}, "items": [{"type": "message"}]}, "codex"),
        ({"id": "s", "timestamp": "t", "instructions": "", "messages": MESSAGES}, "openai_chat"),
        ({"type": "note", "sessionId": "s"}, "unknown"),
        ({"type": [], "payload": {}, "sessionId": "s"}, "unknown"),
        ({"name": "t", "prompt": "p", "is_solved": True, "solution": "s"}, "reflexion"),
        ({"prompt": "p", "is_solved": True}, "unknown"),
        ({"id": "job", "n_total_trials": 3, "stats": {}}, "unknown"),
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


CHAT = {"id": "a", "messages": MESSAGES}
CODEX = {"timestamp": "2026-01-05", "type": "session_meta", "payload": {"id": "s"}}
SESSION = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": {}}
VERIFIERS = {"example_id": 0, "prompt": MESSAGES, "completion": [], "reward": 1.0}


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([VERIFIERS, CHAT, CHAT], "openai_chat"),
        ([CODEX, CHAT, CHAT], "openai_chat"),
        ([SESSION, CHAT, {**CHAT, "reward": 1}], "openai_chat"),
        ([CHAT, VERIFIERS, VERIFIERS], "verifiers"),
        ([CHAT, SESSION, SESSION], "claude_code"),
        ([{"note": 1}, {"note": 2}, CHAT], "openai_chat"),
        ([{"type": "file-history-snapshot", "snapshot": {}}, SESSION], "claude_code"),
        ([CHAT, VERIFIERS], "verifiers"),
        ([{"note": 1}, {"remark": 2}], "unknown"),
    ],
)
def test_most_rows_of_a_mixed_file_tell_its_format(rows, name):
    assert detected("\n".join(map(json.dumps, rows))) == name


def test_long_rows_are_told_from_their_head():
    event = {**EVENT, "action": "run", "args": {"command": "x" * 50}}
    assert detected({"instance_id": "i", "history": [event] * 100}, cut=300) == "openhands"
    assert detected([event] * 100, cut=300) == "openhands_events"
    tools = [{"name": "x" * 50}] * 100
    agent = {"name": "a", "version": "1", "tool_definitions": tools}
    assert detected({"schema_version": "ATIF-v1.6", "agent": agent, "steps": []}, cut=300) == "atif"


def test_every_adapter_says_what_it_carries_and_loses_and_can_be_named():
    for adapter in CLAIMING:
        assert adapter.carries
        assert isinstance(adapter.loses, tuple)
        assert IngestSettings(format=adapter.name).format == adapter.name


@pytest.mark.parametrize("key", ["trajectory", "history"])
def test_long_files_are_told_from_their_head(key):
    item = STEP if key == "trajectory" else MESSAGES[0]
    assert detected({key: [item] * 100}, cut=300) == "swe_agent"
    assert detected({"messages": MESSAGES * 100}, cut=300) == "openai_chat"


def test_empty_files_are_told_by_name():
    assert [detected("", uri=uri) for uri in ("a.parquet", "a.traj", "a.traj.json")] == [
        "unreadable",
        "swe_agent",
        MINI,
    ]


def test_named_format_wins_over_detection_but_reads_no_prose():
    settings = IngestSettings(format="intercode")
    assert detected({"messages": MESSAGES}, settings=settings) == "intercode"
    assert detected("# text", settings=settings) == "unknown"
    assert adapter_named("intercode").version == "3"


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
