import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import Parsed, parse_json, parse_object


@pytest.mark.parametrize(
    ("raw", "value", "warnings"),
    [
        (b'{"a": 1}', {"a": 1}, ()),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}, ()),
        (b'{"id": 12345678901234567890123}', {"id": "12345678901234567890123"}, ("integer_as_text",)),
        (b'{"a": 18446744073709551615}', {"a": 18446744073709551615}, ()),
        (b'{"a": NaN, "b": 1e400}', {"a": None, "b": None}, ("nonfinite_number",)),
        (b'{"a": "x\\ud800y"}', {"a": "x\ufffdy"}, ("lone_surrogate",)),
        (b'{"a": "\\u0000 \\\\u0000"}', {"a": "\x00 \\u0000"}, ()),
        (b'{"a": 1, "a": 2, "b": NaN}', {"a": 2, "b": None}, ("duplicate_key", "nonfinite_number")),
    ],
)
def test_readable_text_is_read_and_what_was_mended_is_named(raw, value, warnings):
    assert parse_json(raw) == Parsed(value, warnings)


@pytest.mark.parametrize(
    ("raw", "reason", "at_end"),
    [
        (b'{"a": "b', QuarantineReason.INVALID_JSON, True),
        (b'{"a": fal', QuarantineReason.INVALID_JSON, True),
        (b'{"a": [1, 2', QuarantineReason.INVALID_JSON, True),
        (b'{"a": {}', QuarantineReason.INVALID_JSON, True),
        (b'{"a" 1, "b": "cccccccccccc"}', QuarantineReason.INVALID_JSON, False),
        (b'{"a": "\x00bbbbbbbbbbbb"}', QuarantineReason.INVALID_JSON, False),
        (b'{"a": "\xff", "b": 1}', QuarantineReason.INVALID_ENCODING, False),
        (b'{"a": "\xc3', QuarantineReason.INVALID_ENCODING, True),
        (b'{"reward": 0.0, "reward": 1.0}', QuarantineReason.DUPLICATE_KEY, False),
        (b'{"reward": 1, "reward": true}', QuarantineReason.DUPLICATE_KEY, False),
        (b"[" * 100_000, QuarantineReason.TOO_DEEP, False),
        (b'{"a":' * 12 + b"1" + b"}" * 12, QuarantineReason.TOO_DEEP, False),
    ],
)
def test_unusable_text_is_refused_with_its_reason(raw, reason, at_end):
    with pytest.raises(RecordError) as caught:
        parse_json(raw, watched={"reward"}, max_depth=10)
    assert (caught.value.reason, caught.value.at_end) == (reason, at_end)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"content": "a", "content": "b"}',
        b'{"content":"a","content":"b"}',
        b'{"messages": [{"role" : "x", "content": "\\"c\\": d", "content"\t: "b"}]}',
        b'{"messages": [{"content": "a \\u0022: b", "content": "\\u0022c\\u0022: d"}]}',
        b'{"c\\u006fntent": "a", "content": "b"}',
        b'{"": 1, "": 2}',
    ],
)
def test_a_doubled_key_is_named_wherever_and_however_it_stands(raw):
    assert parse_json(raw) == Parsed(json.loads(raw), ("duplicate_key",))
    assert parse_json(raw, watched={"id"}).warnings == ("duplicate_key",)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_no_key_is_taken_for_doubled(indent, ensure_ascii):
    value = {'é"': ["\\", '"a": "b"', {'é"': '\\":'}], "b": {"a": {"a": None}}}
    raw = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii).encode()
    assert parse_json(raw, watched={"a"}) == Parsed(value)


def test_doubled_key_with_equal_values_is_no_contradiction():
    parsed = parse_json(b'{"reward": 1.0, "reward": 1.0, "calls": [{"id": "reward"}]}', watched={"reward"})
    assert parsed == Parsed({"reward": 1.0, "calls": [{"id": "reward"}]}, ("duplicate_key",))


def test_same_key_in_different_objects_is_not_doubled():
    raw = b'{"id": "a", "calls": [{"id": "b"}, {"id" : "c"}], "text": "\\"id\\": 1"}'
    assert parse_json(raw, watched={"id"}).warnings == ()


@pytest.mark.parametrize(
    ("raw", "value", "warnings"),
    [
        (b'{"id": 1.10, "x": 1.10}', {"id": "1.10", "x": 1.1}, ("float_as_text",)),
        (b'{"a": {"id": 1.10}}', {"a": {"id": "1.10"}}, ("float_as_text",)),
        (b'[{"id": 1e22, "xs": [1e22, {"y": 1.50}]}]', [{"id": "1e22", "xs": [1e22, {"y": 1.5}]}], ("float_as_text",)),
        (b'{"id": 12345678901234567.0}', {"id": "12345678901234567.0"}, ("float_as_text",)),
        (b'{"id":1e22}', {"id": "1e22"}, ("float_as_text",)),
        (b'{"id":0.00001}', {"id": "0.00001"}, ("float_as_text",)),
        (b'{"id":1.5}', {"id": 1.5}, ()),
        (b'{"id": 1.5, "reward": 0.25}', {"id": 1.5, "reward": 0.25}, ()),
        (b'{"id": [1.10]}', {"id": [1.1]}, ()),
        (b'{"id": 18446744073709551616}', {"id": "18446744073709551616"}, ("integer_as_text",)),
        (b'{"id": -9223372036854775809}', {"id": "-9223372036854775809"}, ("integer_as_text",)),
    ],
)
def test_numbers_that_would_be_blurred_under_a_watched_key_stay_as_written(raw, value, warnings):
    parsed = parse_json(raw, watched={"id", "reward"})
    assert parsed == Parsed(value, warnings)
    assert json.loads(json.dumps(parsed.value)) == value


