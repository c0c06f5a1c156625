"""The walk that names what no column tells, on small records."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from schemas.records import Header, Message, MessageCall, Rollout
from tests.faults.samples import chat_row
from transforms.formats.accounting import MAX_NAMES, name_untold, names_in
from transforms.formats.known_names import CONVERTED, KNOWN_NAMES, TAGS

SAID = Message("assistant", "Look here.", calls=(MessageCall("bash", '{"command":"ls"}', call_id="c1"),))
ROLLOUT = Rollout(
    Header("any", task_id="airline/7", cost_usd=0.5, started_at=datetime(2026, 1, 5, 10, tzinfo=UTC)),
    (Message("user", "Repair it.\nNow."), SAID),
    "n1",
    "ab",
    "line:1",
)


def lost(native, **changes):
    (rollout,) = name_untold((native,), (replace(ROLLOUT, **changes),))
    return rollout.lost_fields


@pytest.mark.parametrize(
    "native",
    [
        {"content": "Look here."},
        {"content": " Repair it. "},
        {"content": "Look here.\n```bash\nls\n```"},
        {"content": '{"command": "ls"}'},
        {"task_id": 7, "cost": 0.5},
        {"timestamp": "2026-01-05T11:00:00+01:00"},
        {"type": "function", "role": "assistant"},
        {"whatever": None, "other": "", "more": [], "last": {}},
        {"attributes": [{"key": "call_id", "value": {"stringValue": "c1"}}]},
        {"lines": [{"uuid": "5e0d-11", "parentUuid": None}, {"uuid": "u2", "parentUuid": "5e0d-11"}]},
        {"history": [{"id": 4, "action": "run", "cause": 3}], "schema_version": "ATIF-v1.6"},
        {"events": [{"action": {"kind": "TerminalAction"}, "llm_response_id": "chatcmpl-7"}]},
    ],
)
def test_what_a_column_tells_is_not_lost(native):
    assert lost(native) == ()


@pytest.mark.parametrize(
    ("native", "names"),
    [
        ({"content": "Look there."}, ("content",)),
        ({"messages": [{"content": ["Look here.", "again"]}, {"content": "Now."}]}, ("messages[].content[]",)),
        ({"hologram": "Look here."}, ("hologram",)),
        ({"content": '{"command": "pwd"}'}, ("content.command",)),
        ({"id": ["n1", "n2"]}, ("id[]",)),
        ({"cost": 0.7}, ("cost",)),
        ({"type": "hologram"}, ("type",)),
        ({"lines": [{"uuid": "see below 1", "parentUuid": "nobody"}]}, ("lines[].parentUuid", "lines[].uuid")),
        ({"events": [{"action": {"kind": "as said"}}]}, ("events[].action.kind",)),
        ({"schema_version": "2.0"}, ("schema_version",)),
        ({"user": {"id": "4711"}}, ("user.id",)),
        (
            {"attributes": [{"key": "gen_ai.mood", "value": {"stringValue": "good"}}]},
            ("attributes[gen_ai.mood].key", "attributes[gen_ai.mood].value"),
        ),
    ],
)  # fmt: skip
def test_what_no_column_tells_is_named_by_its_path(native, names):
    assert lost(native) == names


def test_parts_of_a_reward_are_told_by_name_in_any_case():
    header = replace(ROLLOUT.header, reward_components={"env_assertion": 1.0})
    told = {"reward_breakdown": {"ENV_ASSERTION": 1.0}, "reward_basis": ["ENV_ASSERTION"]}
    assert lost(told, header=header) == ()
    assert lost({"reward_basis": ["DB"]}, header=header) == ("reward_basis[]",)


def test_short_texts_must_stand_as_words():
    assert lost({"content": "Rep"}) == ("content",)
    assert lost({"content": "it"}) == ()


def test_names_that_a_format_gave_stand_for_what_is_below():
    native = {"info": {"content": "gone"}, "events": [{"kind": "PauseEvent", "id": "e1"}], "usage": {"cost": 3.5}}
    named = ("info", "events[PauseEvent]", "usage.cost")
    assert lost(native, lost_fields=named) == named


def test_large_maps_of_unknown_names_are_named_once():
    assert lost({"content": {f"k{number}": 1 for number in range(MAX_NAMES + 1)}}) == ("content.*",)


def test_deep_texts_of_json_do_not_end_the_run():
    assert lost({"content": "[" * 900 + "5" + "]" * 900}) == (f"content{'[]' * 900}",)


@pytest.mark.parametrize("before", ["", "Look here. "])
@pytest.mark.parametrize("filling", ["", "x" * 1000])
def test_texts_that_say_a_key_twice_are_told_though_the_last_is_kept(before, filling):
    once = f'{{"content": "Look here.", "text": "{filling}"}}'
    twice = once.replace("{", '{"content": "gone", ')
    kept = (SAID, Message("user", filling))
    assert lost({"content": before + once}, messages=kept) == ()
    assert lost({"content": before + twice}, messages=kept) == ("content",)


def test_parts_of_a_record_are_told_together():
    parts = name_untold(({"content": "Look here.", "notes": "x y z"},), (ROLLOUT, replace(ROLLOUT, messages=())))
    assert [part.lost_fields for part in parts] == [("notes",), ("notes",)]


def test_where_nothing_is_read_all_is_named():
    assert names_in({"resource": {"attributes": []}, "mood": "good"}) == {"mood"}


def test_known_names_hold_those_of_rows_and_of_the_other_lists():
    assert chat_row(1).keys() - {"model"} <= KNOWN_NAMES
    assert {"step_id", "turns_max", "turns_taken"} >= CONVERTED - KNOWN_NAMES
    assert not {"test", "url", "path"} & TAGS
