import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.shingles import shingles
from transforms.lexical.signatures import (
    DatasketchEngine,
    FastEngine,
    estimated_similarity,
    make_engine,
    sign_strings,
)

ENGINES = [FastEngine(), DatasketchEngine()]
TEXTS = st.lists(st.text(alphabet="ab c", max_size=40), max_size=4)
BASE = " ".join(f"w{number}" for number in range(900))


def test_signatures_are_the_same_in_every_version():
    fast, reference = (sign_strings(engine, ["a b c d e f", "naïve ☃ café go on", "ls"]) for engine in ENGINES)

    assert fast.minhash.dtype == reference.minhash.dtype == np.uint32
    assert fast.minhash[:, 0].tolist() == [1919076608, 1083576972, 3249600226]
    assert fast.bottom.tolist() == [335435502, 1073604731, 2233219977, 2027544513]
    assert reference.minhash[:, 0].tolist() == [2778617559, 278615523, 291503657]
    assert reference.bottom.tolist() == [2052855682, 2379758901, 1667988502, 3638806096]


def test_schemes_name_the_engine():
    assert [engine.scheme for engine in ENGINES] == [
        "fast-1-128-128-w5-3",
        "datasketch-affine32-128-7-crc32-128-w5-3",
    ]


@given(TEXTS)
def test_engines_agree_on_counts_and_on_what_is_empty(texts):
    fast, reference = (sign_strings(engine, texts) for engine in ENGINES)

    assert fast.num_shingles.tolist() == reference.num_shingles.tolist() == [len(shingles(text)) for text in texts]
    assert fast.bottom_bounds.tolist() == reference.bottom_bounds.tolist()
    for signed in (fast, reference):
        assert signed.minhash.any(axis=1).tolist() == [bool(text.strip()) for text in texts]


@pytest.mark.parametrize("engine", ENGINES)
def test_short_texts_are_equal_only_when_they_are(engine):
    texts = ["git push", "git pull", " git\n push", "GIT push", "git push origin main now", ""]
    signed = sign_strings(engine, texts)

    same = [[estimated_similarity(left, signed.minhash[:5])[column] for column in range(5)] for left in signed.minhash]
    assert [[round(value, 1) for value in row] for row in same[:5]] == [
        [1.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_estimate_is_near_the_similarity(engine):
    words = BASE.split()
    first, second = sign_strings(engine, [" ".join(words[:804]), " ".join(words[100:])]).minhash

    # 700 shingles of 896 in common; four standard errors of 128 slots.
    assert abs(estimated_similarity(first, second[None])[0] - 700 / 896) < 0.147


def test_no_text_gives_no_signature():
    for engine in ENGINES:
        assert sign_strings(engine, []).minhash.shape == (0, 128)


def test_an_unknown_engine_is_refused():
    assert (type(make_engine("fast")), type(make_engine("datasketch"))) == (FastEngine, DatasketchEngine)
    with pytest.raises(ValueError, match=r"lexical.engine must be 'fast' or 'datasketch', got 'rust'"):
        make_engine("rust")
