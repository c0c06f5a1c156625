from collections import Counter
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import Message, MessageCall
from transforms.formats.arguments import message_call
from transforms.formats.leftovers import RESULTS_KEY
from transforms.formats.steps import has_unknown_result_id, messages_of, paired_steps, steps_of


def call(name="bash", call_id=None, **arguments):
    return message_call(name, arguments, call_id=call_id)


def test_results_are_paired_by_id_whatever_their_order():
    (step,) = steps_of(
        [
            Message("assistant", None, "null", calls=(call("ls", "a", path="."), call("bash", "b", command="pwd "))),
            Message("tool", "/w", tool_call_id="b", is_error=False),
            Message("tool", "x y", tool_call_id="a", is_error=True, exit_code=2),
        ]
    )
    assert [(c.call_id, c.tool_kind, c.result_text, c.result_state, c.paired_by) for c in step.calls] == [
        ("a", "read", "x y", "ok", "id"),
        ("b", "shell", "/w", "ok", "id"),
    ]
    assert (step.source, step.message, step.message_state) == ("agent", None, "null")
    assert (step.obs_text, step.is_error, step.exit_code) == ("x y\n/w", True, 2)


def test_results_without_ids_are_paired_by_position_then_by_name():
    (step,) = steps_of(
        [
            Message("assistant", "", calls=(call("a"), call("b"), call("c"))),
            Message("tool", "1", tool_name="c"),
            Message("tool", "2"),
            Message("tool", "3", tool_name="b"),
        ]
    )
    assert [(c.tool_name, c.result_text, c.paired_by) for c in step.calls] == [
        ("a", "2", "position"),
        ("b", "3", "position"),
        ("c", "1", "name"),
    ]


def test_repeated_ids_become_unique_and_pair_with_the_step_they_follow():
    steps = steps_of(
        [
            Message("assistant", "x", calls=(call(call_id="c0", command="1"),)),
            Message("tool", "one", tool_call_id="c0"),
            Message("assistant", "y", calls=(call(call_id="c0", command="2"),)),
            Message("tool", "two", tool_call_id="c0"),
        ]
    )
    assert [(s.calls[0].call_id, s.calls[0].call_id_raw, s.calls[0].id_generated, s.obs_text) for s in steps] == [
        ("c0", "c0", False, "one"),
        ("call_2_0", "c0", True, "two"),
    ]
    assert [s.command for s in steps] == ["1", "2"]


def test_late_result_finds_its_call_and_a_foreign_one_is_a_step_of_its_own():
    steps = steps_of(
        [
            Message("assistant", None, "null", calls=(call(call_id="c0"),)),
            Message("user", "well?"),
            Message("tool", "late", tool_call_id="c0"),
            Message("tool", "foreign", tool_call_id="zz"),
        ]
    )
    assert [(s.source, s.message, s.obs_text) for s in steps] == [
        ("agent", None, "late"),
        ("user", "well?", None),
        ("environment", "foreign", None),
    ]


def test_call_without_result_is_missing_and_null_result_is_null():
    steps = steps_of(
        [
            Message("assistant", "", calls=(call(call_id="a"), call(call_id="b"))),
            Message("tool", None, "null", tool_call_id="b"),
        ]
    )
    assert [c.result_state for c in steps[0].calls] == ["missing", "null"]
    assert steps[0].obs_text is None


def test_text_observation_after_an_action_belongs_to_its_step():
    (step,) = steps_of([Message("assistant", "```ls```"), Message("tool", "a b", role_raw="user", is_error=False)])
    assert (step.calls, step.obs_text, step.is_error) == ((), "a b", False)


def test_equal_arguments_hash_equally_however_written():
    calls = (message_call("f", {"b": 1, "a": 2}), message_call("f", '{"a": 2, "b": 1}'), message_call("f", "junk {"))
    (step,) = steps_of([Message("assistant", "", calls=calls)])
    assert step.calls[0].args_hash == step.calls[1].args_hash != step.calls[2].args_hash


ids = st.none() | st.sampled_from(["c0", "c1", "call_1_0", "call_2_0"])
names = st.sampled_from(["bash", "edit", "submit"])
texts = st.sampled_from(["", "a", "b\nc", "{}"])
calls = st.builds(
    lambda name, arguments, call_id, requestor: message_call(name, arguments, call_id=call_id, requestor=requestor),
    names,
    st.sampled_from([{}, {"command": "ls"}, '{"b": 1, "a": 2}', "junk", None, '"{}"']),
    ids,
    st.sampled_from(["assistant", "user"]),
)
contents = st.one_of(
    st.tuples(texts, st.sampled_from(["text", "parts"])), st.sampled_from([(None, "null"), (None, "missing")])
)


