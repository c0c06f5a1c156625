from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import QualityError
from transforms.targets.check import check_messages, check_openings, check_sides, refuse
from transforms.targets.contract import RowProblem
from transforms.targets.encoding import MESSAGES_TYPE, encode_message

USER, ASSISTANT = encode_message("user", "q"), encode_message("assistant", "a")


def table(**columns: list[Any]) -> pa.Table:
    count = len(next(iter(columns.values())))
    arrays = {name: pa.array(values, MESSAGES_TYPE) for name, values in columns.items()}
    return pa.table({"id": [f"r{row}" for row in range(count)]} | arrays)


def test_a_sound_table_has_no_problems() -> None:
    rows = table(prompt=[[USER], [USER, ASSISTANT, USER]], completion=[[ASSISTANT], [ASSISTANT, USER, ASSISTANT]])
    assert check_messages(rows, "prompt") + check_messages(rows, "completion") == []
    assert check_openings(rows, prompt="prompt", completion="completion") == []


@pytest.mark.parametrize(
    ("conversation", "rule"),
    [
        ([], "m is empty"),
        (None, "m is empty"),
        ([USER | {"role": "critic"}], "m has a message with an unknown role"),
        ([USER | {"content": None}], "m has a message without content"),
        ([ASSISTANT | {"tool_calls": []}], "m has an empty list of tool calls"),
        (
            [ASSISTANT | {"tool_calls": ['{"function":{"name":"f","arguments":"{}"}}']}],
            "m has a tool call whose arguments are no object",
        ),
        ([ASSISTANT | {"tool_calls": ["{"]}], "m has a tool call whose arguments are no object"),
        ([encode_message("tool", "x")], "m has a tool result that names no call"),
    ],
)
def test_a_message_that_breaks_a_template_is_found(conversation: Any, rule: str) -> None:
    assert check_messages(table(m=[[USER], conversation, [USER]]), "m") == [RowProblem("r1", rule)]


def test_calls_of_another_role_are_found() -> None:
    call = '{"function":{"name":"f","arguments":{}}}'
    rows = table(m=[[USER | {"tool_calls": [call]}]])
    assert check_messages(rows, "m") == [RowProblem("r0", "m has tool calls of another role than assistant")]


def test_openings_and_endings_are_checked() -> None:
    rows = table(prompt=[[USER, ASSISTANT]], completion=[[USER]])
    assert [problem.rule for problem in check_openings(rows, prompt="prompt", completion="completion")] == [
        "prompt ends with an assistant turn",
        "completion does not start with an assistant turn",
        "completion does not end with an assistant turn",
    ]


def test_equal_sides_are_found_and_refused() -> None:
    rows = table(chosen=[[ASSISTANT], [ASSISTANT]], rejected=[[USER], [ASSISTANT]])
    problems = check_sides(rows, "chosen", "rejected")
    assert problems == [RowProblem("r1", "chosen equals rejected")]
    with pytest.raises(QualityError, match=r"dpo row r1: chosen equals rejected \(1 problems in its shard\)"):
        refuse(problems, target="dpo")
    refuse([], target="dpo")
