import hashlib
import io
import json

import pytest

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.canonical import canonical_hash
from transforms.formats.documents import (
    UNREADABLE_SIDECAR,
    document_records,
    list_records,
    load_document,
    map_records,
    read_sidecar,
)
from transforms.reading.native import NativeRecord
from transforms.reading.strict_json import Parsed

BAD = BadRecord("document", QuarantineReason.TRUNCATED, "cut")


def test_list_of_objects_and_one_object():
    assert list(list_records(Parsed([{"a": 1}, 2], ("w",)))) == [
        NativeRecord("item:0", {"a": 1}, warnings=("w",)),
        BadRecord(
            "item:1",
            QuarantineReason.NOT_AN_OBJECT,
            "expected an object, got int",
            sha256=hashlib.sha256(b"2").hexdigest(),
        ),
    ]
    assert list(list_records(Parsed({"a": 1}))) == [NativeRecord("document", {"a": 1})]
    assert list(list_records(BAD)) == [BAD]


def test_map_of_objects():
    assert list(map_records(Parsed({"x": {"a": 1}}))) == [NativeRecord("key:x", {"a": 1})]
    assert [record.reason for record in map_records(Parsed([1]))] == [QuarantineReason.NOT_AN_OBJECT]


def test_document_that_is_no_json_is_told():
    unit = SourceUnit("k", "a.json", "tau_bench", "1", 4, "ab")
    bad = load_document(unit, lambda uri: io.BytesIO(b"[1,"), IngestSettings(), watched=frozenset())
    assert (bad.record_key, bad.reason, bad.byte_offset, bad.byte_length) == (
        "document",
        QuarantineReason.TRUNCATED,
        0,
        4,
    )


def records_of(raw):
    unit = SourceUnit("k", "a.json", "openai_chat", "1", len(raw), "ab")
    return list(document_records(unit, lambda uri: io.BytesIO(raw), IngestSettings(), watched=frozenset({"id"})))


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b'{"a": "cut', QuarantineReason.TRUNCATED),
        (b"", QuarantineReason.TRUNCATED),
        (b'{"a" 3}, {"a": 4}]', QuarantineReason.INVALID_JSON),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_whole_items_before_the_damage_of_a_list_are_read(tail, reason, mark):
    head = mark + '[\n {"a": "é"} ,\n 7, {"id": 1, "id": 2},'.encode()
    first, *others, rest = records_of(head + tail)
    assert first == NativeRecord("item:0", {"a": "é"}, len(mark) + 3, 11)
    assert [(bad.record_key, bad.reason) for bad in others] == [
        ("item:1", QuarantineReason.NOT_AN_OBJECT),
        ("item:2", QuarantineReason.DUPLICATE_KEY),
    ]
    left = (head + tail)[rest.byte_offset :]
    assert (rest.record_key, rest.reason, rest.byte_length) == ("item:3", reason, len(left))
    assert (left, rest.sha256) == (b"," + tail, hashlib.sha256(left).hexdigest())
    assert rest.message.endswith(f"counted from byte {rest.byte_offset}, where the item before it ends")


@pytest.mark.parametrize(
    "damage",
    [
        b'{"id": 3, "steps": [{"n": 1}, {"n": 2}',
        b'{"id": 3, "steps": [{"n": 1}, {"n": 2}}',
        b'{"id": 3, "steps": ["cut, {"n": 2}]}',
        b'{"id" 3, "steps": []}',
        b'{"id": 3, "steps": [' + b"[" * 2000 + b"]}",
        b"nonsense",
    ],
)
@pytest.mark.parametrize("comma", [b",", b"\n ,\n"])
def test_items_behind_a_damaged_one_are_read(damage, comma):
    head, tail = (
        '[{"id": 1, "steps": ["é"]}, {"id": 2, "steps": []}, '.encode(),
        b'{"id": 4, "steps": [7]},\n{"id": 5, "steps": []}]',
    )
    first, second, bad, fourth, fifth = records_of(head + damage + comma + tail)
    assert [record.value["id"] for record in (first, second, fourth, fifth)] == [1, 2, 4, 5]
    assert (bad.record_key, first.key) == ("item:2", "item:0")
    assert (head + damage + comma + tail)[bad.byte_offset :][: bad.byte_length].strip(b" ,\n") == damage
    assert fifth.key == "item:4"


