"""Hard seed tasks: read them from a file, and draw them to a set share of the RL dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, NamedTuple

import orjson

from schemas.errors import SettingsError
from schemas.reasons import TaskDecision, UseReason
from transforms.store.keys import canonical_json, seeded_order

MIN_MIXED_SHARE: Final = 0.6
"""Share of groups with both outcomes aimed at among the RL rows whose group could have had both."""
_TEXT_FIELDS: Final = ("task_id", "prompt", "environment")


@dataclass(frozen=True, slots=True)
class SeedTask:
    """A task of the seed file; `verifier_json` holds all its other fields, as a JSON object with sorted keys."""

    task_id: str
    prompt: str
    environment: str
    verifier_json: str


def read_seed_file(content: bytes, name: str) -> tuple[SeedTask, ...]:
    """Return the tasks of a seed file, in its order; blank lines are passed over.

    Args:
        content: JSON lines with `task_id`, `prompt`, `environment` and at least one more field for the verifier.
        name: Name of the file, for messages.

    Raises:
        SettingsError: A line is malformed, lacks a field, or names a task that an earlier line has named.
    """
    tasks: dict[str, SeedTask] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        task = _read_seed(line, f"{name}: line {number}")
        if task.task_id in tasks:
            first = lines[task.task_id]
            raise SettingsError(f"{name}: line {number}: task_id {task.task_id!r} stands on line {first} already")
        tasks[task.task_id] = task
        lines[task.task_id] = number
    return tuple(tasks.values())


def _read_seed(line: bytes, place: str) -> SeedTask:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SettingsError(f"{place}: no valid JSON ({error})") from error
    if not isinstance(fields, dict):
        raise SettingsError(f"{place}: must be a JSON object, got {type(fields).__name__}")
    task_id, prompt, environment = (_text(fields, field, place=place) for field in _TEXT_FIELDS)
    verifier = {key: value for key, value in fields.items() if key not in _TEXT_FIELDS}
    if not verifier:
        raise SettingsError(f"{place}: no verifier field beside {', '.join(_TEXT_FIELDS)}")
    return SeedTask(task_id, prompt, environment, canonical_json(verifier).decode())


def _text(fields: dict[str, Any], field: str, *, place: str) -> str:
    if field not in fields:
        raise SettingsError(f"{place}: field {field!r} is missing")
    value = fields[field]
    if field == "task_id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise SettingsError(f"{place}: field {field!r} must be a text that is not blank, got {value!r}")
    return value


class RlTask(NamedTuple):
    """A candidate of the RL dataset: its key, what judging says of it, and why (`tasks.decision`, `tasks.reason`)."""

    task_key: str
    decision: str
    reason: str

    @property
    def is_mixed(self) -> bool:
        """Say whether the task's rollouts have both outcomes."""
        return self.reason in ("mixed", "solved_sometimes")


def choose_rl_tasks(
    tasks: Sequence[RlTask], *, seed: int, share: float, unsolved_share: float
) -> dict[str, UseReason]:
    """Return for every task what the RL dataset does with it: used, or the reason why not.

    Learnable tasks are used. Hard seeds are drawn by hash until they are `share` of the rows; a hard task that is not
    drawn stays out, for in every measurement more hard tasks made the set worse. Unsolved tasks are drawn up to
    `unsolved_share`. Tasks whose few rollouts ended alike are drawn only as far as 60 % of the rows stay mixed; tasks
    with a single rollout, which cannot be mixed, do not count there.

    A `share` of 0 turns seeding off: hard tasks with both outcomes count as learnable. Where no learnable task is
    left to take a share of, all hard seeds are used.

    Args:
        tasks: Candidates with unique keys, in any order.
        seed: Seed of the draws.
        share: Share of hard seeds among the rows.
        unsolved_share: Largest share of tasks that no policy has solved.
    """
    learnable = [task for task in tasks if _is_learnable(task, seeding=share > 0)]
    few = _drawn([task for task in learnable if task.reason == "few_rollouts"], seed, purpose="few rollouts")
    sure = [task for task in learnable if task.reason != "few_rollouts"]
    waiting = [task for task in tasks if task.decision == TaskDecision.HARD_SEED] if share > 0 else []
    seeds = _drawn(waiting, seed, purpose="hard seeds")
    unsolved = _drawn([task for task in tasks if task.decision == TaskDecision.UNSOLVED], seed, purpose="unsolved")
    sizes = _row_counts(sure, few, seeds=seeds, num_unsolved=len(unsolved), shares=(share, unsolved_share))
    used = {task.task_key for task in sure}
    for ordered, size in zip((few, seeds, unsolved), sizes, strict=True):
        used.update(task.task_key for task in ordered[:size])
    return {task.task_key: UseReason.USED if task.task_key in used else _REASONS[task.decision] for task in tasks}


