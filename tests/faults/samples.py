"""A small whole file of every format, as harnesses write them, for faults to be planted in."""

import gzip
import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

_CALL: Final = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls -l"}'}}
_TURNS: Final[list[dict[str, Any]]] = [
    {"role": "system", "content": "You repair programs."},
    {"role": "user", "content": "Repair the module \u00e9\u4e2d: its tests fail."},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "src/a.py\nsrc/b.py"},
    {"role": "assistant", "content": "Done."},
]
_TEXT_TURNS: Final = [
    {"role": "user", "content": "Repair it."},
    {"role": "assistant", "content": "I look.\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"},
    {"role": "user", "content": "OBSERVATION:\na.py"},
]
_TERMINUS: Final = [
    {"role": "user", "content": "Task"},
    {"role": "assistant", "content": '{"analysis": "a", "plan": "b", "commands": [{"keystrokes": "ls\\n"}]}'},
]
_AT: Final = "2026-01-05T10:00:00"
_VERDICT: Final = {"resolved": True, "patch_successfully_applied": True}


def chat_row(number: int) -> dict[str, Any]:
    """Return an OpenAI-chat row."""
    ids = {"trajectory_id": f"r{number}", "task_id": f"t{number % 3}", "model": "m", "exit_status": "submitted"}
    return ids | {"messages": _TURNS, "reward": float(number % 2), "reward_components": {"unit_test_pass": 1.0}}


ROWS: Final[dict[str, dict[str, Any]]] = {
    "openai_chat": chat_row(1),
    "openai_responses": {
        "responses_create_params": {"input": [{"role": "user", "content": "Book it."}], "tools": []},
        "response": {
            "id": "x",
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "think"}]},
                {"type": "function_call", "call_id": "c1", "name": "book", "arguments": '{"day": 3}'},
                {"type": "function_call_output", "call_id": "c1", "output": "booked"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
            ],
        },
        "reward": 1.0,
        "_ng_task_index": 3,
        "_ng_rollout_index": 1,
    },
    "adp": {
        "schema_version": "1.2.0",
        "id": "a",
        "content": [
            {"class_": "text_observation", "content": "Repair it.", "source": "user"},
            {"class_": "code_action", "language": "bash", "content": "ls", "tool_call_id": "c1"},
            {"class_": "text_observation", "content": "a.py", "source": "environment"},
            {"class_": "message_action", "content": "Done."},
        ],
        "details": {"resolved": True},
    },
    "swe_smith": {
        "messages": json.dumps(_TEXT_TURNS), "instance_id": "o__r.12345678.x", "resolved": True, "model": "m",
        "traj_id": "b", "patch": "",
    },
    "swe_gym_openhands": {
        "instance_id": "o__r-1", "run_id": "m_maxiter_30_N_v1", "resolved": True, "messages": _TURNS, "tools": [],
        "test_result": {},
    },
    "nebius_swe_agent": {
        "instance_id": "o__r-1", "model_name": "m", "target": True, "exit_status": "submitted", "generated_patch": "",
        "trajectory": [{"role": "system", "system_prompt": "S"}, {"role": "user", "text": "Repair"},
                       {"role": "ai", "text": "I look\n```\nls\n```"}, {"role": "user", "text": "a.py"}],
    },
    "swe_rebench_openhands": {
        "trajectory_id": "t", "instance_id": "o__r-1", "repo": "o/r", "trajectory": _TURNS, "tools": [],
        "model_patch": "", "exit_status": "submit", "resolved": 1,
    },
    "terminus_rows": {"conversations": _TERMINUS, "task": "t", "trial_name": "t__1", "model": "m"},
    "sharegpt": {
        "conversations": [
            {"from": "human", "value": "Repair it."}, {"from": "function_call",
            "value": '{"name": "ls", "arguments": {}}'},
            {"from": "observation", "value": "a.py"}, {"from": "gpt", "value": "Done."},
        ],
        "system": "S", "tools": "[]",
    },
    "verifiers": {
        "example_id": 3, "prompt": _TURNS[:2], "completion": _TURNS[2:], "answer": "x", "reward": 1.0, "task": "t",
        "is_completed": True, "is_truncated": False, "stop_condition": "done", "metrics": {"a": 1.0}, "error": None,
        "timing": {}, "info": {},
    },
    "verifiers_traces": {
        "env": {"id": "e", "name": "e"}, "group": {"id": "g"}, "run": {"type": "train", "id": "r",
        "work": {"step": 1}},
        "task": {"type": "t", "data": {}, "key": "k", "hash": "h"}, "ok": True, "errors": [],
        "traces": [{
            "version": 1, "id": "t1", "agent": {"name": "a", "trainable": True}, "tools": [],
            "nodes": [{"parent": None, "message": _TURNS[1], "sampled": False},
                      {"parent": 0, "message": {"role": "assistant", "content": "Done."}, "sampled": True}],
            "calls": [], "rewards": {"r": {"score": 1.0, "weight": 1.0}}, "is_completed": True, "ok": True,
            "stop_condition": "done", "errors": [],
        }],
    },
    "verl": {"input": "user\nx", "output": "assistant\ny", "gts": "3", "score": 1.0, "step": 7, "request_id": "q"},
    "skyrl": {"input_prompt": "x", "output_response": "y", "score": [0.0, 1.0], "stop_reason": "stop",
    "env_class": "e",
              "env_extras": {}, "data_source": "d"},
    "openhands_v0": {
        "instance_id": "o__r-1", "instruction": "Repair", "metadata": {"agent_class": "CodeActAgent"}, "git_patch": "",
        "history": [{"id": 0, "source": "user", "action": "message", "args": {"content": "Repair"},
        "message": "Repair"},
                    {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}, "message": "ls"},
                    {"id": 2, "source": "environment", "observation": "run", "content": "a.py", "cause": 1,
                     "extras": {"exit_code": 0}}],
        "test_result": {"report": {"resolved": True}}, "metrics": {}, "error": None,
    },
    "reflexion": {
        "name": "add", "language": "py", "prompt": "def add(a, b):\n", "entry_point": "add",
        "test": "assert add(1, 2) == 3",
        "implementations": ["return a", "return a + b"], "test_feedback": ["gave 1"], "reflections": ["I forgot b."],
        "solution": "return a + b", "is_solved": True,
    },
}  # fmt: skip
"""One row of every format that comes in rows."""

