import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.tables_of import tables_of
from transforms.formats.assembly import assemble
from transforms.formats.canonical import canonical_hash
from transforms.formats.contract import build_rollouts
from transforms.formats.registry import adapter_named
from transforms.formats.steps import messages_of, steps_of
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord

ROLLOUT = Rollout(Header("openai_chat"), (), None, "ab", "line:1")


def test_every_record_is_built_or_told():
    def build(record):
        if record.value == {"n": 2}:
            raise RecordError(QuarantineReason.INVALID_REWARD, "bad reward")
        if record.value == {"n": 3}:
            raise KeyError("surprise")
        return ROLLOUT

    records = [NativeRecord(f"line:{n}", {"n": n}, n * 10, 9) for n in (1, 2, 3)]
    bad = BadRecord("line:4", QuarantineReason.TRUNCATED, "cut")
    assert list(build_rollouts([*records, bad], build)) == [
        replace(ROLLOUT, lost_fields=("n",)),
        BadRecord("line:2", QuarantineReason.INVALID_REWARD, "bad reward", 20, 9, canonical_hash({"n": 2})),
        BadRecord("line:3", QuarantineReason.INVALID_VALUE, "KeyError: 'surprise'", 30, 9, canonical_hash({"n": 3})),
        bad,
    ]


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


def shaped(**fields):
    """An object with these fields, some left out, some of any kind."""
    return st.fixed_dictionaries({}, optional={name: kind | anything for name, kind in fields.items()})


roles = st.sampled_from(["system", "user", "assistant", "tool", "function", "developer"])
calls = shaped(
    id=st.sampled_from(["a", "b"]),
    function=shaped(name=st.just("bash"), arguments=st.just('{"command": "ls"}')),
)
message = st.fixed_dictionaries({"role": roles, "content": st.text(max_size=5)}) | shaped(
    role=roles,
    content=st.text(max_size=5),
    tool_calls=st.lists(calls, max_size=2),
    function_call=shaped(name=st.just("f"), arguments=st.just("{}")),
    tool_call_id=st.sampled_from(["a", "b"]),
    timestamp=st.just("2026-01-01"),
    usage=shaped(prompt_tokens=st.integers()),
)
messages = st.lists(message, max_size=5)
chat = shaped(
    messages=messages,
    reward=st.sampled_from([1, 0.5, "pass", None]),
    task_id=scalars,
    rollout_index=st.integers(),
    reward_components=shaped(unit_test_pass=st.floats()),
    error=shaped(type=st.text()),
    exit_status=st.just("submitted"),
    started_at=st.floats(),
    tools=st.lists(anything, max_size=1),
    cost_usd=st.floats(),
    tests_passed=st.integers(),
)
tau = shaped(
    task_id=st.integers(),
    reward=st.floats(),
    trial=st.integers(),
    traj=messages,
    info=shaped(task=anything, error=anything),
)
turns = shaped(
    actions=st.lists(st.text(max_size=4), max_size=3),
    observations=st.lists(scalars, max_size=3),
    rewards=st.lists(scalars, max_size=3),
    valid_action=st.lists(st.booleans(), max_size=3),
    thoughts=st.lists(scalars, max_size=3),
)
intercode = shaped(
    query=st.text(max_size=4), turn_history=turns, summary=shaped(max_reward=st.floats()), info=anything
)
history = shaped(
    role=roles,
    content=st.text(max_size=4),
    thought=st.text(),
    action=st.text(),
    tool_call_ids=anything,
    is_demo=anything,
)
swe = shaped(
    history=st.lists(history, max_size=4),
    trajectory=st.lists(shaped(action=st.text(), observation=st.text(), thought=st.text()), max_size=4),
    info=shaped(exit_status=st.text(), model_stats=shaped(instance_cost=st.floats(), tokens_sent=st.integers())),
    replay_config=anything,
)


