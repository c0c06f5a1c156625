"""The scan against what it stands for: the shingles of the reference and MinHash by its definition."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.folding import fold_tables
from transforms.lexical.scanning import NUM_BOTTOM, scan_texts
from transforms.lexical.shingles import WORD, jaccard, shingles
from transforms.lexical.signatures import FastEngine, sign_strings

ENGINE = FastEngine()
WORDS = st.text(alphabet="abAB09_ .-\n…ÄäßÉ中文かカ𠀀한Σσςİı𝔘ǅ\u0301\ud800", max_size=120)


def sign(*texts):
    return sign_strings(ENGINE, texts)


@given(st.lists(WORDS, max_size=4))
def test_shingle_counts_are_those_of_the_reference(texts):
    assert sign(*texts).num_shingles.tolist() == [len(shingles(text)) for text in texts]


@given(WORDS, WORDS)
def test_signatures_are_equal_where_the_shingles_are(left, right):
    signed = sign(left, right)

    assert np.array_equal(*signed.minhash) == (shingles(left) == shingles(right))
    assert np.array_equal(*np.split(signed.bottom, signed.bottom_bounds[1:2])) == (shingles(left) == shingles(right))


@given(WORDS, st.lists(WORDS, max_size=3))
def test_a_signature_depends_on_its_own_text_alone(text, others):
    alone, together = sign(text), sign(*others, text, *others)

    assert np.array_equal(together.minhash[len(others)], alone.minhash[0])
    first, end = together.bottom_bounds[len(others) : len(others) + 2]
    assert np.array_equal(together.bottom[first:end], alone.bottom)


def test_case_and_punctuation_change_nothing_and_words_of_any_length_do():
    base = "alpha beta gamma delta epsilon zeta"
    same = sign(base, "ALPHA, beta\tGamma (delta) 'epsilon' ZETA!").minhash
    assert np.array_equal(*same)
    for length in (1, 7, 8, 9, 15, 16, 17, 24, 33, 100):
        word = "x" * length
        left, right = sign(f"a b {word} c d", f"a b {word}x c d").minhash
        assert (left == right).sum() == 0


@pytest.mark.parametrize("character", ["中", "カ", "𠀀", "한", "é", "…", "\ud800", "_", "x", "."])
@pytest.mark.parametrize("length", [7, 8, 9, 63, 255, 256, 257, 600])
def test_words_are_the_same_wherever_a_character_stands(length, character):
    rng = random.Random(length)
    for _ in range(20):
        letters = rng.choices("aB0_ -\n", k=length)
        letters[rng.randrange(length)] = character
        text = "".join(letters)
        words = WORD.findall(text.lower())
        if len(words) < 5:
            continue
        signed = sign(text, " ".join(words))

        assert signed.num_shingles[0] == len(shingles(text))
        assert np.array_equal(*signed.minhash)


def test_a_growing_text_is_scanned_to_its_end():
    rng = random.Random(3)
    texts = [" ".join(str(rng.randrange(10**6)) for _ in range(count)) for count in (4, 5, 700, 60_000, 12)]

    assert sign(*texts).num_shingles.tolist() == [len(shingles(text)) for text in texts]


def test_a_bottom_sketch_holds_the_smallest_hashes_of_all_shingles():
    numbers = [str(number) for number in range(2000)]
    pieces = [" ".join(numbers[start : start + 104]) for start in range(0, 1900, 100)]
    whole = sign(" ".join(numbers[:1904]))
    parts = sign(*pieces)

    assert parts.num_shingles.tolist() == [100] * 19
    assert np.array_equal(whole.bottom, np.sort(parts.bottom)[:NUM_BOTTOM])


@pytest.mark.parametrize("count", [3, 20, 130, 700])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_the_estimate_is_unbiased_and_no_wider_than_min_hash(count, share):
    rng = random.Random(count)
    common = round(count * share)
    errors = []
    for _ in range(200):
        drawn = [f"w{rng.randrange(10**9)}" for _ in range(2 * count - common + 4)]
        left, right = " ".join(drawn[: count + 4]), " ".join(drawn[count - common :])
        truth = jaccard(shingles(left), shingles(right))
        first, second = sign(left, right).minhash
        errors.append(float((first == second).mean()) - truth)
    deviation = (truth * (1 - truth) / 128) ** 0.5

    # Four standard errors of a mean of 200; the spread of MinHash, with a quarter for the 200 draws.
    assert abs(np.mean(errors)) < 4 * deviation / 200**0.5 + 1e-9
    assert np.std(errors) < 1.25 * deviation + 1e-9


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_are_scanned_without_harm(raw):
    data = np.frombuffer(raw, dtype=np.uint8) if raw else np.zeros(0, dtype=np.uint8)
    bounds = np.array([0, len(raw)], dtype=np.int64)
    data.flags.writeable = bounds.flags.writeable = False
    slots, bottom = np.zeros((1, 128), dtype=np.uint32), np.zeros((1, 128), dtype=np.uint32)
    counts = np.zeros((1, 3), dtype=np.int32)

    scan_texts(data, bounds, *fold_tables(), slots, bottom, counts)

    assert counts[0, 0] <= len(raw)