_DOCUMENTS: Final[dict[str, Any]] = {
    "tau/gpt-airline.json": [
        {"task_id": n, "reward": float(n % 2), "trial": 0, "traj": _TURNS, "info": {"task": {"instruction": "Book"}}}
        for n in range(3)
    ],
    "tau2/results.json": {
        "timestamp": "2026-01-01T00:00:00", "tasks": [{"id": "t"}],
        "info": {"num_trials": 1, "agent_info": {"llm": "m"}, "user_info": {"llm": "u"},
        "environment_info": {"domain_name": "airline"}},
        "simulations": [{
            "id": "s", "task_id": "t", "trial": 0, "termination_reason": "user_stop",
            "start_time": "2026-01-01T00:00:00",
            "reward_info": {"reward": 1.0, "reward_basis": ["DB"]}, "duration": 2.0,
            "messages": [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Book"},
                         {"role": "assistant", "content": None,
                          "tool_calls": [{"id": "c", "name": "book", "arguments": {"d": 1},
                          "requestor": "assistant"}]},
                         {"role": "tool", "id": "c", "content": "ok", "requestor": "assistant", "error": False}],
        }],
    },
    "runs/m__d__x/o__r-1/o__r-1.traj": {
        "environment": "main", "trajectory": [{"action": "ls", "observation": "a.py", "response": "look",
        "thought": "t",
                                                "state": "{}", "execution_time": 0.1, "query": []}],
        "history": [{"role": "system", "content": "S", "agent": "main"}, {"role": "user", "content": "Repair"},
                    {"role": "assistant", "content": "look", "action": "ls", "thought": "t"},
                    {"role": "user", "content": "a.py"}],
        "info": {"exit_status": "submitted", "submission": "diff", "model_stats": {"instance_cost": 0.1}},
    },
    "runs/m__d__x/o__r-1/report.json": {"o__r-1": _VERDICT | {"tests_status": {"F": {"success": ["a"],
    "failure": []}}}},
    "intercode/m/bash.json": {
        "0": {"environment": "ic_bash", "dataset": "d", "task_id": 0, "query": "List", "summary": {"max_reward": 1.0},
              "turn_history": {"actions": ["ls", "submit"], "observations": ["a", ""], "rewards": [0.5, 1.0],
                               "valid_action": [True, True]}},
    },
    "atif/trajectory.json": {
        "schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "a", "version": "1", "model_name": "m"},
        "steps": [{"step_id": 1, "source": "user", "message": "Repair"},
                  {"step_id": 2, "source": "agent", "message": "look",
                   "tool_calls": [{"tool_call_id": "c", "function_name": "bash", "arguments": {"command": "ls"}}],
                   "observation": {"results": [{"source_call_id": "c", "content": "a.py"}]}}],
        "final_metrics": {"total_prompt_tokens": 3},
    },
    "harbor/t__x/result.json": {
        "id": "i", "task_name": "t", "trial_name": "t__x", "task_checksum": "c", "agent_info": {"name": "a",
        "version": "1"},
        "agent_result": {"n_input_tokens": 3}, "verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": None,
    },
    "harbor/t__x/agent/trajectory.json": {
        "schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "a", "version": "1"},
        "steps": [{"step_id": 1, "source": "user", "message": "Repair"},
                  {"step_id": 2, "source": "agent", "message": "Done"}],
    },
    "terminal/results.json": {
        "results": [{"trial_name": "t.1", "task_id": "t", "instruction": "Repair", "is_resolved": True,
                     "failure_mode": "unset", "parser_results": {"a": "passed"}}],
        "pass_at_k": {},
    },
    "mini/o__r-1.traj.json": {
        "info": {"model_stats": {"instance_cost": 0.1, "api_calls": 2}, "config": {}, "mini_version": "1",
                 "exit_status": "Submitted", "submission": "diff"},
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Repair"},
                     {"role": "assistant", "content": "```bash\nls\n```", "extra": {"actions": [{"command": "ls"}]}},
                     {"role": "user", "content": "a.py", "extra": {"returncode": 0}},
                     {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}}],
        "trajectory_format": "mini-swe-agent-1.1", "instance_id": "o__r-1",
    },
    "otlp/spans.json": {
        "resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [{
            "traceId": "a" * 32, "spanId": "b" * 16, "name": "chat m", "startTimeUnixNano": "1",
            "endTimeUnixNano": "2",
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
                {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(
                    [{"role": "user", "parts": [{"type": "text", "content": "Repair"}]}])}},
                {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps(
                    [{"role": "assistant", "parts": [{"type": "text", "content": "Done"}],
                    "finish_reason": "stop"}])}},
            ],
        }]}]}],
    },
    "inspect/log.json": {
        "version": 2, "status": "success", "eval": {"task": "t", "model": "m", "run_id": "r", "eval_id": "e"},
        "plan": {}, "results": {}, "stats": {},
        "samples": [{"id": 1, "epoch": 1, "input": "Repair", "target": "x", "messages": _TURNS,
                     "output": {"model": "m", "choices": []}, "scores": {"match": {"value": "C", "answer": "x"}},
                     "metadata": {}, "store": {}, "events": [], "model_usage": {}}],
    },
}  # fmt: skip

