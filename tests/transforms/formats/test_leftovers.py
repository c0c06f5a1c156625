from datetime import UTC, datetime

import pytest

from schemas.records import Message
from transforms.formats.leftovers import RESULTS_KEY, merge_extra, restore, result_leftover, self_leftover, split_extra


def test_plain_result_leaves_nothing_over_but_an_id_that_it_was_not_paired_by():
    result = Message("tool", "x", tool_name="f", tool_call_id="c")
    assert result_leftover(result, "f", "assistant", is_paired_by_id=True) == {}
    assert result_leftover(result, "f", "assistant") == {"tool_call_id": "c"}


def test_what_a_call_cannot_hold_is_put_back():
    result = Message(
        "tool", "x", "parts", parts_json="[]", timestamp=datetime(2026, 1, 1, tzinfo=UTC), requestor="user"
    )
    leftover = result_leftover(result, "f", "assistant")
    assert leftover["timestamp"] == "2026-01-01T00:00:00+00:00"
    assert restore(Message("tool", "x"), leftover) == result


def test_own_leftovers_are_ids_and_flags_without_a_column():
    assert self_leftover(Message("tool", "x", tool_call_id="c", is_error=True)) == {"tool_call_id": "c"}
    assert self_leftover(Message("user", "x", requestor="user", is_error=True)) == {
        "requestor": "user",
        "is_error": True,
    }


@pytest.mark.parametrize("extra", [None, '{"a":1}'])
def test_extra_comes_back_as_it_was(extra):
    merged = merge_extra(extra, {"self": {"requestor": "user"}})
    assert RESULTS_KEY in merged
    assert split_extra(merged) == (extra, {"self": {"requestor": "user"}})
    assert split_extra(merge_extra(extra, {})) == (extra, {})
