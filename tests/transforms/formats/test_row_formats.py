"""What holds for every format of rows: told by content, named in the settings, and no record of any shape lost."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import BadRecord
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.row_talks import read_rows, unit_of
from tests.transforms.formats.tables_of import tables_of
from transforms.formats.assembly import assemble
from transforms.formats.registry import CLAIMING, adapter_named, detect
from transforms.formats.row_files import RowAdapter
from transforms.formats.steps import messages_of, steps_of
from transforms.reading.outline import Outline, outline_of_head

TURNS = [{"role": "user", "content": "x"}]
TERMINUS = [*TURNS, {"role": "assistant", "content": '{"analysis": "a", "plan": "b", "commands": []}'}]
ROWS = {
    "openai_responses": {"responses_create_params": {"input": []}, "response": {"output": []}, "reward": 1},
    "adp": {"id": "a", "content": [{"class_": "message_action", "content": "x"}], "details": {}},
    "swe_smith": {"messages": "[]", "instance_id": "a", "resolved": True, "model": "m", "traj_id": "b", "patch": ""},
    "swe_gym_openhands": {
        "instance_id": "a",
        "run_id": "r",
        "resolved": True,
        "messages": TURNS,
        "tools": [],
        "test_result": {},
    },
    "nebius_swe_agent": {
        "instance_id": "a",
        "target": True,
        "trajectory": [{"role": "ai", "text": "x"}],
        "generated_patch": "",
    },
    "swe_rebench_openhands": {"trajectory_id": "t", "instance_id": "a", "trajectory": TURNS, "model_patch": ""},
    "terminus_rows": {"conversations": TERMINUS, "task": "t", "trial_name": "t__1"},
    "sharegpt": {"conversations": [{"from": "human", "value": "x"}]},
}


def outline_of_text(text, *, is_complete=True):
    return outline_of_head(text.encode(), is_complete=is_complete)


@pytest.mark.parametrize("name", ROWS)
def test_format_is_told_by_content_in_every_packing(name):
    row = ROWS[name]
    outlines = [
        outline_of_text(json.dumps(row)),
        outline_of_text(json.dumps([row])),
        outline_of_text(json.dumps(row, indent=1)),
        outline_of_text("{cut\n" + json.dumps(row) + "\n" + json.dumps(row) + "\n"),
        Outline("parquet", keys=(frozenset(row),)),
    ]
    assert {detect(seen, IngestSettings(), uri="a").name for seen in outlines} == {name}


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("nebius_swe_agent", {"instance_id": "a", "target": True, "trajectory": [{"role": "ai", "text": "x"}] * 9}),
        ("swe_rebench_openhands", {"trajectory_id": "t", "instance_id": "a", "trajectory": TURNS * 9}),
        ("openai_responses", {"responses_create_params": {"input": TURNS * 9}}),
        ("sharegpt", {"conversations": [{"from": "human", "value": "x"}] * 9}),
    ],
)
@pytest.mark.parametrize("wrap", [lambda row: row, lambda row: [row]])
def test_rows_longer_than_the_outline_are_told_by_their_beginning(name, row, wrap):
    cut = outline_of_text(json.dumps(wrap(row))[:180], is_complete=False)
    assert detect(cut, IngestSettings(), uri="a").name == name


@pytest.mark.parametrize(
    "row", [{"responses_create_params": {"input": []}}, {"id": "a", "content": "x"}, {"conversations": TURNS}]
)
def test_rows_that_only_look_alike_are_not_claimed(row):
    assert detect(outline_of_text(json.dumps(row)), IngestSettings(), uri="a").name == "unknown"


def test_every_format_can_be_named_and_says_what_it_carries():
    for adapter in CLAIMING:
        assert IngestSettings(format=adapter.name).format == adapter.name
    for name in ROWS:
        adapter = adapter_named(name)
        assert isinstance(adapter, RowAdapter)
        assert all(isinstance(words, str) and words for words in (*adapter.carries, *adapter.loses))
        assert adapter.carries


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text("ab<{[`\"'", max_size=6)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
words = st.sampled_from(
    [
        "", "x", "<function=bash>\n<parameter=command>ls</parameter>\n</function>", "<function=",
        "```\nls\n```", "```",
        '{"analysis": "a", "plan": "b", "commands": [{"keystrokes": "ls"}]}', '{"name": "f", "arguments": {}}',
        '[{"name": "f"}]', "[]", "OBSERVATION:\nx",
    ]
)  # fmt: skip


def shaped(**fields):
    """An object with these fields, some left out, some of any kind."""
    return st.fixed_dictionaries({}, optional={name: kind | anything for name, kind in fields.items()})


def worded(*options):
    return st.sampled_from(options)


chat = st.lists(
    shaped(
        role=worded("system", "user", "assistant", "tool"),
        content=words,
        tool_calls=st.lists(
            shaped(id=worded("a", "b"), function=shaped(name=st.just("f"), arguments=words)), max_size=2
        ),
        tool_call_id=worded("a", "b"),
    ),
    max_size=4,
)
items = st.lists(
    shaped(
        type=worded("message", "reasoning", "function_call", "function_call_output", "mcp_call", "item_reference"),
        role=worded("system", "user", "assistant"),
        content=words | st.lists(shaped(type=worded("output_text"), text=words), max_size=2),
        summary=st.lists(shaped(text=words), max_size=2),
        call_id=worded("a", "b"),
        name=st.just("f"),
        arguments=words,
        output=words,
        status=worded("completed", "incomplete"),
    ),
    max_size=5,
)
adp_item = shaped(
    class_=worded("api_action", "code_action", "message_action", "text_observation", "web_observation"),
    function=st.just("f"),
    language=worded("bash", "python"),
    kwargs=st.dictionaries(st.text(max_size=2), words, max_size=2),
    content=words,
    description=words,
    source=worded("user", "agent", "environment"),
    tool_call_id=worded("a", "b"),
    axtree=words,
    reward=st.floats(),
)
share = st.lists(
    shaped(**{"from": worded("human", "gpt", "function_call", "observation", "function"), "value": words}), max_size=4
)
verdict = worded(True, 0, 1, "yes", None)
SHAPES = {
    "openai_responses": shaped(
        responses_create_params=shaped(input=items | words, instructions=words),
        response=shaped(id=words, output=items, status=worded("completed", "incomplete", "failed"), error=anything),
        reward=verdict,
        _ng_task_index=st.integers(),
        _ng_failure_class=words,
    ),
    "adp": shaped(id=words, content=st.lists(adp_item, max_size=4), details=shaped(resolved=verdict, task_id=words)),
    "swe_smith": shaped(messages=chat.map(json.dumps), instance_id=words, resolved=verdict, traj_id=words),
    "swe_gym_openhands": shaped(
        messages=chat,
        instance_id=words,
        run_id=words,
        resolved=verdict,
        test_result=shaped(git_patch=words, report=shaped(resolved=verdict, error_eval=verdict)),
    ),
    "nebius_swe_agent": shaped(
        trajectory=st.lists(
            shaped(role=worded("system", "user", "ai"), text=words, system_prompt=words, mask=verdict), max_size=4
        ),
        target=verdict,
        exit_status=words,
        generated_patch=words,
    ),
    "swe_rebench_openhands": shaped(trajectory=chat, resolved=verdict, gen_tests_correct=st.floats()),
    "terminus_rows": shaped(conversations=chat, task=words, trial_name=words, reward=verdict),
    "sharegpt": shaped(
        conversations=share, system=words, tools=words, kto_tag=verdict, chosen=share | words, rejected=share | words
    ),
}


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=60)
@given(draw=st.data())
def test_any_rows_end_as_table_rows_or_bad_records(name, draw):
    rows = draw.draw(st.lists(SHAPES[name], min_size=1, max_size=3))
    found = read_rows(name, *rows)
    assert {item.record_key.partition("/")[0] for item in found} == {f"item:{index}" for index in range(len(rows))}
    unit, _ = unit_of(name, [])
    for item in found:
        if isinstance(item, BadRecord):
            assert not item.message.startswith(("TypeError", "AttributeError", "KeyError", "IndexError"))
            continue
        trajectory = assemble(item, "t", secrets_redacted={})
        again = messages_of(trajectory.steps)
        assert (messages_of(steps_of(again)), len(again)) == (again, len(item.messages))
        assert sum(len(one.calls) for one in again) == sum(len(one.calls) for one in item.messages)
        tables_of(trajectory, unit)


def test_long_line_files_are_read_range_by_range(read_lake):
    row = json.dumps(ROWS["sharegpt"])
    read = read_lake({"a.jsonl": f"{row}\n" * 50}, range_bytes=500)
    assert (len(read.units) > 2, len(read.trajectories), read.bad) == (True, 50, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("swe_smith", "<function=" * 40_000),
        ("swe_smith", "<function=a><parameter=b>" * 20_000),
        ("nebius_swe_agent", "```" * 60_000),
        ("terminus_rows", '{"plan":' * 20_000),
    ],
)
def test_texts_full_of_beginnings_are_read(name, text):
    turn = {"role": "ai", "text": text} if name == "nebius_swe_agent" else {"role": "assistant", "content": text}
    (rollout,) = read_rows(name, {"messages" if name != "nebius_swe_agent" else "trajectory": [turn]})
    assert [message.content for message in rollout.messages] == [text]