_SESSIONS: Final[dict[str, Sequence[dict[str, Any]]]] = {
    "claude/session.jsonl": [
        {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "version": "2", "cwd": "/w",
         "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": "Repair"}},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "s",
         "message": {"id": "m1", "role": "assistant", "model": "m", "usage": {"input_tokens": 1},
                     "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}]}},
        {"type": "user", "uuid": "u3", "parentUuid": "u2", "sessionId": "s", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c", "content": "a.py", "is_error": False}]}},
    ],
    "codex/rollout-1.jsonl": [
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        {"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Repair"}]}},
        {"timestamp": "2026-01-01T00:00:02Z", "type": "response_item", "payload": {
            "type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}},
        {"timestamp": "2026-01-01T00:00:03Z", "type": "response_item", "payload": {
            "type": "function_call_output", "call_id": "c", "output": "a.py"}},
        {"timestamp": "2026-01-01T00:00:04Z", "type": "event_msg", "payload": {"type": "token_count", "info": None}},
    ],
    "openhands/events.jsonl": [
        {"kind": "SystemPromptEvent", "id": "a", "timestamp": _AT, "source": "agent",
        "system_prompt": {"text": "S"}, "tools": []},
        {"kind": "MessageEvent", "id": "b", "timestamp": _AT, "source": "user",
         "llm_message": {"role": "user", "content": [{"type": "text", "text": "Repair"}]}},
        {"kind": "ActionEvent", "id": "c", "timestamp": _AT, "source": "agent", "thought": [],
        "action": {"kind": "Run",
        "command": "ls"},
         "tool_name": "bash", "tool_call_id": "t", "tool_call": {"id": "t", "name": "bash", "arguments": "{}"},
         "llm_response_id": "l"},
        {"kind": "ObservationEvent", "id": "d", "timestamp": _AT, "source": "environment", "action_id": "c",
        "tool_call_id": "t",
         "tool_name": "bash", "observation": {"kind": "Run", "content": [{"type": "text", "text": "a.py"}]}},
    ],
}  # fmt: skip


def lines(rows: Sequence[Any]) -> bytes:
    """Return rows as JSON lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    """Return rows as a Parquet file; rows that Arrow has no type for are not given here."""
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), sink, row_group_size=2)
    return sink.getvalue()


def archive(members: dict[str, bytes]) -> bytes:
    """Return a zip archive."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return sink.getvalue()


def sample_files() -> dict[str, bytes]:
    """Return the samples by path: every format, and every packing of rows."""
    chats = [chat_row(number) for number in range(5)]
    log = _DOCUMENTS["inspect/log.json"]
    header = {name: value for name, value in log.items() if name != "samples"}
    files = {f"rows/{name}.jsonl": lines([row, row | {"n": 1}, row | {"n": 2}]) for name, row in ROWS.items()}
    files |= {uri: json.dumps(value, indent=1).encode() for uri, value in _DOCUMENTS.items()}
    files |= {uri: lines(rows) for uri, rows in _SESSIONS.items()}
    return files | {
        "packed/chat.jsonl.gz": gzip.compress(lines(chats)),
        "packed/chat.jsonl.zst": zstandard.compress(lines(chats)),
        "packed/chat.parquet": parquet([row | {"messages": json.dumps(row["messages"])} for row in chats]),
        "packed/typed.parquet": parquet(chats),
        "packed/chat.json": json.dumps(chats).encode(),
        "inspect/log.eval": archive(
            {
                "header.json": json.dumps(header).encode(),
                "samples/1_epoch_1.json": json.dumps(log["samples"][0]).encode(),
            }
        ),
    }