@st.composite
def messages(draw):
    role = draw(st.sampled_from(["system", "user", "assistant", "assistant", "tool", "tool", "tool"]))
    content, state = draw(contents)
    optional = {
        "role_raw": st.sampled_from(["developer", "function"]),
        "parts_json": st.just("[1]"),
        "reasoning": texts,
        "timestamp": st.just(datetime(2026, 1, 1, tzinfo=UTC)),
        "step_reward": st.just(0.5),
        "extra_json": st.just('{"a":1}'),
        "requestor": st.just("user"),
        "actor": st.just("main"),
        "is_demo": st.just(True),
        "prompt_tokens": st.just(7),
    }
    if role in {"tool", "assistant"}:
        optional |= {"is_error": st.booleans(), "exit_code": st.integers(0, 2)}
    if role == "tool":
        optional |= {"tool_call_id": ids.filter(bool), "tool_name": names}
    chosen = draw(st.sets(st.sampled_from(sorted(optional)), max_size=3))
    own_calls = tuple(draw(st.lists(calls, max_size=3))) if role in {"assistant", "user"} else ()
    return Message(role, content, state, calls=own_calls, **{name: draw(optional[name]) for name in sorted(chosen)})


@settings(max_examples=500)
@given(source=st.lists(messages(), max_size=10).map(tuple))
def test_looking_ahead_changes_no_step(source):
    assert paired_steps(source, is_looking_ahead=True) == paired_steps(source, is_looking_ahead=False)


@settings(max_examples=300)
@given(source=st.lists(messages(), max_size=10))
def test_messages_rebuilt_are_the_source_in_canonical_form(source):
    rebuilt = messages_of(steps_of(source))
    assert messages_of(steps_of(rebuilt)) == rebuilt
    assert len(rebuilt) == len(source)
    said = [
        Counter((m.role, m.content, m.content_state, m.extra_json, m.parts_json) for m in part)
        for part in (source, rebuilt)
    ]
    assert said[0] == said[1]
    called = [
        [(c.name, c.arguments_json, c.arguments_raw) for m in part for c in m.calls] for part in (source, rebuilt)
    ]
    assert called[0] == called[1]
    identifiers = [c.call_id for m in rebuilt for c in m.calls]
    assert len(set(identifiers)) == len(identifiers)


@st.composite
def conversations(draw):
    """Conversations that already are in canonical form: unique ids, results behind their calls and named by them."""
    result = []
    for number in range(draw(st.integers(0, 5))):
        own_calls = tuple(
            MessageCall(draw(names), '{"command":"ls"}', call_id=f"id{number}-{index}")
            for index in range(draw(st.integers(0, 3)))
        )
        content, state = draw(contents)
        result.append(
            Message("assistant", content, state, calls=own_calls, extra_json=draw(st.none() | st.just('{"a":1}')))
        )
        for own in own_calls:
            if draw(st.booleans()):
                content, state = draw(contents)
                raw = draw(st.none() | st.just("function"))
                result.append(
                    Message("tool", content, state, tool_call_id=own.call_id, tool_name=own.name, role_raw=raw)
                )
        if draw(st.booleans()):
            result.append(Message("user", draw(texts)))
    return result


@settings(max_examples=200)
@given(source=conversations())
def test_canonical_conversations_come_back_unchanged(source):
    assert messages_of(steps_of(source)) == tuple(source)


def test_what_a_result_says_beside_its_text_is_kept_under_the_reserved_key():
    (step,) = steps_of(
        [
            Message("assistant", "", calls=(call(call_id="a"),), extra_json='{"x":1}'),
            Message("tool", "t", "parts", tool_call_id="a", tool_name="bash", parts_json="[]"),
        ]
    )
    leftovers = '{"0":{"content_state":"parts","parts_json":"[]"}}'
    assert step.extra_json == f'{{"{RESULTS_KEY}":{leftovers},"x":1}}'


def test_id_of_a_result_that_names_no_call_is_kept_where_it_answers_one_by_its_place():
    known = Message("tool", "ok", tool_call_id="a")
    source = (
        Message("assistant", "x", calls=(call(call_id="a"), call(call_id="b"))),
        known,
        Message("tool", "late", tool_call_id="other"),
    )
    steps = steps_of(source)
    assert has_unknown_result_id(steps)
    assert not has_unknown_result_id(steps_of(source[:2]))
    assert [(item.content, item.tool_call_id) for item in messages_of(steps)[1:]] == [("ok", "a"), ("late", "other")]


def test_a_second_result_of_one_call_does_not_take_another_ones_place():
    source = (
        Message("assistant", "x", calls=(call(call_id="b"), call(call_id="a"))),
        Message("tool", "first", tool_call_id="a"),
        Message("tool", "second", tool_call_id="a"),
    )
    rebuilt = messages_of(steps_of(source))
    assert [(item.content, item.tool_call_id) for item in rebuilt[1:]] == [("second", "b"), ("first", "a")]
    assert messages_of(steps_of(rebuilt)) == rebuilt
