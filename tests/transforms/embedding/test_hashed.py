import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.embedding.hashed import HashedEncoder, hashed_vector

TEXT = "open file main.py and run the tests\nerror: test_parse failed"
PINNED = [
    -0.3535533845424652,
    0.1178511306643486,
    -0.3535533845424652,
    -0.3535533845424652,
    0.1178511306643486,
    0.1178511306643486,
    -0.3535533845424652,
    -0.3535533845424652,
    0.1178511306643486,
    0.3535533845424652,
    0.1178511306643486,
    -0.3535533845424652,
    0.1178511306643486,
    0.1178511306643486,
    -0.1178511306643486,
    -0.1178511306643486,
]


def test_hashed_vector_has_unit_length():
    assert np.linalg.norm(hashed_vector(TEXT, 256).astype(np.float64)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("text", ["", "  \n", "... --- !!!"])
def test_hashed_vector_of_a_text_without_words_is_zero(text: str):
    assert not hashed_vector(text, 64).any()


def test_hashed_vector_ignores_case_and_punctuation():
    assert np.array_equal(hashed_vector("Git push, ORIGIN main!", 128), hashed_vector("git push origin main", 128))


def test_hashed_vector_tells_word_order_apart():
    first, second = HashedEncoder(256).encode(["copy a to b then remove c", "remove c then copy b to a"])
    assert 0.3 < float(first @ second) < 0.95


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("请把北京的天气写进报告，然后发送给经理。", "请把北京的天气写进报告，然后发送给总理。"),
        ("このファイルを開いてテストを実行してください", "このファイルを開いてテストを確認してください"),
    ],
)
def test_a_text_without_blanks_is_more_than_one_word(text: str, changed: str):
    first, second, other = HashedEncoder(1024).encode([text, changed, "数据库连接超时后重新尝试三次仍然失败"])
    assert 0.6 < float(first @ second) < 0.99
    assert abs(float(first @ other)) < 0.3


def test_signs_beyond_ascii_part_words():
    assert np.array_equal(hashed_vector("“run” the tests…", 128), hashed_vector('"run" the tests...', 128))


@pytest.mark.parametrize("text", ["ΟΔΟΣ ΣΟΦΙΑΣ", "İstanbul’a GİT", "Straße ÄÖÜ"])
def test_case_beyond_ascii_is_ignored(text: str):
    assert np.array_equal(hashed_vector(text, 128), hashed_vector(text.lower(), 128))


def test_hashed_vector_depends_on_the_seed():
    assert not np.array_equal(hashed_vector(TEXT, 64), hashed_vector(TEXT, 64, seed=1))


def test_hashed_vector_is_pinned():
    # A change here changes every kept vector: raise HASHED_VERSION with it.
    vector = hashed_vector("git push", 16)
    assert vector.tolist() == PINNED


def test_repeated_words_are_damped():
    once, often, other = HashedEncoder(1024).encode(["alpha beta", "alpha beta " * 50, "gamma delta"])
    assert float(once @ often) > 0.8
    assert abs(float(once @ other)) < 0.2


def test_long_texts_keep_whole_sums():
    text = " ".join(f"w{number}" for number in range(120_000))
    vector = hashed_vector(text, 32)
    assert np.linalg.norm(vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)


def test_identity_names_dimensions_and_seed():
    assert HashedEncoder(64).identity != HashedEncoder(128).identity
    assert HashedEncoder(64).identity != HashedEncoder(64, seed=1).identity


def test_same_task_texts_are_nearer_than_others():
    shared = "fix the parser in lexer.py so that numbers with a leading dot are read pytest tests/test_lexer.py "
    texts = [
        shared + "opened lexer.py and edited the regular expression",
        shared + "searched for number tokens and edited the regular expression",
        "book a flight from boston to denver for two passengers and pay with the gift card on file",
    ]
    first, second, other = HashedEncoder(256).encode(texts)
    assert float(first @ second) > 0.6 > 0.3 > float(first @ other)


@given(st.lists(st.text(max_size=40), max_size=6), st.randoms(use_true_random=False))
def test_a_vector_depends_on_its_text_alone(texts: list[str], random):
    encoder = HashedEncoder(32)
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = encoder.encode([texts[row] for row in order])
    alone = np.array([hashed_vector(text, 32) for text in texts]).reshape(-1, 32)
    assert np.array_equal(shuffled, alone[order])
