from transforms.redaction.units import Page, apply_edits, decode, encode


def test_a_page_joins_units_and_covers_placeholders():
    page = Page([("a <JWT_1> b", None, False), ("v", "k", False), ("<STEP_1>", None, False)])
    assert page.text == b'a \x00\x00\x00\x00\x00\x00\x00 b\x00"k":"v"\x00<STEP_1>'


def test_a_place_is_told_in_its_unit_and_cut_to_the_value():
    page = Page([("abc", None, False), ("value", "k", False)])
    assert page.text == b'abc\x00"k":"value"'
    assert page.locate(1, 3) == (0, 1, 3)
    assert page.locate(9, 12) == (1, 0, 3)
    assert page.locate(4, 15) == (1, 0, 5)


def test_places_are_told_in_bytes():
    page = Page([("é", None, False), ("aü", "kß", True), ("z", None, False)])
    assert page.text == 'é\x00"kß":"aü"\x00z'.encode()
    assert page.locate(11, 13) == (1, 1, 3)
    assert page.locate(15, 16) == (2, 0, 1)


def test_edits_are_put_in():
    assert apply_edits(b"0123456789", [(1, 3, b"x"), (3, 4, b""), (8, 10, b"yz")]) == b"0x4567yz"


def test_lone_surrogates_are_kept():
    assert decode(encode("a\ud800é")) == "a\ud800é"