step = shaped(
    source=st.sampled_from(["system", "user", "agent"]),
    message=st.text(max_size=4) | st.lists(shaped(type=st.just("text"), text=st.text(max_size=3)), max_size=2),
    tool_calls=st.lists(shaped(function_name=st.just("bash"), arguments=anything), max_size=2),
    observation=shaped(results=st.lists(shaped(source_call_id=anything, content=anything), max_size=2)),
    metrics=shaped(prompt_tokens=st.integers(), cost_usd=st.floats()),
    is_copied_context=st.booleans(),
    llm_call_count=st.integers(),
)
atif = shaped(
    steps=st.lists(step, max_size=3),
    agent=shaped(name=anything, model_name=anything, tool_definitions=anything),
    final_metrics=shaped(total_cost_usd=st.floats()),
    extra=anything,
    session_id=scalars,
    schema_version=scalars,
)
trial = shaped(
    id=scalars,
    task_name=scalars,
    agent_info=shaped(name=anything, model_info=anything),
    agent_result=shaped(cost_usd=st.floats()),
    verifier_result=shaped(rewards=st.dictionaries(st.text(max_size=3), scalars, max_size=2)),
    exception_info=shaped(exception_type=st.text(), exception_message=scalars),
    agent_execution=shaped(started_at=scalars, finished_at=scalars),
)
bench = shaped(
    trial_name=scalars,
    is_resolved=st.booleans(),
    failure_mode=scalars,
    parser_results=anything,
    agent_started_at=scalars,
    agent_ended_at=scalars,
    total_output_tokens=st.integers(),
)
item = shaped(type=st.sampled_from(["message", "function_call", "reasoning"]), content=anything, name=anything)
extra = shaped(actions=st.lists(shaped(command=anything), max_size=2), returncode=scalars, response=anything)
mini = shaped(
    messages=st.lists(
        message | shaped(role=st.just("exit"), content=anything, extra=anything)
        | shaped(object=st.just("response"), output=st.lists(item, max_size=2), extra=extra)
        | shaped(role=roles, content=st.text(max_size=4), extra=extra)
        | shaped(type=st.just("function_call_output"), output=anything),
        max_size=4,
    ),
    info=shaped(exit_status=scalars, config=anything, model_stats=anything, submission=anything),
    instance_id=scalars,
)  # fmt: skip
ids = st.integers(0, 3) | scalars
v0 = shaped(
    id=ids, cause=ids, action=st.sampled_from(["run", "message", "think", "condensation"]), observation=st.just("run"),
    content=scalars, args=anything, source=scalars, extras=anything,
    tool_call_metadata=shaped(tool_call_id=scalars, model_response=anything),
)  # fmt: skip
kinds = ["ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent", "Condensation", "AgentErrorEvent"]
v1 = shaped(
    kind=st.sampled_from(kinds), id=ids, parent_id=ids, tool_name=scalars, tool_call=anything, action=anything,
    llm_response_id=scalars, thought=anything, observation=anything, llm_message=message, system_prompt=anything,
    forgotten_event_ids=st.lists(ids, max_size=2), summary=scalars, summary_offset=scalars, error=anything,
    tools=anything, key=scalars, value=anything,
)  # fmt: skip
hands = shaped(
    instance_id=scalars, history=st.lists(v0, max_size=4) | st.lists(v1, max_size=4), metrics=anything, error=anything,
    test_result=shaped(report=shaped(resolved=anything, error_eval=anything)), metadata=anything,
)  # fmt: skip
attempt = shaped(
    prompt=st.text(max_size=3), is_solved=st.booleans(), solution=scalars, name=scalars,
    implementations=st.lists(st.text(max_size=3), max_size=2), reflections=st.lists(scalars, max_size=2),
)  # fmt: skip
block = shaped(
    type=st.sampled_from(["text", "thinking", "tool_use", "tool_result", "server_tool_use"]), text=scalars, id=ids,
    thinking=scalars, name=scalars, input=anything, tool_use_id=ids, content=anything, is_error=scalars,
)  # fmt: skip
claude = shaped(
    type=st.sampled_from(["user", "assistant", "system", "attachment", "summary"]), uuid=ids, parentUuid=ids,
    isSidechain=st.booleans(), isCompactSummary=st.booleans(), subtype=st.just("compact_boundary"), sessionId=scalars,
    message=shaped(id=ids, content=st.lists(block, max_size=2) | scalars, usage=anything, model=scalars),
    compactMetadata=shaped(preservedMessages=anything, preservedSegment=anything), toolUseResult=anything,
    attachment=shaped(type=st.just("queued_command"), prompt=anything), timestamp=scalars, cwd=anything,
)  # fmt: skip
response_kinds = ["message", "function_call", "function_call_output", "local_shell_call", "reasoning", "compaction"]
response_item = shaped(
    type=st.sampled_from(response_kinds), role=roles, content=anything, name=scalars, arguments=scalars, call_id=ids,
    output=anything, action=anything, summary=anything,
)  # fmt: skip
codex = shaped(
    type=st.sampled_from(["session_meta", "response_item", "event_msg", "compacted", "turn_context", "x"]),
    timestamp=scalars,
    payload=response_item
    | shaped(type=st.just("token_count"), info=shaped(total_token_usage=anything))
    | shaped(message=scalars, replacement_history=st.lists(response_item, max_size=2), id=scalars, git=anything),
)


def numbered(items):
    return {str(index): item for index, item in enumerate(items)}


def items_of(adapter, content):
    raw = json.dumps(content).encode()
    unit = SourceUnit("k", "m/a.json", adapter, "1", len(raw), "ab", path_facts=(("instance_id", "i"), ("run", "r")))
    return list(adapter_named(adapter).read(unit, lambda uri: io.BytesIO(raw), IngestSettings())), unit


@pytest.mark.parametrize(
    ("adapter", "records", "wrap"),
    [
        ("openai_chat", chat, list),
        ("tau_bench", tau, list),
        ("intercode", intercode, numbered),
        ("atif", atif, list),
        ("harbor", trial, list),
        ("terminal_bench", bench, lambda items: {"results": items}),
        ("mini_swe_agent", mini, list),
        ("openhands", hands, list),
        ("openhands_events", v0 | v1, list),
        ("claude_code", claude, list),
        ("codex", codex | response_item, list),
        ("reflexion", attempt, list),
        ("swe_agent", swe, lambda items: items[0]),
    ],
)
@settings(max_examples=60)
@given(draw=st.data())
def test_any_records_end_as_rows_or_bad_records(adapter, records, wrap, draw):
    native = draw.draw(st.lists(records, min_size=1, max_size=3))
    items, unit = items_of(adapter, wrap(native))
    whole = [item for item in items if isinstance(item, BadRecord) or item.parent_key is None]
    if adapter in {"claude_code", "codex"}:
        # A file of lines is one session unless it holds several that have nothing to do with each other; a line of it
        # that is unusable is told by itself.
        assert 1 <= len(whole) <= len(native)
    else:
        assert len(whole) == (1 if adapter in {"swe_agent", "openhands_events"} else len(native))
    for item in items:
        if isinstance(item, BadRecord):
            assert not item.message.startswith(("TypeError", "AttributeError", "KeyError"))
            continue
        trajectory = assemble(item, "t", secrets_redacted={})
        rebuilt = messages_of(trajectory.steps)
        assert messages_of(steps_of(rebuilt)) == rebuilt
        tables_of(trajectory, unit)
