"""Copies with word noise of known strength: how many are found, and how many runs of other tasks are joined."""

import random

import numpy as np
import pytest

from tests.benchmarks.lexical_corpus import run_words, with_noise
from transforms.lexical.approaches import approach_groups
from transforms.lexical.candidates import lexical_groups
from transforms.lexical.shingles import jaccard, shingles
from transforms.lexical.signatures import FastEngine, sign_strings

_TASKS = 200
_NOISE = (0.0, 0.02, 0.05, 0.1)
_RECALL = (1.0, 0.99, 0.95, 0.85)


@pytest.fixture(scope="module")
def planted():
    """Signatures of 200 runs, and of a copy of each per level of noise; and the texts."""
    rng = random.Random(5)
    vocabulary = [f"{rng.choice('abcdefgh')}{number}" for number in range(5000)]
    bases = [run_words(rng, vocabulary, 690) for _ in range(_TASKS)]
    texts = [" ".join(base) for base in bases]
    texts += [" ".join(with_noise(rng, base, vocabulary, noise)) for noise in _NOISE for base in bases]
    return sign_strings(FastEngine(), texts).minhash, texts


def test_noisy_copies_are_found_as_one_approach(planted):
    signatures, _ = planted
    for level, recall in enumerate(_RECALL):
        copies = (level + 1) * _TASKS
        rows = np.stack([np.arange(_TASKS), np.arange(copies, copies + _TASKS)], axis=1).reshape(-1)
        found = approach_groups(
            signatures,
            rows,
            np.arange(0, 2 * _TASKS + 1, 2),
            keeper=np.arange(2 * _TASKS),
            actions=np.full(2 * _TASKS, -1),
            min_similarity=0.3,
        )
        assert (found[1::2] == np.arange(0, 2 * _TASKS, 2)).mean() >= recall


def test_noisy_copies_are_dropped_where_their_similarity_reaches_the_threshold(planted):
    signatures, texts = planted
    for level, _ in enumerate(_NOISE):
        copies = (level + 1) * _TASKS
        for task in range(_TASKS):
            truth = jaccard(shingles(texts[task]), shingles(texts[copies + task]))
            stars = lexical_groups(signatures, np.array([task, copies + task]), min_similarity=0.8)
            # Four standard errors of 128 slots.
            if abs(truth - 0.8) > 0.142:
                assert (stars.keeper[1] == 0) == (truth >= 0.8)
            assert truth < 1 or stars.keeper[1] == 0


def test_runs_of_other_tasks_are_never_joined(planted):
    signatures, _ = planted
    count = len(signatures)
    tasks = np.arange(count) % _TASKS
    joined = 0
    for text in range(count):
        similar = (signatures[text + 1 :] == signatures[text]).mean(axis=1) >= 0.3
        joined += int((similar & (tasks[text + 1 :] != tasks[text])).sum())

    # At the lowest threshold there is; the bar is 1e-4 of some 500,000 pairs.
    assert joined <= 1e-4 * count * (count - 1) / 2
    assert joined == 0
