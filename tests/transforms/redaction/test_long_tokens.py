import re
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.redaction.long_tokens import FEWEST_OF_ONE_CASE, long_tokens
from transforms.redaction.values import is_truly_random

TOKEN = re.compile(rb"[A-Za-z0-9+/_.~-]{20,}")
ALNUM = string.ascii_letters + string.digits
ALPHABETS = (ALNUM, ALNUM + "+/", ALNUM + "-_", "0123456789abcdef-", string.ascii_lowercase + "12", "aB", "ab1.", "A7")
VALUE = "aB3dE5fG7hJ9kL2mN4pQ"


def _random_tokens(text: bytes) -> list[tuple[int, int]]:
    """Return what is looked for, from the judgement itself."""
    found = []
    for match in TOKEN.finditer(text):
        value = match[0].rstrip(b".-~")
        is_of_one_case = value.islower() or value.isupper()
        if (
            20 <= len(value) <= 200
            and not re.fullmatch(rb"[0-9a-fA-F./_-]+", value)
            and not (is_of_one_case and (len(value) < FEWEST_OF_ONE_CASE or not value.isalnum()))
            and text[match.start() + len(value) :][:1] not in (b"(", b"[")
            and is_truly_random(value)
        ):
            found.append((match.start(), match.start() + len(value)))
    return found


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from(ALPHABETS), st.integers(0, 60), st.sampled_from(" \n\0(=[.-")), max_size=9),
    st.randoms(),
)
def test_every_truly_random_token_is_among_the_long_ones(pieces, rng):
    text = "".join("".join(rng.choices(alphabet, k=size)) + behind for alphabet, size, behind in pieces).encode()
    assert set(_random_tokens(text)) <= set(long_tokens(text))


def test_words_paths_hashes_and_what_is_too_short_or_long_are_none():
    texts = [
        "/usr/lib/python3.11/site-packages/numpy", "a_long_name_of_a_function_in_code", "0123456789abcdef" * 2,
        "AnOwnClassOfLongNames", VALUE[:19], VALUE * 11, f"{VALUE}(", "",
    ]  # fmt: skip
    assert [list(long_tokens(text.encode())) for text in texts] == [[]] * len(texts)


def test_a_token_is_told_wherever_it_stands_without_what_ends_it():
    for shift in range(45):
        text = b"x" * (shift % 19) + b" " * shift + VALUE.encode() + b".- and on"
        start = text.index(VALUE.encode())
        assert list(long_tokens(text)) == [(start, start + len(VALUE))]
    assert list(long_tokens(f"{VALUE} {VALUE}".encode())) == [(0, 20), (21, 41)]
