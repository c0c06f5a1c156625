from transforms.redaction.placeholders import Placeholders, placeholder_pattern


def test_the_same_value_keeps_its_name_and_is_counted_each_time():
    placeholders = Placeholders()
    names = [placeholders.name(value, kind) for value, kind in [(b"a", "JWT"), (b"b", "JWT"), (b"a", "SECRET")]]
    assert names == [b"<JWT_1>", b"<JWT_2>", b"<JWT_1>"]
    assert dict(placeholders.counts) == {"JWT": 3}


def test_reserved_numbers_are_not_given_again():
    placeholders = Placeholders()
    placeholders.reserve(b"<JWT_4> <JWT_2> <STEP_9>")
    assert placeholders.name(b"a", "JWT") == b"<JWT_5>"


def test_only_kinds_of_the_catalogue_are_placeholders():
    assert placeholder_pattern().findall(b"<JWT_1> <AWS_KEY_12> <STEP_1> <JWT_> JWT_1") == [
        (b"JWT", b"1"),
        (b"AWS_KEY", b"12"),
    ]
