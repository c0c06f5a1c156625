from tests.transforms.formats.otlp_exports import attributes, export, span
from transforms.formats.otlp_spans import attributes_of, conversations_of, spans_of


def test_typed_values_come_back():
    values = {"a": 1, "b": 0.5, "c": True, "d": "x", "e": [1, "y", {"f": []}], "g": {"h": 2}}
    assert attributes_of(attributes(values)) == values


def test_what_is_no_attribute_is_left_out():
    assert attributes_of([7, {"key": 1}, {"key": "a"}, {"key": "b", "value": {"stringValue": "x"}}]) == {
        "a": None,
        "b": "x",
    }


def grouped(*spans):
    return {name: [one.span_id for one in group] for name, group in conversations_of(spans_of(export(*spans))).items()}


def test_span_belongs_to_the_conversation_its_nearest_ancestor_names():
    one = span(1, {"gen_ai.conversation.id": "a"})
    two = span(2, {"gen_ai.conversation.id": "b"}, parent="s1")
    assert grouped(one, two, span(3, {}, parent="s2"), span(4, {}, parent="s1")) == {
        "a": ["s1", "s4"],
        "b": ["s2", "s3"],
    }


def test_span_without_a_named_ancestor_belongs_to_the_only_conversation_of_its_trace_else_to_the_trace():
    one = span(1, {"gen_ai.conversation.id": "a"})
    two = span(2, {"gen_ai.conversation.id": "b"})
    assert grouped(one, span(3, {})) == {"a": ["s1", "s3"]}
    assert grouped(one, two, span(3, {})) == {"a": ["s1"], "b": ["s2"], "t1": ["s3"]}


def test_parents_that_go_in_a_circle_name_nothing():
    assert grouped(span(1, {}, parent="s2"), span(2, {}, parent="s1")) == {"t1": ["s1", "s2"]}
