from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.shingles import jaccard, shingles


def test_shingles_are_the_word_5_grams_in_lower_case():
    assert shingles("The cat, on a mat: sat!") == {"the cat on a mat", "cat on a mat sat"}


def test_short_texts_are_one_shingle_each_and_share_nothing():
    texts = ["git push", "rm -rf build", "ls", "LS", "ls!", "pytest -q", "make test"]

    assert [shingles(text) for text in texts] == [{text} for text in texts]
    assert shingles(" git\n push ") == {"git push"}
    assert shingles(" \n") == set()


def test_characters_that_are_written_without_blanks_are_words_each():
    assert shingles("把x2y文件カ删") == {"把 x2y 文 件 カ", "x2y 文 件 カ 删"}
    assert shingles("한국어 a b c d") == {"한국어 a b c d"}
    copy = "".join(chr(0x4E00 + number * 7) for number in range(200))
    assert jaccard(shingles(copy), shingles(copy.replace(copy[100], "一"))) > 0.9


def test_jaccard_of_two_empty_sets_is_nothing():
    assert jaccard(set(), set()) == 0.0
    assert jaccard({"a", "b"}, {"b", "c"}) == 1 / 3


@given(st.text())
def test_a_text_has_a_shingle_unless_it_is_blank(text):
    assert bool(shingles(text)) == bool(text.strip())
    assert shingles(text) == shingles(f"\n{text}\t")
