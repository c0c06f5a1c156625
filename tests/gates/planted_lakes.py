"""Lakes with planted redundancy and junk, made of real rollouts: what a selection has to get through."""

import hashlib
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.embedding.hashed import HashedEncoder
from transforms.similarity.rescoring import unit_rows


class Rollout(NamedTuple):
    """What a selection sees of a rollout."""

    task: str
    task_text: str
    body: str
    outcome_class: str
    reward: float
    is_junk: bool = False


class PlantedLake(NamedTuple):
    """Rollouts and their fused vectors, row by row, shape (rollouts, dimensions)."""

    rollouts: list[Rollout]
    vectors: NDArray[np.float32]


def plant(
    rollouts: Sequence[Rollout],
    *,
    seed: int,
    num_hot: int = 10,
    times: int = 12,
    loss: float = 0.04,
    junk: float = 0.02,
) -> PlantedLake:
    """Return the rollouts with hot tasks, each of whose rollouts stands `times` times, and a share of junk added.

    A repeat loses each token with probability `loss`. Junk are failed runs of tasks of the lake: words of other runs
    in no order, one word over and over, and noise, in equal parts.
    """
    draws = random.Random(seed)
    hot = set(draws.sample(sorted({each.task for each in rollouts}), num_hot))
    planted: list[Rollout] = []
    for each in rollouts:
        planted.append(each)
        if each.task in hot:
            planted += [each._replace(body=_thinned(each.body, loss, draws=draws)) for _ in range(times - 1)]
    words = sorted({word for each in rollouts for word in each.body.split()})
    for number in range(round(junk * len(planted))):
        like = draws.choice(rollouts)
        body = _junk(number, words, draws=draws)
        planted.append(Rollout(like.task, like.task_text, body, "failure", 0.0, is_junk=True))
    return PlantedLake(planted, _fused(planted))


def _thinned(text: str, loss: float, *, draws: random.Random) -> str:
    return " ".join(word for word in text.split(" ") if draws.random() >= loss)


def _junk(number: int, words: Sequence[str], *, draws: random.Random) -> str:
    count = draws.randint(20, 200)
    if number % 3 == 0:
        return " ".join(draws.choice(words) for _ in range(count))
    if number % 3 == 1:
        return " ".join([draws.choice(words)] * count)
    noise = [hashlib.sha256(draws.randbytes(8)).hexdigest() for _ in range(count)]
    return " ".join(each[: draws.randint(3, 12)] for each in noise)


def _fused(rollouts: Sequence[Rollout]) -> NDArray[np.float32]:
    encoder = HashedEncoder()
    texts = sorted({text for each in rollouts for text in (each.task_text, each.body or each.task_text)})
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder.encode(texts)
    tasks = vectors[[place[each.task_text] for each in rollouts]]
    bodies = vectors[[place[each.body or each.task_text] for each in rollouts]]
    return unit_rows(np.hstack([unit_rows(tasks), unit_rows(bodies)]))
