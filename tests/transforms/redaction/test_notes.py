import json

from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.fields import rewrite_rollout
from transforms.redaction.notes import note_rollout, put_back

NESTED = json.dumps({"name": "API_KEY", "value": "v", "list": ["run", "--token", {"k": [1.50, None, "é"]}], "": ""})
CALLS = (MessageCall("bash", NESTED, arguments_raw="{oops", call_id="1"), MessageCall("ls", None, "null"))
ROLLOUT = Rollout(
    Header(
        "test",
        task_id="id",
        task_text="t",
        tools_json='["x"]',
        extra_json="[" * 70 + '"deep"' + "]" * 70,
        reward_components={"passed": 1.0, "style": 0.5},
    ),
    (
        Message("system", "s", actor="a"),
        Message("assistant", "m", reasoning="r", calls=CALLS),
        Message(
            "tool", "a\nb", "parts", parts_json='["a", {"type": "text", "text": "b", "n": NaN}]', tool_call_id="1"
        ),
        Message("user", None, "null"),
    ),
    "n",
    "0",
    "line:1",
    lost_fields=("lost",),
    parse_warnings=("p", "q"),
)


def test_notes_are_the_texts_that_are_rewritten_in_that_order():
    seen = []

    def note(text: str, *, key: str | None = None, is_name: bool = False) -> str:
        seen.append((text, key, is_name))
        return text

    assert rewrite_rollout(ROLLOUT, note) == ROLLOUT
    notes = note_rollout(ROLLOUT)
    assert notes.units == seen
    assert [notes.units[start][0] for start in notes.starts[:-1]] == ["n", "a", "m", "1", "p", "p"]
    assert notes.starts[-1] == len(seen)


def test_each_text_is_put_back_where_it_stood():
    units = note_rollout(ROLLOUT).units
    changed = {place: f"{text}<{place}>" for place, (text, _, _) in enumerate(units)}
    for places in ([place] for place in changed):
        some = {place: changed[place] for place in places}
        rewritten = note_rollout(put_back(ROLLOUT, note_rollout(ROLLOUT), some)).units
        assert [text for text, _, _ in rewritten] == [some.get(place, unit[0]) for place, unit in enumerate(units)]
    whole = note_rollout(put_back(ROLLOUT, note_rollout(ROLLOUT), changed)).units
    assert [text for text, _, _ in whole] == list(changed.values())


def test_messages_without_a_change_stay_the_same_objects():
    notes = note_rollout(ROLLOUT)
    rewritten = put_back(ROLLOUT, notes, {notes.starts[2]: "assistant said"})
    assert [new is old for new, old in zip(rewritten.messages, ROLLOUT.messages, strict=True)] == [
        True, False, True, True,
    ]  # fmt: skip
    assert rewritten.header is ROLLOUT.header
    assert rewritten.parse_warnings is ROLLOUT.parse_warnings
