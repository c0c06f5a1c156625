"""Conversations as tests write them, and what adapters and tables make of them."""

import io
import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from schemas.records import BadRecord, Message, Rollout, SourceUnit, Trajectory
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.tables_of import tables_of as as_tables
from tests.transforms.formats.tables_of import trajectory_of
from transforms.formats.assembly import assemble
from transforms.formats.registry import adapter_named
from transforms.formats.steps import messages_of
from transforms.store.rows import calls_table, steps_table, trajectories_table

COMPUTED = frozenset({"traj_id", "unit_key", "schema_version", "task_hash", "system_prompt_hash", "args_hash"})


class Turn(NamedTuple):
    """What one side says: its text, its thoughts, its calls and what came of them."""

    role: str
    text: str | None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    results: tuple[str, ...] = ()
    reasoning: str | None = None


texts = st.text("ab é{\n,\"'\\", max_size=8).map(str.strip)
names = st.sampled_from(["bash", "edit", "look"])
arguments = st.dictionaries(st.sampled_from(["a", "path", "n"]), texts, max_size=2)


@st.composite
def talks(draw, *, max_calls=2, one_result=False, reasoning=False, calls=None):
    """Conversations in which every call but those of the last turn has its result; or each turn one result."""
    calls = st.tuples(names, arguments) if calls is None else calls
    turns = [Turn("system", draw(texts)), Turn("user", draw(texts.filter(bool)))]
    for _ in range(draw(st.integers(1, 4))):
        said = tuple(draw(st.lists(calls, max_size=max_calls)))
        count = min(len(said), 1) if one_result else len(said)
        results = tuple(draw(st.lists(texts.filter(bool), min_size=count, max_size=count)))
        thoughts = draw(st.none() | texts.filter(bool)) if reasoning else None
        turns.append(Turn("assistant", draw(texts), said, results, thoughts))
        if not said or draw(st.booleans()):
            turns.append(Turn("user", draw(texts.filter(bool))))
    return tuple(turns)


def unit_of(adapter: str, content: Any) -> tuple[SourceUnit, bytes]:
    raw = json.dumps(content).encode()
    return SourceUnit("unit", "a.json", adapter, "1", len(raw), "ab"), raw


def read_rows(adapter: str, *rows: Any, settings: IngestSettings | None = None) -> list[Rollout | BadRecord]:
    """Read rows that are a JSON list."""
    unit, raw = unit_of(adapter, list(rows))
    return list(adapter_named(adapter).read(unit, lambda uri: io.BytesIO(raw), settings or IngestSettings()))


def through_tables(rollout: Rollout) -> tuple[Message, ...]:
    """Return the messages rebuilt from the tables' rows of a rollout."""
    unit, _ = unit_of(rollout.header.source_format, [])
    trajectory = assemble(rollout, "t", secrets_redacted={})
    return messages_of(trajectory_of(as_tables(trajectory, unit)).steps)


def turns_of(messages: tuple[Message, ...]) -> tuple[Turn, ...]:
    """Return the conversation that messages are."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "tool":
            last = max(index for index, turn in enumerate(turns) if turn.role == "assistant")
            turns[last] = turns[last]._replace(results=(*turns[last].results, message.content or ""))
            continue
        calls = tuple((call.name, json.loads(call.arguments_json or "{}")) for call in message.calls)
        turns.append(Turn(message.role, message.content, calls, (), message.reasoning))
    return tuple(turns)


def rebuilt(adapter: str, row: Any) -> tuple[Turn, ...]:
    """Return the conversation of one row, read, written to the tables and rebuilt."""
    (rollout,) = read_rows(adapter, row)
    assert isinstance(rollout, Rollout), rollout
    return turns_of(through_tables(rollout))


def stated(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what is null, empty or false, and without hashes and keys."""
    return {
        name: value
        for name, value in row.items()
        if name not in COMPUTED and value is not None and value is not False and value not in ([], "")
    }


def tables_of(trajectory: Trajectory, unit: SourceUnit) -> dict[str, Any]:
    """Return a trajectory's rows in the three tables, as far as they state something."""
    return {
        "trajectory": stated(trajectories_table([trajectory], [unit]).to_pylist()[0]),
        "steps": [stated(row) for row in steps_table([trajectory]).to_pylist()],
        "calls": [stated(row) for row in calls_table([trajectory]).to_pylist()],
    }


def chat_form(talk: tuple[Turn, ...]) -> list[dict[str, Any]]:
    """Return a conversation as OpenAI chat messages."""
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate(talk):
        ids = [f"c{number}_{index}" for index in range(len(turn.calls))]
        message: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.reasoning is not None:
            message["reasoning_content"] = turn.reasoning
        if turn.calls:
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for call_id, (name, arguments) in zip(ids, turn.calls, strict=True)
            ]
        messages.append(message)
        answers = zip(ids, turn.results, strict=False)
        messages += [{"role": "tool", "tool_call_id": call_id, "content": result} for call_id, result in answers]
    return messages
