"""What stands inside of other texts, and how much is searched for it."""

import random

import pytest

from schemas.records import Header, Message, Rollout
from transforms.formats.accounting import name_untold
from transforms.formats.passages import NEAR, SHORT, Passages


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("repair the", True),
        ("pair the fi", True),
        ("pair", False),
        ("file", True),
        ("a.b", True),
        ("repair the flie", False),
        ("file\x00a.b", True),
    ],
)
def test_a_text_stands_inside_of_others_and_a_short_one_as_whole_words(text, stands):
    assert Passages(["repair the file", "a.b c"]).hold(text) is stands


def test_a_text_is_found_however_far_it_lies_from_the_last_one():
    rng = random.Random(1)
    words = [f"word-{index:06d}" for index in range(NEAR)]
    passages = Passages(["\n".join(words)])
    for word in rng.sample(words, 50):
        assert passages.hold(word)
        assert passages.hold_near(word)
    assert not passages.hold("word-none")


def test_values_in_the_order_of_the_texts_are_searched_near_by():
    texts = [f"<{index}>" + f"{index:08d}" * 40 for index in range(4000)]
    passages = Passages(texts)
    assert all(passages.hold(text[:-1]) for text in texts)
    assert passages.searched < 3 * sum(map(len, texts))


def test_the_same_text_is_searched_once():
    passages = Passages(["xw1" * 1000 + " w1"])
    assert passages.hold("w1")
    searched = passages.searched
    assert passages.hold("w1")
    assert passages.searched == searched


def hostile():
    """Return a text and short words of it, each of which stands whole at one end only, in turn at either."""
    words = [f"w{index:03d}" for index in range(500)]
    ends = " ".join(words[::2]), " ".join(words[1::2])
    return f" {'x'.join(words * 40)} ".join(ends), words


def test_what_is_searched_stays_within_the_budget_and_past_it_nothing_is_told(monkeypatch):
    monkeypatch.setattr("transforms.formats.passages._FREE", 0)
    text, words = hostile()
    passages = Passages([text])
    told = [passages.hold(word) for word in words]
    assert told[0]
    assert not told[-1]
    assert passages.searched <= passages.budget + len(text) + SHORT


def test_values_of_a_record_that_spends_the_budget_are_named(monkeypatch):
    monkeypatch.setattr("transforms.formats.passages._FREE", 0)
    text, words = hostile()
    rollout = Rollout(Header("any"), (Message("user", text),), "n1", "ab", "line:1")
    (few,) = name_untold(({"content": words[:2]},), (rollout,))
    (many,) = name_untold(({"content": words},), (rollout,))
    assert few.lost_fields == ()
    assert many.lost_fields == ("content[]",)
