"""A small lake with planted redundancy: exact copies, near-copies and reworded runs of nine tasks."""

import random
from typing import Any

from tests.whole_runs import chat_rollout

SIMILARITY_TABLES = (
    "boilerplate",
    "views",
    "signatures",
    "task_groups",
    "embeddings",
    "background",
    "clusters",
    "lineage",
    "decisions",
)
"""What the similarity stages write, and what selection makes of it."""


def redundant_records(*, num_tasks: int = 9, prefix: str = "task", environment: str = "repo") -> list[dict[str, Any]]:
    """Return nine rollouts a task: three ways to go about it, each met as it is, copied, and with words changed.

    Every second way fails. The instruction of every third task stands in the lake under two days.
    """
    return [
        _record(f"{prefix}{task}", way * 3 + repeat, way=way, repeat=repeat) | {"environment": environment}
        for task in range(num_tasks)
        for way in range(3)
        for repeat in range(3)
    ]


def _record(task: str, rollout: int, *, way: int, repeat: int) -> dict[str, Any]:
    record = chat_rollout(task, way, reward=float(way % 2), words=_words(task, way, repeat=repeat), turns=2 + way % 2)
    record |= {"trajectory_id": f"{task}-r{rollout}", "rollout_index": rollout}
    if int(task[-1]) % 3 == 0:
        asked = record["messages"][1]["content"]
        record["messages"][1]["content"] = f"As of 2026-11-{10 + rollout}, do this. {asked}"
        record["task_id"] = None
    return record


def _words(task: str, way: int, *, repeat: int) -> str:
    """Return some eighty words: the third repeat has one in thirty (a near-copy) or one in nine changed."""
    draws = random.Random(f"{task} {way}")
    words = [f"w{draws.randrange(400)}" for _ in range(80)]
    step = 30 if way < 2 else 9
    if repeat == 2:
        words = [f"x{number}" if number % step == step // 2 else word for number, word in enumerate(words)]
    return " ".join(words)
