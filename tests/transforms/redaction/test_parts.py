from transforms.redaction.parts import part_around


def test_only_the_stretches_of_claims_are_looked_at_again():
    before = b"one two\x00three\x00four five"
    after = b"one \x00\x00\x00\x00three\x00\x00\x00\x00\x00 five"
    part = part_around([(14, 18, "B"), (4, 7, "A")], before=before, after=after)
    assert part.text == b"one \x00\x00\x00\x00\x00\x00\x00\x00 five"
    assert [part.place(0, 3), part.place(13, 17)] == [(0, 3), (19, 23)]
    assert after[19:23] == part.text[13:17] == b"five"


def test_two_claims_in_one_stretch_give_it_once():
    part = part_around([(0, 1, "A"), (2, 3, "A")], before=b"a b c", after=b"\x00 \x00 c")
    assert part.text == b"\x00 \x00 c"


def test_without_claims_nothing_is_looked_at():
    assert part_around([], before=b"text", after=b"text").text == b""
