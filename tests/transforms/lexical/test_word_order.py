import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.signatures import FastEngine
from transforms.lexical.text_buffers import buffer_of_texts
from transforms.lexical.word_order import (
    MAX_WORDS,
    NUM_DRAWN,
    no_orders,
    order_scratch,
    similarity_by_order,
    with_texts,
    word_orders,
)

FEW_WORDS = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=20, max_size=90)


def orders_of(texts):
    buffer = buffer_of_texts(texts)
    return word_orders(buffer, FastEngine().sign(buffer).num_shingles)


def similarity(left, right):
    return similarity_by_order(orders_of([left, right]), 0, 1, order_scratch())


def lengths(texts):
    return np.diff(orders_of(texts).bounds).tolist()


def common_subsequence(left, right):
    row = [0] * (len(right) + 1)
    for one in left:
        corner = 0
        for place, other in enumerate(right, start=1):
            corner, row[place] = row[place], corner + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


@given(FEW_WORDS, FEW_WORDS)
def test_words_in_order_are_the_longest_common_subsequence(left, right):
    share = common_subsequence(left, right) / max(len(left), len(right))

    assert similarity(" ".join(left), " ".join(right)) == pytest.approx(share**5 / (2 - share**5))


@given(st.lists(st.integers(0, 400), min_size=20, max_size=256), st.data())
def test_a_text_is_equal_to_itself_and_as_similar_to_another_as_the_other_is_to_it(words, data):
    other = data.draw(st.permutations(words))
    left, right = (" ".join(map(str, each)) for each in (words, other))

    assert similarity(left, left) == 1.0
    assert similarity(left, right) == similarity(right, left)


def test_texts_with_too_few_or_too_many_words_are_not_compared():
    assert lengths(["word " * 19, "word " * 20, "word " * MAX_WORDS, "word " * (MAX_WORDS + 1), "", "x" * 9000]) == [
        *(0, 21, 0, 0, 0, 0)
    ]
    words = [f"w{number}" for number in range(MAX_WORDS + 1)]
    assert lengths([" ".join(words[:NUM_DRAWN]), " ".join(words)]) == [NUM_DRAWN + 1, 0]
    assert 100 < lengths([" ".join(words[:MAX_WORDS])])[0] <= NUM_DRAWN + 1
    assert similarity("few words", "few words") == 0.0


def test_words_are_those_of_shingles_whatever_their_script_and_case():
    words = [f"Straße{number} ÄRGER_{number} naïve–ÉTÉ 東京" for number in range(8)]

    assert similarity(" ".join(words), "… ".join(words).lower()) == 1.0
    assert similarity(" ".join([*words, "İstanbul ΣΟΦΟΣ"]), " ".join([*words, "İstanbul ΣΟΦΟΣ"]).lower()) == 1.0


@pytest.mark.parametrize("count", [60, 250, 262, 500])
def test_every_tenth_word_replaced_reads_as_the_similarity_that_noise_leaves(count):
    rng = random.Random(count)
    words = [f"w{rng.randrange(900)}" for _ in range(count)]
    noisy = [f"n{place}" if place % 10 == 5 else word for place, word in enumerate(words)]

    # Of a longer text only some words are drawn: .9 becomes .9 give or take three of its standard errors of .03.
    assert (0.81**5) / (2 - 0.81**5) < similarity(" ".join(words), " ".join(noisy)) < (0.97**5) / (2 - 0.97**5)


def test_texts_of_lengths_that_are_drawn_unequally_are_compared_by_what_both_draw():
    words = [f"w{number}" for number in range(270)]
    short, longer = " ".join(words[:NUM_DRAWN]), " ".join(words)

    # 256 of 270 words.
    assert (0.92**5) / (2 - 0.92**5) < similarity(short, longer) < (0.98**5) / (2 - 0.98**5)


def test_words_of_some_texts_are_replaced():
    texts = [" ".join(f"{name}{number}" for number in range(30)) for name in "abc"]
    whole = orders_of(texts)

    replaced = with_texts(orders_of(["", texts[1], ""]), np.array([0, 2]), orders_of([texts[0], texts[2]]))

    assert replaced.words.tolist() == whole.words.tolist()
    assert replaced.bounds.tolist() == whole.bounds.tolist()
    assert similarity_by_order(no_orders(2), 0, 1, order_scratch()) == 0.0
