"""What a trainer would choke on or train nothing from, looked for before a row is written (EXPORTS 3).

The functions return problems; `refuse` raises on them. Conversations that break these rules were refused when they
were rendered, so a problem here is an error of ours, and nothing is published.
"""

from collections.abc import Callable, Sequence
from typing import Final

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import QualityError
from transforms.targets.contract import RowProblem

ROLES: Final = ("system", "user", "assistant", "tool")


def refuse(problems: Sequence[RowProblem], *, target: str) -> None:
    """Raise when there are problems.

    Raises:
        QualityError: Names the first row and the rule, and how many there are.
    """
    if problems:
        first = problems[0]
        raise QualityError(f"{target} row {first.row_id}: {first.rule} ({len(problems)} problems in its shard)")


def check_messages(table: pa.Table, column: str) -> list[RowProblem]:
    """Check each message of a conversation column by itself, and that there is one."""
    lists, ids = table[column].combine_chunks(), table["id"].to_pylist()
    empty = pc.fill_null(pc.equal(pc.list_value_length(lists), 0), True)
    problems = _named(ids, _places(empty), f"{column} is empty")
    messages, parents = lists.flatten(), pc.list_parent_indices(lists)
    roles, contents = pc.struct_field(messages, "role"), pc.struct_field(messages, "content")
    calls = pc.struct_field(messages, "tool_calls")
    flagged = {
        "has a message with an unknown role": pc.invert(pc.is_in(roles, value_set=pa.array(ROLES))),
        "has a message without content": pc.is_null(contents),
        "has an empty list of tool calls": pc.fill_null(pc.equal(pc.list_value_length(calls), 0), False),
        "has tool calls of another role than assistant": pc.and_(pc.is_valid(calls), pc.not_equal(roles, "assistant")),
        "has a tool result that names no call": pc.and_(
            pc.equal(roles, "tool"), pc.is_null(pc.struct_field(messages, "tool_call_id"))
        ),
    }
    for rule, mask in flagged.items():
        problems += _named(ids, sorted(set(parents.filter(mask).to_pylist())), f"{column} {rule}")
    return problems + _check_calls(calls, parents, ids, column)


def _check_calls(calls: pa.Array, parents: pa.Array, ids: Sequence[str], column: str) -> list[RowProblem]:
    owners = parents.take(pc.list_parent_indices(calls)).to_pylist()
    bad = {owner for owner, text in zip(owners, calls.flatten().to_pylist(), strict=True) if not _is_call(text)}
    return _named(ids, sorted(bad), f"{column} has a tool call whose arguments are no object")


def _is_call(text: str | None) -> bool:
    try:
        call = orjson.loads(text or "")
        return isinstance(call["function"]["arguments"], dict) and bool(call["function"]["name"])
    except (ValueError, KeyError, TypeError):
        return False


def check_openings(table: pa.Table, *, prompt: str, completion: str) -> list[RowProblem]:
    """Check that the prompt leaves the turn to the assistant, and the completion starts and ends with one of it."""
    starts = _by_role(table, completion, 0, lambda role: role == "assistant", "does not start with an assistant turn")
    return [*check_prompts(table, prompt), *starts, *check_endings(table, completion)]


def check_prompts(table: pa.Table, column: str) -> list[RowProblem]:
    """Check that a prompt leaves the next turn to the assistant."""
    return _by_role(table, column, -1, lambda role: role != "assistant", "ends with an assistant turn")


def check_endings(table: pa.Table, column: str) -> list[RowProblem]:
    """Check that a conversation ends with an assistant turn."""
    return _by_role(table, column, -1, lambda role: role == "assistant", "does not end with an assistant turn")


def check_sides(table: pa.Table, left: str, right: str) -> list[RowProblem]:
    """Check that the sides of a pair differ: equal ones train nothing, without an error."""
    one, other, ids = table[left].combine_chunks(), table[right].combine_chunks(), table["id"].to_pylist()
    equal = [row for row in range(table.num_rows) if one.slice(row, 1).equals(other.slice(row, 1))]
    return _named(ids, equal, f"{left} equals {right}")


def _by_role(table: pa.Table, column: str, place: int, is_right: Callable[[str], bool], rule: str) -> list[RowProblem]:
    lists = table[column].combine_chunks()
    edge = lists.offsets[:-1] if place == 0 else pc.subtract(lists.offsets[1:], 1)
    roles = pc.struct_field(lists.values, "role").take(edge).to_pylist()
    wrong = [row for row, role in enumerate(roles) if not is_right(role)]
    return _named(table["id"].to_pylist(), wrong, f"{column} {rule}")


def _places(mask: pa.Array) -> list[int]:
    return [place for place, is_set in enumerate(mask.to_pylist()) if is_set]


def _named(ids: Sequence[str], rows: Sequence[int], rule: str) -> list[RowProblem]:
    return [RowProblem(ids[row], rule) for row in rows]
