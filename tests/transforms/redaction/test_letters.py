import random
import re
import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.redaction.letters import (
    _SCORES,
    NO_RANDOM_PIECE,
    NOT_RANDOM,
    RANDOM,
    RANDOM_PIECE,
    RANDOM_TOKEN,
    is_case_noise,
    is_gibberish,
    is_joined_words,
    mixture,
    names_example,
    reads_as_words,
    switches_classes,
    true_randomness,
)

_PIECES = st.one_of(
    st.text(string.ascii_letters + string.digits, max_size=40),
    st.text("aB1", max_size=30),
    st.text("0123456789abcdef", max_size=32),
    st.text(string.ascii_lowercase, max_size=24),
    st.text(string.printable + "\xe9", max_size=8),
    st.sampled_from(
        [
            "token",
            "Config",
            "secret_key",
            "-",
            "_",
            ".",
            "/",
            "Wav2Vec2",
            "eXample",
            "PLACEholder",
            "redacted",
            "qxzjvkwq",
        ]
    ),
)
VALUES = st.one_of(
    st.lists(_PIECES, max_size=5).map("".join),
    st.tuples(_PIECES, st.integers(1, 6), st.sampled_from(["", "a", "ab"])).map(
        lambda all_: all_[0] * all_[1] + all_[2]
    ),
).map(lambda value: value.encode("latin-1"))


@pytest.mark.parametrize(
    "value", [b"ApplicationConfigurationManager", b"Wav2Vec2BaseModelOutput", b"question_answering_pipeline"]
)
def test_names_in_code_read_as_words(value):
    assert reads_as_words(value)
    assert not is_gibberish(value)


def test_random_letters_read_as_no_words():
    rng = random.Random(1)
    values = ["".join(rng.choices(string.ascii_letters + string.digits, k=32)).encode() for _ in range(1000)]
    assert sum(map(is_gibberish, values)) >= 970
    assert sum(map(reads_as_words, values)) <= 10


def test_joints_make_no_gibberish():
    assert not is_gibberish(b"mysql_pymysql_conn")


@given(VALUES)
def test_letters_are_told_apart_as_patterns_tell_them(value):
    assert is_gibberish(value) == _plain_is_gibberish(value)
    assert reads_as_words(value) == _plain_reads_as_words(value)
    assert names_example(value) == _plain_names_example(value)
    assert is_case_noise(value) == _plain_is_case_noise(value)
    assert switches_classes(value) == _plain_switches_classes(value)
    is_name = re.fullmatch(rb"[A-Za-z_][A-Za-z0-9_.:]*", value) is not None
    assert is_joined_words(value) == (
        is_name and len(value) >= 3.4 * _plain_num_runs(value) and not _plain_is_gibberish(value)
    )


@given(VALUES)
def test_letters_and_digits_are_mixed_as_in_a_key(value):
    num_digits = sum(chr(byte).isdigit() for byte in value if byte < 128)
    has_letter = re.search(rb"[A-Za-z]", value) is not None
    is_enough = num_digits >= (2 if value.islower() or value.isupper() else 1)
    is_mixed = is_enough or _plain_is_case_noise(value) or _plain_is_gibberish(value)
    is_random = has_letter and is_mixed and not _plain_is_repeated(value) and not _plain_names_example(value)
    is_token = num_digits > 0 and value.isalnum()
    assert mixture(value) == (NOT_RANDOM if not is_random else RANDOM_TOKEN if is_token else RANDOM)


@given(VALUES)
def test_letters_and_digits_switch_as_random_ones_do(value):
    assert true_randomness(value) == _plain_true_randomness(value)


def _plain_true_randomness(value: bytes) -> int:
    if len(value) < 16 or _plain_is_repeated(value):
        return NOT_RANDOM
    if value.isalnum():
        is_hexadecimal = re.fullmatch(rb"[0-9a-f]+|[0-9A-F]+", value) is not None
        is_switching = _plain_switches_classes(value) and (is_hexadecimal or not _plain_reads_as_words(value))
        is_long = len(value) >= 24 and len(re.findall(rb"[0-9]", value)) >= 2 and _plain_is_gibberish(value)
        return RANDOM if is_switching or is_long else NOT_RANDOM
    if any(_plain_switches_classes(piece) for piece in re.findall(rb"[A-Za-z0-9]{12,}", value)):
        return NOT_RANDOM if _plain_names_example(value) or _plain_reads_as_words(value) else RANDOM_PIECE
    squeezed = re.sub(rb"[_.~-]", b"", value)
    return RANDOM if _plain_switches_classes(squeezed) and _plain_is_gibberish(squeezed) else NO_RANDOM_PIECE


def _plain_names_example(value: bytes) -> bool:
    return re.search(rb"(?i)example|placeholder|redacted", value) is not None


def _plain_scored(value: bytes) -> tuple[int, int]:
    runs = re.findall(rb"[a-z]{3,}", value.lower())
    scores = [int(_SCORES[one - 97, other - 97]) for run in runs for one, other in pairwise(run)]
    return len(scores), sum(scores)


def _plain_is_gibberish(value: bytes) -> bool:
    odd = rb"[a-z][A-Z][a-z][A-Z]|[a-z][A-Z](?:[a-z]?\Z)|\A[a-z][A-Z][a-z]"
    grace = 1.2 if len(value) <= 12 and re.search(odd, value) else 0
    num_pairs, total = _plain_scored(value)
    means = [mean for fewest, mean in ((14, 4.6), (10, 4.3), (6, 3.9)) if num_pairs >= fewest]
    return value.isalnum() and bool(means) and total < (means[0] + grace) * num_pairs


def _plain_reads_as_words(value: bytes) -> bool:
    num_pairs, total = _plain_scored(value)
    return num_pairs >= 8 and total > (5.1 if num_pairs >= 14 else 5.5) * num_pairs


def _plain_num_runs(value: bytes) -> int:
    kept = re.sub(rb"[^A-Za-z0-9]", b"", value)
    return 1 + len(re.findall(rb"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z]|[A-Z][A-Z][a-z])", kept))


def _plain_is_case_noise(value: bytes) -> bool:
    if len(value) < 10 or not value.isalpha() or len(value) > 2.9 * _plain_num_runs(value):
        return False
    return len(re.findall(rb"(?=[a-z][A-Z]|[A-Z][a-z])", value)) >= 0.25 * len(value)


def _plain_switches_classes(value: bytes) -> bool:
    num_digits = len(re.findall(rb"[0-9]", value))
    has_one_case = value.islower() or value.isupper()
    if num_digits == len(value) or num_digits < (2 if has_one_case else 1):
        return num_digits == 0 and _plain_is_case_noise(value)
    longest = 4.6 if has_one_case and len(value) >= 24 else 3.4
    return len(value) <= longest * _plain_num_runs(value)


def _plain_is_repeated(value: bytes) -> bool:
    period = value.find(value[:6], 1) if len(value) >= 12 else 0
    return period > 0 and 3 * period <= len(value) and value.startswith(value[period:])
