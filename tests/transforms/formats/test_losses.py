from transforms.formats.losses import untaken, untaken_of_each


def test_fields_that_say_something_and_are_not_taken_are_named():
    record = {"a": 1, "b": 0, "c": None, "d": "", "e": [], "f": {}, "g": False}
    assert untaken(record, {"a"}, prefix="x.") == {"x.b", "x.g"}


def test_names_of_a_list_are_joined():
    assert untaken_of_each([{"a": 1}, 3, {"b": 2}], {"a"}, prefix="[].") == {"[].b"}
