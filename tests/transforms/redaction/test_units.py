from transforms.redaction.units import Page, Unit, apply_edits, decode, encode, unit_of


def test_a_page_joins_units_and_covers_placeholders():
    page = Page([unit_of("a <JWT_1> b"), unit_of("v", key="k"), unit_of("<STEP_1>")])
    assert page.text == b'a \x00\x00\x00\x00\x00\x00\x00 b\x00"k":"v"\x00<STEP_1>'


def test_a_place_is_told_in_its_unit_and_cut_to_the_value():
    page = Page([unit_of("abc"), unit_of("value", key="k")])
    assert page.text == b'abc\x00"k":"value"'
    assert page.locate(1, 3) == (0, 1, 3)
    assert page.locate(9, 12) == (1, 0, 3)
    assert page.locate(4, 15) == (1, 0, 5)


def test_edits_are_put_in():
    assert apply_edits(b"0123456789", [(1, 3, b"x"), (3, 4, b""), (8, 10, b"yz")]) == b"0x4567yz"


def test_lone_surrogates_are_kept():
    assert decode(encode("a\ud800é")) == "a\ud800é"


def test_names_are_told_apart():
    assert unit_of("x", is_name=True) == Unit(b"x", is_name=True)