_REASONS: Final[dict[str, UseReason]] = {
    TaskDecision.TRAIN: UseReason.SHARE_FILLED,
    TaskDecision.HARD_SEED: UseReason.NOT_DRAWN,
    TaskDecision.MASTERED: UseReason.NO_SIGNAL,
    TaskDecision.UNSOLVED: UseReason.UNSOLVED,
    TaskDecision.UNSCORED: UseReason.UNSCORED,
}


def _is_learnable(task: RlTask, *, seeding: bool) -> bool:
    if task.decision == TaskDecision.HARD_SEED:
        return task.is_mixed and not seeding
    return task.decision == TaskDecision.TRAIN


def _drawn(tasks: Sequence[RlTask], seed: int, *, purpose: str) -> list[RlTask]:
    by_key = {task.task_key: task for task in tasks}
    return [by_key[key] for key in seeded_order(by_key, seed=seed, purpose=purpose)]


def _row_counts(
    sure: Sequence[RlTask],
    few: Sequence[RlTask],
    *,
    seeds: Sequence[RlTask],
    num_unsolved: int,
    shares: tuple[float, float],
) -> tuple[int, int, int]:
    """Return how many tasks with few rollouts, hard seeds and unsolved tasks are drawn."""
    num_mixed = sum(task.is_mixed for task in sure)
    num_single = sum(task.reason == "single_rollout" for task in sure)
    mixed_seeds = list(accumulate((task.is_mixed for task in seeds), initial=0))
    for num_few in range(len(few), -1, -1):
        num_seeds, num_hopeless = seed_counts(
            len(sure) + num_few, len(seeds), num_unsolved=num_unsolved, share=shares[0], unsolved_share=shares[1]
        )
        mixed = num_mixed + mixed_seeds[num_seeds]
        groups = len(sure) - num_single + num_few + num_seeds + num_hopeless
        if mixed == 0 or mixed >= MIN_MIXED_SHARE * groups:
            return num_few, num_seeds, num_hopeless
    return 0, num_seeds, num_hopeless


def seed_counts(
    num_learnable: int, num_seeds: int, *, num_unsolved: int, share: float, unsolved_share: float
) -> tuple[int, int]:
    """Return how many hard seeds and unsolved tasks join `num_learnable` rows so that the shares hold.

    Seeds are rounded to the nearest row, unsolved tasks never exceed their share.

    Args:
        num_learnable: Rows that are neither.
        num_seeds: Hard seeds there are.
        num_unsolved: Unsolved tasks there are.
        share: Share of hard seeds among all rows, at most .5.
        unsolved_share: Largest share of unsolved tasks among all rows, at most .2.
    """
    if num_learnable == 0:
        return num_seeds, 0
    hopeless = min(num_unsolved, int(unsolved_share * num_learnable / (1 - share - unsolved_share)))
    while True:
        rest = num_learnable + hopeless
        seeds = min(num_seeds, round(share * rest / (1 - share)))
        if hopeless <= unsolved_share * (rest + seeds):
            return seeds, hopeless
        hopeless -= 1
