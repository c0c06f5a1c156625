from datetime import UTC, datetime

import pytest

from transforms.formats.fields import (
    as_count,
    as_datetime,
    as_integer,
    as_items,
    as_number,
    as_text,
    first_present,
    lookup,
    present_name,
    watched_keys,
)
from transforms.formats.rewards import MISSING

RECORD = {"id": None, "extra_info": {"task_id": 7}, "a.b": 1}


def test_first_present_name_is_taken_even_when_null():
    assert lookup(RECORD, ["uuid", "id", "extra_info"]) is None
    assert lookup(RECORD, ["uuid"]) is MISSING


def test_dotted_names_reach_into_objects_and_literal_names_win():
    assert lookup(RECORD, ["extra_info.task_id"]) == 7
    assert lookup(RECORD, ["a.b"]) == 1
    assert lookup(RECORD, ["id.x", "extra_info.y"]) is MISSING


def test_first_present_passes_over_nulls():
    assert first_present(RECORD, ["id", "extra_info.task_id"]) == 7
    assert first_present(RECORD, ["id"]) is None
    assert present_name(RECORD, ["x", "id"]) == "id"


def test_watched_keys_are_the_last_parts():
    assert watched_keys(["id", "extra_info.task_id"], ["reward"]) == {"id", "task_id", "reward"}


@pytest.mark.parametrize(
    ("value", "text"),
    [(" a ", "a"), ("", None), (7, "7"), (7.0, "7"), (1.5, "1.5"), (True, "true"), (None, None), ([], None)],
)
def test_as_text(value, text):
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        (3.0, 3),
        ("3", 3),
        ("x", None),
        (3.5, None),
        (True, None),
        (2**31, None),
        ("9" * 30, None),
        (None, None),
    ],
)
def test_as_integer_keeps_within_its_bits(value, number):
    assert as_integer(value, bits=32) == number


def test_as_count_takes_nothing_below_zero():
    assert [as_count(value) for value in (0, 7, "7", -1, "-1", -2.0, None, True)] == [0, 7, 7, *[None] * 5]


def test_as_number_takes_no_bool():
    assert [as_number(value) for value in (1, 0.5, True, "1")] == [1.0, 0.5, None, None]


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-01-05T10:00:00Z", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05T12:00:00+02:00", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        (1767607200, datetime(2026, 1, 5, 10, tzinfo=UTC)),
        (1767607200000, datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("yesterday", None),
        (-5, None),
        (1e300, None),
        (None, None),
    ],
)
def test_as_datetime_is_utc(value, moment):
    assert as_datetime(value) == moment


@pytest.mark.parametrize(
    ("value", "items"), [(["a"], ["a"]), ("a", ["a"]), ({"a": 1}, [{"a": 1}]), (0, [0]), (None, []), ("", [])]
)
def test_a_single_value_stands_for_a_list_of_one(value, items):
    assert as_items(value) == items