def test_a_number_too_long_for_the_search_is_no_damage():
    raw = b'[{"id": 1}, {"id": ' + b"9" * 5000 + b'}, {"id": 3}, {"id": }]'
    first, long, third, bad = records_of(raw)
    assert (first.value["id"], long.value["id"], third.value["id"]) == (1, "9" * 5000, 3)
    assert (long.key, long.offset, bad.record_key) == ("item:1", 12, "item:3")


def test_a_lost_comma_and_bytes_that_are_no_text_cost_one_item():
    raw = b'[{"id": 1, "a": "x"} {"id": 2, "a": "\xff"}, {"id": 3, "a": "y"}]'
    first, bad, last = records_of(raw)
    assert (first.value["id"], last.value["id"], last.key) == (1, 3, "item:2")
    assert (bad.record_key, bad.reason) == ("item:1", QuarantineReason.INVALID_ENCODING)
    assert raw[bad.byte_offset :][: bad.byte_length] == b'{"id": 2, "a": "\xff"}'


def test_what_lies_inside_of_a_damaged_item_is_no_item():
    raw = b'[{"id": 1, "steps": []}, {"id": 2, "steps": [{"id": 3}, {"id": 4, "x": 1}], "end": , "more": 12345}]'
    first, bad = records_of(raw)
    assert (first.key, bad.record_key, bad.reason) == ("item:0", "item:1", QuarantineReason.INVALID_JSON)


def test_the_search_for_items_ends():
    raw = b'[{"id": 1}' + b',{"id":[' * 200_000
    first, bad = records_of(raw)
    assert (first.value, bad.byte_length) == ({"id": 1}, len(raw) - 10)


def test_a_list_with_an_item_that_is_refused_loses_that_alone():
    good, bad, last = records_of(b'[{"id": 1}, {"id": 1, "id": 2}, {"id": 3}]\n')
    assert (good.value, last.value, last.key) == ({"id": 1}, {"id": 3}, "item:2")
    assert (bad.record_key, bad.reason, bad.byte_offset) == ("item:1", QuarantineReason.DUPLICATE_KEY, 12)


@pytest.mark.parametrize("raw", [b"[", b'{"a": 1', b'["x', b"\xff", b"[" * 5000])
def test_a_damaged_document_without_a_whole_item_is_one_bad_record(raw):
    (bad,) = records_of(raw)
    assert (bad.record_key, bad.byte_offset, bad.byte_length) == ("document", 0, len(raw))


def test_sidecar_that_cannot_be_read_says_nothing_and_is_told():
    files = {"a.json": b'{"a": 1}', "b.json": b"[1,", "c.json": b"", "d.json": b"[1]"}
    read = [read_sidecar(uri, lambda name: io.BytesIO(files[name]), IngestSettings()) for uri in files]
    assert read == [Parsed({"a": 1}), *[Parsed({}, (UNREADABLE_SIDECAR,))] * 3]
    assert read_sidecar(None, lambda name: io.BytesIO(), IngestSettings()) == Parsed({})


def test_an_item_over_the_limit_of_a_record_is_set_aside_and_the_others_are_read():
    big, small = {"a": "x" * (1 << 20)}, {"a": "\u00e9"}
    settings = IngestSettings(max_record_mb=1)
    for document, read in (([big, small], list_records), ({"0": big, "1": small}, map_records)):
        raw = json.dumps(document, indent=1).encode()
        unit = SourceUnit("k", "a.json", "openai_chat", "1", len(raw), "ab")
        loaded = load_document(unit, lambda uri: io.BytesIO(raw), settings, watched=frozenset())  # noqa: B023
        bad, good = read(loaded)
        assert (bad.reason, bad.sha256) == (QuarantineReason.TOO_LARGE, canonical_hash(big))
        assert bad.message == f"{len(json.dumps(big, separators=(',', ':')))} bytes, {1 << 20} allowed"
        assert good.value == small


def test_a_document_that_is_one_record_has_the_bound_of_documents():
    assert list(list_records(Parsed({"a": "x" * 20}, max_item_bytes=10))) == [
        NativeRecord("document", {"a": "x" * 20})
    ]
    deep = json.loads("[" * 400 + "]" * 400)
    [bad] = list_records(Parsed([{"a": deep}], max_item_bytes=10))
    assert bad.reason is QuarantineReason.TOO_LARGE