@pytest.mark.parametrize(
    "raw",
    [
        b'{"\\u0072eward": 0, "reward": 1}',
        b'{"reward": 0, "re\\u0077ard": 1}',
        b'{"logs": {"q1": {"reward": 0, "reward": 1}}}',
        b'[{"reward": 0, "reward": 1}]',
        b'{"a": {"b": {"c": [{"reward": 0 , "reward" : 1}]}}}',
        b'{"reward": 0.5, "reward": 0.50}',
        b'{"id": 1, "runs": [{"id": 2, "info": {"reward": 0, "reward": 1}}]}',
        b'{"reward": 0, "runs": [{"info": {"reward": 0, "reward": 1}}]}',
        b'{"reward": 0, "id": "\\"reward\\": reward", "runs": [{"info": {"reward": 0,"reward"\n:1}}]}',
    ],
)
def test_a_label_doubled_anywhere_is_ambiguous_however_it_is_spelled(raw):
    with pytest.raises(RecordError, match="key 'reward' occurs twice"):
        parse_json(raw, watched={"reward", "id"})


@pytest.mark.parametrize(
    "raw",
    [
        b'{"id": 1, "runs": [{"id": 2}, {"id": 3}]}',
        b'{"id": "\\"id\\": 1, id: 2", "text": "\\\\\\"id\\": 5", "keys": ["id", "id"]}',
    ],
)
def test_keys_of_several_objects_and_words_in_texts_are_no_doubled_keys(raw):
    assert parse_json(raw, watched={"id"}) == Parsed(json.loads(raw))


def test_escapes_that_are_no_keys_of_plain_letters_stay_on_the_fast_path():
    raw = json.dumps({"reward": 1, "text": "\u00e9 \u4e2d", "k\u00e9": {"a": "\x7f"}}).encode()
    assert parse_json(raw, watched={"reward"}).warnings == ()


ids = st.floats(allow_nan=False, allow_infinity=False).flatmap(
    lambda number: st.sampled_from([repr(number), f"{number:.20f}", f"{number:e}", f"{number:.3f}0"])
)


@given(first=ids, second=ids)
def test_ids_written_apart_stay_apart(first, second):
    read = [parse_json(b'{"id": %s}' % text.encode(), watched={"id"}).value["id"] for text in (first, second)]
    assert (str(read[0]) == str(read[1])) == (first == second)


def test_value_that_is_no_object_is_refused():
    with pytest.raises(RecordError, match="expected an object, got list"):
        parse_object(b"[1]")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=4), children, max_size=4),
    max_leaves=12,
)


@given(value=json_values)
def test_any_json_value_is_read_as_written(value):
    assert parse_json(json.dumps(value).encode(), watched={"id"}).value == value


@given(raw=st.binary(max_size=60))
def test_any_bytes_give_a_value_or_a_reason(raw):
    with suppress(RecordError):
        parse_json(raw, watched={"id"}, max_depth=10)


@pytest.mark.parametrize("offset", range(12))
def test_a_huge_number_is_seen_wherever_it_stands(offset: int) -> None:
    raw = b'{"a":"%s","n":98765432109876543210}' % (b"x" * offset)
    assert parse_json(raw).warnings == ("integer_as_text",)


@pytest.mark.parametrize("max_depth", [8, 200, 254, 300])
@pytest.mark.parametrize(("head", "tail"), [("[", "]"), ('{"a":', "}")])
def test_compact_text_may_be_as_deep_as_the_limit_and_no_deeper(max_depth: int, head: str, tail: str) -> None:
    def nested(depth: int) -> bytes:
        return (head * depth + "1" + tail * depth).encode()

    assert parse_json(nested(max_depth), max_depth=max_depth).warnings == ()
    with pytest.raises(RecordError, match=f"deeper than {max_depth} levels"):
        parse_json(nested(max_depth + 1), max_depth=max_depth)


numbers_as_written = st.sampled_from(
    ["1", "-0", "0.5", "1.10", "1e16", "1e-7", "-0.0", "18446744073709551615", "18446744073709551616", "1e400", "NaN"]
)
written_values = st.recursive(
    numbers_as_written | st.sampled_from(['"b"', '"\\u0062"', '"\\ud800"', "true", "null"]),
    lambda children: (
        st.lists(children, max_size=3).map(lambda items: "[" + ",".join(items) + "]")
        | st.lists(st.tuples(st.sampled_from(['"id"', '"x"', '"\\u0069d"']), children), max_size=4).map(
            lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
        )
    ),
    max_leaves=8,
)


@given(text=written_values)
def test_compact_text_is_read_as_the_same_text_with_blanks(text: str) -> None:
    def read(text: str) -> object:
        try:
            parsed = parse_json(text.encode(), watched={"id"}, max_depth=6)
        except RecordError as error:
            return error.reason
        return repr(parsed.value), parsed.warnings

    assert read(text) == read(text.replace(":", " : ").replace(",", " , "))
