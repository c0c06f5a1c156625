import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from schemas.tables import SCHEMAS
from transforms.formats.assembly import assemble
from transforms.formats.canonical import canonical_hash
from transforms.formats.contract import build_rollouts
from transforms.formats.registry import adapter_named
from transforms.formats.steps import messages_of, steps_of
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.store.rows import CALL_ROW, STEP_ROW, call_rows, step_rows, trajectory_row
from transforms.store.tables import rows_to_table, values_to_table

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
        ROLLOUT,
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


def items_of(adapter, content):
    raw = json.dumps(content).encode()
    unit = SourceUnit("k", "m/a.json", adapter, "1", len(raw), "ab", path_facts=(("instance_id", "i"), ("run", "r")))
    return list(adapter_named(adapter).read(unit, lambda uri: io.BytesIO(raw), IngestSettings())), unit


@pytest.mark.parametrize(
    ("adapter", "records", "wrap"),
    [
        ("openai_chat", chat, list),
        ("tau_bench", tau, list),
        ("intercode", intercode, lambda items: {str(index): item for index, item in enumerate(items)}),
        ("swe_agent", swe, lambda items: items[0]),
    ],
)
@settings(max_examples=60, deadline=None)
@given(draw=st.data())
def test_any_records_end_as_rows_or_bad_records(adapter, records, wrap, draw):
    native = draw.draw(st.lists(records, min_size=1, max_size=3))
    items, unit = items_of(adapter, wrap(native))
    assert len(items) == (1 if adapter == "swe_agent" else len(native))
    for item in items:
        if isinstance(item, BadRecord):
            assert not item.message.startswith(("TypeError", "AttributeError", "KeyError"))
            continue
        trajectory = assemble(item, "t", secrets_redacted={})
        rebuilt = messages_of(trajectory.steps)
        assert messages_of(steps_of(rebuilt)) == rebuilt
        rows_to_table([trajectory_row(trajectory, unit)], SCHEMAS["trajectories"])
        values_to_table(step_rows(trajectory), STEP_ROW, SCHEMAS["steps"])
        values_to_table(call_rows(trajectory), CALL_ROW, SCHEMAS["tool_calls"])
