import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from transforms.formats.openhands_contexts import contexts_of
from transforms.reading.failures import RecordError


def speaks(event):
    return event.get("kind") in {"said", "trajsift:summary"}


def contexts(events):
    found = contexts_of(events, speaks)
    return [(name, [(e.get("id"), copied) for e, copied in seen]) for name, seen in found.contexts], found.warnings


def said(number, parent=None):
    return {"kind": "said", "id": number, "parent_id": parent}


def forget(*ids):
    return {"kind": "Condensation", "id": f"c{ids}", "forgotten_event_ids": list(ids)}


def test_log_without_branches_is_one_context():
    assert contexts([said(1), said(2)]) == ([("", [(1, False), (2, False)])], ())
    assert contexts([]) == ([("", [])], ())


def test_every_condensation_closes_a_context():
    assert contexts([said(1), said(2), forget(2), said(3), forget(3), said(4)])[0] == [
        ("", [(1, True), (4, False)]),
        ("/context:0", [(1, False), (2, False)]),
        ("/context:1", [(1, True), (3, False)]),
    ]


def test_condensation_without_a_later_word_adds_nothing():
    assert contexts([said(1), said(2), forget(2)])[0] == [("", [(1, False), (2, False)])]


def test_events_that_do_not_speak_make_no_branch():
    quiet = {"kind": "state", "id": 3, "parent_id": 1}
    assert contexts([said(1), quiet, said(2, parent=1)])[0] == [("", [(1, False), (2, False)])]


def test_tree_that_grows_by_its_square_is_refused():
    events = [said(0)]
    events += [said(number, parent=number - 1) for number in range(1, 1500)]
    events += [said(5000 + number, parent=1499) for number in range(1500)]
    with pytest.raises(RecordError) as caught:
        contexts(events)
    assert caught.value.reason is QuarantineReason.TOO_LARGE


logs = st.lists(
    st.one_of(
        st.builds(said, st.integers(0, 12), st.none() | st.integers(0, 12)),
        st.builds(lambda ids: forget(*ids), st.lists(st.integers(0, 12), max_size=3)),
        st.just({"kind": "state"}),
    ),
    max_size=14,
)


@given(events=logs)
def test_every_word_is_new_exactly_once(events):
    found = contexts_of(events, speaks)
    new = [id(e) for _, seen in found.contexts for e, copied in seen if not copied and e.get("kind") == "said"]
    assert sorted(new) == sorted(id(e) for e in events if e.get("kind") == "said")
    assert len({context.name for context in found.contexts}) == len(found.contexts)
