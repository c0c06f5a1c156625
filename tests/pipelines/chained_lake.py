"""Lakes of rollouts derived from one another: chains of exact copies, near-copies, cut runs and rewordings."""

import random
from typing import Any

TASKS = (("parser", "lexer"), ("reader", "writer"), ("cache", "queue"))
NUM_ROLLOUTS = 32


def chained_records(seed: int, *, num_policies: int = 2) -> list[dict[str, Any]]:
    """Return rollouts of three pairs of tasks; all but the first of a pair repeat an earlier one in one of five ways.

    What repeats another may be of the other task.
    """
    draws = random.Random(seed)
    records = []
    for pair in TASKS:
        texts = [[f"w{draws.randrange(5000)}" for _ in range(400)]]
        for rollout in range(NUM_ROLLOUTS):
            if rollout:
                way = draws.choice([_copied, _nearly, _nearly, _cut, _reworded, _reworded, _continued])
                texts.append(way(draws, draws.choice(texts)))
            policy = f"toy-{draws.randrange(num_policies)}"
            records.append(_record(draws, draws.choice(pair), rollout, words=texts[-1]) | {"model": policy})
    return draws.sample(records, len(records))


def _copied(draws: random.Random, words: list[str]) -> list[str]:
    return list(words)


def _nearly(draws: random.Random, words: list[str]) -> list[str]:
    """Change a word in seventy: word 5-gram Jaccard .87, so that two changes on end fall below .8."""
    return _changed(draws, words, step=70)


def _reworded(draws: random.Random, words: list[str]) -> list[str]:
    """Change a word in twelve, for a common one: few 5-grams stay, and most of what makes the vector."""
    return _changed(draws, words, step=12)


def _changed(draws: random.Random, words: list[str], *, step: int) -> list[str]:
    first = draws.randrange(step)
    return [f"x{draws.randrange(9)}" if place % step == first else word for place, word in enumerate(words)]


def _cut(draws: random.Random, words: list[str]) -> list[str]:
    return words[: max(120, int(len(words) * draws.choice([0.3, 0.6, 0.95])))]


def _continued(draws: random.Random, words: list[str]) -> list[str]:
    return words + [f"y{draws.randrange(5000)}" for _ in range(draws.choice([10, 150]))]


def _record(draws: random.Random, task: str, rollout: int, *, words: list[str]) -> dict[str, Any]:
    """Return a rollout that says the words in two to four steps, the last of which may lack its answer."""
    num_steps = draws.choice([2, 3, 4])
    size = -(-len(words) // num_steps)
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Repair the module {task}."}]
    for start in range(0, len(words), size):
        messages.append({"role": "assistant", "content": " ".join(words[start : start + size])})
        messages.append({"role": "user", "content": "Go on."})
    return {
        "trajectory_id": f"{task}-r{rollout}",
        "task_id": task,
        "rollout_index": rollout,
        "environment": "repo",
        "messages": messages if draws.random() < 0.3 else messages[:-1],
        "reward": draws.choice([0.0, 1.0, 1.0]),
    }
