import random
import string

import pytest

from transforms.redaction.engine import Redactor
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


@pytest.mark.parametrize("seed", range(6))
def test_a_literal_that_stands_nowhere_changes_nothing(seed):
    rng = random.Random(seed)
    alnum = string.ascii_letters + string.digits
    lines = []
    for _ in range(120):
        token = "".join(rng.choices(alnum, k=rng.choice((8, 20, 28, 40))))
        word = rng.choice(("signed with", "token=", "the vault has", "login", "AK" + "IA", "datadog=", "key", ""))
        lines += [f"{word} {rng.choice(lines[-20:] or [token])} {token}"] * rng.choice((1, 1, 2))
    text = "\n".join(lines)
    # A literal that must stand, though it is nowhere, changes nothing.
    assert Redactor().redact_text(text) == Redactor(allow=("nowhere in the text",)).redact_text(text)
