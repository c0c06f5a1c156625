from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.fields import rewrite_json, rewrite_rollout, scanned_texts

MESSAGE = Message("assistant", "m", reasoning="r", calls=(MessageCall("w", '{"k":"a\\nb"}', arguments_raw="raw"),))
ROLLOUT = Rollout(Header("test", task_text="t", tools_json='["x"]'), (MESSAGE,), None, "0", "0", parse_warnings=("p",))


def test_escaped_json_is_scanned_as_written_and_decoded():
    assert list(scanned_texts(ROLLOUT)) == ["t", '["x"]', "m", "r", "raw", '{"k":"a\\nb"}', '"k":"a\nb"', "p"]


def test_every_scanned_text_is_rewritten():
    rewritten = rewrite_rollout(ROLLOUT, str.upper, lambda text: f"json {text}")
    assert list(scanned_texts(rewritten)) == [
        "T", 'json ["x"]', "M", "R", "RAW", 'json {"k":"a\\nb"}', "P",
    ]  # fmt: skip


def test_json_keeps_its_text_unless_a_string_changes():
    assert rewrite_json('{ "n": 1.50, "s": "a" }', lambda text: text) == '{ "n": 1.50, "s": "a" }'
    assert rewrite_json('{ "n": 1.50, "s": ["é"] }', lambda text: text.replace("é", "e")) == '{"n":1.5,"s":["e"]}'


def test_text_that_is_no_json_is_rewritten_as_it_is():
    assert rewrite_json("{oops", str.upper) == "{OOPS"
    assert rewrite_json("[" * 5000, str.upper) == "[" * 5000


def test_a_value_is_rewritten_under_its_key():
    seen = []
    assert rewrite_json('{"k":"v"}', lambda text: seen.append(text) or text) == '{"k":"v"}'
    assert seen == ["k", '"k":"v"']
