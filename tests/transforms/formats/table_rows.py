"""Table rows as a test writes them down: columns that are null or derived from content are left out."""

from datetime import datetime
from typing import Any, NamedTuple

from hypothesis import strategies as st

from schemas.records import Message, MessageCall, SourceUnit, Trajectory
from tests.transforms.formats.tables_of import tables_of, trajectory_of
from transforms.formats.arguments import canonical_text
from transforms.formats.assembly import assemble
from transforms.formats.steps import messages_of

DERIVED = frozenset({"traj_id", "unit_key", "task_hash", "system_prompt_hash", "args_hash", "schema_version"})
USUAL = (("is_copied_context", False), ("is_demo", False), ("id_generated", False))


class Rows(NamedTuple):
    trajectory: dict[str, Any]
    steps: list[dict[str, Any]]
    calls: list[dict[str, Any]]


def rows_of(trajectory: Trajectory, unit: SourceUnit) -> Rows:
    """Return the trajectory's rows as the tables hold them."""
    head, steps, calls = (table.to_pylist() for table in tables_of(trajectory, unit))
    return Rows(head[0], steps, calls)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a row that say something and are not derived from content; times as text."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
        if name not in DERIVED and value is not None and value != [] and (name, value) not in USUAL
    }


def told_rows(trajectory: Trajectory, unit: SourceUnit) -> Rows:
    """Return all rows of a trajectory, each as `told`."""
    rows = rows_of(trajectory, unit)
    return Rows(told(rows.trajectory), [told(row) for row in rows.steps], [told(row) for row in rows.calls])


def rebuilt(rollout: Any, unit: SourceUnit) -> tuple[Message, ...]:
    """Return the messages of a rollout, read back from its table rows."""
    trajectory = assemble(rollout, "t", secrets_redacted={})
    return messages_of(trajectory_of(tables_of(trajectory, unit)).steps)


def said(message: Message) -> tuple[Any, ...]:
    """Return what a message says: role, text, calls with arguments, the call it answers."""
    calls = tuple((call.name, call.arguments_json, call.call_id, call.requestor) for call in message.calls)
    return message.role, message.content, calls, message.tool_call_id


words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12).filter(
    lambda text: not text.lower().startswith("observation:")
)
names = st.sampled_from(["bash", "book_seat", "get_user"])
arguments = st.dictionaries(st.sampled_from(["a", "b", "command"]), st.integers(-9, 9) | st.text("xyz", max_size=4))


@st.composite
def conversations(draw: st.DrawFn, *, callers: tuple[str, ...] = ("assistant",)) -> tuple[Message, ...]:
    """Draw a conversation in which every call has an id of its own and some calls are not answered."""
    messages = [Message("user", draw(words))]
    number = 0
    for role in draw(st.lists(st.sampled_from(["user", "assistant", "assistant"]), max_size=6)):
        calls = []
        if role in callers:
            for name in draw(st.lists(names, max_size=3)):
                number += 1
                calls.append(MessageCall(name, canonical_text(draw(arguments)), call_id=f"c{number}", requestor=role))
        content = draw(st.none() | words) if calls else draw(words)
        messages.append(Message(role, content, "null" if content is None else "text", calls=tuple(calls)))
        messages += [
            Message("tool", draw(words), tool_call_id=call.call_id, requestor=role)
            for call in calls
            if draw(st.booleans())
        ]
    return tuple(messages)
