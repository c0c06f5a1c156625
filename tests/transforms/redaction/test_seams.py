import pytest

from transforms.redaction.seams import seam


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a key abc_1", "23x is it", (" abc_1", "23x ")),
        ("ends here: ", "abc", None),
        ("abc\n", "abc", None),
        ("abc", " abc", None),
        (None, "abc", None),
        ("abc", "", None),
        ("é", "abc", None),
        ("a" * 1500, "b" * 1500, ("a" * 1024, "b" * 1024)),
        ("its 00D5!A", "Q^x#7 end", (" 00D5!A", "Q^x#7 ")),
        ("one,", "two", None),
    ],
)
def test_the_halves_of_a_token_are_what_touches_the_border_with_one_character_around(before, after, expected):
    assert seam(before, after) == expected
