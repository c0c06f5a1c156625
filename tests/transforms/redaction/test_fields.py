import json

import pytest

from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.fields import rewrite_json, rewrite_rollout, scanned_texts, unescaped_json

MESSAGE = Message("assistant", "m", reasoning="r", calls=(MessageCall("w", '{"k":"a\\nb"}', arguments_raw="raw"),))
ROLLOUT = Rollout(Header("test", task_text="t", tools_json='["x"]'), (MESSAGE,), None, "0", "0", parse_warnings=("p",))


def test_escaped_json_is_scanned_as_written_and_decoded():
    assert scanned_texts(ROLLOUT).texts == [
        "0", "t", '["x"]', "m", "r", "w", "assistant", "raw", '{"k":"a\\nb"}', '{"k":"a\nb"}', "p",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["a\nb", 'a"b', "a\\b", "a\\nb", "tab\t/\r", "\u00e9\u2028", "\\u0041", "\\\\n"])
def test_unescaped_json_holds_what_was_written(value):
    assert unescaped_json(json.dumps({"k": value})) == f'{{"k": "{value}"}}'


def _upper(text: str, *, key: str | None = None, is_name: bool = False) -> str:
    return text.upper()


def test_every_scanned_text_is_rewritten():
    rewritten = rewrite_rollout(ROLLOUT, _upper)
    assert scanned_texts(rewritten).texts == [
        "0", "T", '["X"]', "M", "R", "W", "ASSISTANT", "RAW", '{"K":"A\\nB"}', '{"K":"A\nB"}', "P",
    ]  # fmt: skip


def test_records_without_a_change_stay_the_same_objects():
    def mark(text: str, *, key: str | None = None, is_name: bool = False) -> str:
        return text.replace("t", "T") if text == "t" else text

    rewritten = rewrite_rollout(ROLLOUT, mark)
    assert rewritten.header.task_text == "T"
    assert rewritten.messages[0] is MESSAGE


def test_json_keeps_its_text_unless_a_string_changes():
    assert rewrite_json('{ "N": 1.50, "S": "A" }', _upper) == '{ "N": 1.50, "S": "A" }'


def test_json_is_written_compact_when_a_string_changes():
    assert rewrite_json('{ "N": 1.50, "S": ["é"] }', _upper) == '{"N":1.5,"S":["É"]}'


def test_text_that_is_no_json_is_rewritten_as_it_is():
    assert rewrite_json("{oops", _upper) == "{OOPS"
    assert rewrite_json("[" * 5000, _upper) == "[" * 5000


@pytest.mark.parametrize(
    ("json_text", "expected"),
    [
        ('{"k":"v"}', [("k", None), ("v", "k")]),
        ('{"name":"API_KEY","value":"v"}', [("name", None), ("API_KEY", "name"), ("value", None), ("v", "API_KEY")]),
        ('["run","--token","v"]', [("run", None), ("--token", None), ("v", "--token")]),
    ],
)
def test_what_names_a_value_comes_with_it(json_text, expected):
    seen = []

    def note(text: str, *, key: str | None = None, is_name: bool = False) -> str:
        seen.append((text, key))
        return text

    assert rewrite_json(json_text, note) == json_text
    assert seen == expected
