import re
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from transforms.synthesis.vocabulary import (
    LINE_KINDS,
    POOL_SIZE,
    make_words,
    rollout_pools,
    stream,
    task_vocabulary,
)


def test_streams_are_told_apart_by_seed_purpose_and_id():
    draws = {stream(*key).random() for key in ((0, "a", 1), (1, "a", 1), (0, "b", 1), (0, "a", 2), (0, "a", "1"))}
    assert len(draws) == 5
    assert stream(3, "words", 7).random() == stream(3, "words", 7).random()


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_words_are_lower_case_letters(seed: int, count: int):
    words = make_words(stream(seed, "words"), count)
    assert len(words) == count
    assert all(re.fullmatch("[a-z]{4,12}", word) for word in words)


def test_no_template_has_five_fixed_words_in_a_row():
    for templates in LINE_KINDS.values():
        for template in templates:
            assert template.count("%s") == 4
            words = re.findall(r"\w+", template.replace("%s", " SLOT "))
            runs = [len(list(run)) for is_slot, run in groupby(words, key="SLOT".__eq__) if not is_slot]
            assert max(runs, default=0) < 5, template


def test_pool_text_has_about_the_asked_length():
    vocabulary = task_vocabulary(0, 0, kinds=("log",), file_chars=400)
    pool = rollout_pools(stream(0, "pool"), vocabulary)["log"]
    assert len(pool.lines) == POOL_SIZE
    assert abs(len(pool.text(stream(0, "text"), 20_000)) - 20_000) < 1_500
    assert pool.text(stream(0, "text"), 0).endswith("\n")


def test_a_vocabulary_depends_on_seed_and_task_alone():
    first, again, other = (task_vocabulary(0, task, kinds=("code",), file_chars=300) for task in (4, 4, 5))
    assert first == again
    assert not set(first.lines["code"]) & set(other.lines["code"])
