from transforms.redaction.columns import value_below


def _below(text: str, name: str) -> str | None:
    raw, start = text.encode(), text.index(name)
    place = value_below(raw, start, end=start + len(name), accept=lambda value: value.startswith(b"v"))
    return raw[slice(*place)].decode() if place else None


def test_the_cell_under_a_name_is_its_value():
    assert _below("id,key,host\n7,value,b\n", "key") == "value"
    assert _below("| id | key |\n+----+-----+\n| 7 | value |\n", "key") == "value"
    assert _below("id\tkey\n7\tvalue", "key") == "value"


def test_a_head_without_its_last_edge_still_heads_its_column():
    assert _below("+-----+\n| key\n+-----+\n| value |\n", "key") == "value"


def test_a_cell_that_is_not_accepted_is_no_value():
    assert _below("id,key\n7,other\n", "key") is None


def test_a_name_within_words_heads_no_column():
    assert _below("see, the key of it, now\na,value,b\n", "key") is None


def test_rows_of_other_lengths_are_not_of_the_table():
    assert _below("id,key\nvalue\n", "key") is None


def test_blanks_align_a_value_under_its_name():
    assert _below("NAME   key         AGE\ndb-1   v7Harbor!x  4d\n", "key") == "v7Harbor!x"
    assert _below("key         AGE\n---------   ---\nv7Harbor!x  4d\n", "key") == "v7Harbor!x"


def test_a_line_under_an_underlined_name_is_its_value():
    assert _below(" app key \n---------\n v7Harbor!x\n", "key") == "v7Harbor!x"
    assert _below("app key\n-------\nv7Harbor!x is it\n", "key") is None
    assert _below("app key\n-------\nvalues\n", "key") is None


def test_words_and_what_is_not_aligned_are_no_values_of_a_column():
    assert _below("NAME   key         AGE\ndb-1   values-two  4d\n", "key") is None
    assert _below("NAME   key         AGE\ndb-10    v7Harbor!x  4d\n", "key") is None
    assert _below("=== RUN   key\n--- PASS: v7Harbor!x (0s)\n", "key") is None


def test_an_inserted_value_stands_at_the_place_of_its_name():
    assert _below("INSERT INTO t (id, key, c) VALUES (7, 'value', 9)", "key") == "value"
    assert _below("INSERT INTO t (id, key) VALUES (7)", "key") is None
