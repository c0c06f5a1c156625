from transforms.redaction.placeholders import Placeholders, placeholders_in


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
    found = placeholders_in(b"<JWT_1> <AWS_KEY_12> <STEP_1> <JWT_> JWT_1 <NPM_ACCESS_TOKEN_2>")
    assert [match.group(1, 2) for match in found] == [(b"JWT", b"1"), (b"AWS_KEY", b"12"), (b"NPM_ACCESS_TOKEN", b"2")]
