import random
import string

import pytest

from transforms.redaction.near import near_values

TOKEN = "".join(random.Random(2).choices(string.ascii_letters + string.digits, k=32)) + "a1B2"


def _found(text: str) -> list[str]:
    raw = text.encode()
    return [raw[start:end].decode() for start, end, _ in near_values(raw)]


@pytest.mark.parametrize(
    "text",
    [
        "log in with {}",
        "{} is what opens the vault",
        "Your key\n\n    {}\n",
        "session opened: {}",
        '{{"auth": ["{}"]}}',
    ],
)
def test_a_random_token_near_a_word_for_credentials_is_found(text):
    assert _found(text.format(TOKEN)) == [TOKEN]


@pytest.mark.parametrize(
    "text",
    [
        "key sha256-{}",
        "key id: {}",
        "auth call_{}",
        "the keys of session\nand a line\n{} x",
        "secret image/{}.png",
        "token\0{}",
        "nothing of the kind {}",
    ],
)
def test_hashes_ids_files_and_tokens_far_away_stand(text):
    assert _found(text.format(TOKEN)) == []


def test_what_reads_as_a_hash_stands():
    assert _found("the key is " + "0123456789abcdef" * 4) == []


def test_a_picture_stands():
    assert _found("key: " + TOKEN * 8) == []
