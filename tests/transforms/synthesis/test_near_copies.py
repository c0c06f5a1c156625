import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.synthesis.actions import LINE_KINDS_OF
from transforms.synthesis.episodes import Episode, write_episode
from transforms.synthesis.near_copies import body_text, jaccard, near_copy, replace_words, word_shingles
from transforms.synthesis.planting import NOISE_RATIOS, plan_task
from transforms.synthesis.vocabulary import stream, task_vocabulary


def test_shingles_are_five_words_in_lower_case():
    assert word_shingles("A b, c-d e f") == {("a", "b", "c", "d", "e"), ("b", "c", "d", "e", "f")}
    assert word_shingles("four words are few") == frozenset()


def test_jaccard_counts_shared_over_all():
    left, right = word_shingles("a b c d e f"), word_shingles("a b c d e g")
    assert jaccard(left, right) == pytest.approx(1 / 3)
    assert jaccard(frozenset(), frozenset()) == 0.0


@given(
    st.lists(st.text(st.sampled_from("ab c.\n"), max_size=40), min_size=1, max_size=6),
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_replacing_words_changes_the_asked_share_and_nothing_between(texts: list[str], share: float, seed: int):
    noisy = replace_words(stream(seed, "noise"), texts, noise_ratio=share, words=["NEW"])
    assert len(noisy) == len(texts)
    num_words = sum(len(text.replace(".", " ").split()) for text in texts)
    assert sum(text.count("NEW") for text in noisy) == round(share * num_words)
    assert [text.count("\n") for text in noisy] == [text.count("\n") for text in texts]


@pytest.mark.parametrize("noise_ratio", NOISE_RATIOS)
def test_near_copies_have_the_similarity_that_noise_predicts(noise_ratio: float):
    episode, words = _episode()
    noisy = near_copy(stream(0, "noise"), episode, noise_ratio=noise_ratio, words=words)
    # A 5-gram survives when none of its words is replaced; untouched calls and repeated 5-grams add up to .08.
    kept = (1 - noise_ratio) ** 5
    similarity = jaccard(word_shingles(body_text(episode)), word_shingles(body_text(noisy)))
    assert similarity == pytest.approx(kept / (2 - kept), abs=0.08)
    assert [turn.arguments for turn in noisy.turns] == [turn.arguments for turn in episode.turns]


def test_a_planted_secret_survives_the_noise():
    episode, words = _episode()
    assert episode.secret is not None
    noisy = near_copy(stream(0, "noise"), episode, noise_ratio=1.0, words=words)
    assert episode.secret.value in body_text(noisy)


def _episode() -> tuple[Episode, list[str]]:
    task = plan_task(0, 0, num_rollouts=8)
    vocabulary = task_vocabulary(0, 0, kinds=LINE_KINDS_OF[task.env_type], file_chars=3000)
    return write_episode(0, task, task.rollouts[0], vocabulary=vocabulary, num_chars=15_000), vocabulary.words
