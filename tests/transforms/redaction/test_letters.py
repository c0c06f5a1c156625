import random
import string

import pytest

from transforms.redaction.letters import is_gibberish, reads_as_words


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
