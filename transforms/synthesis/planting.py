"""What is planted where: the kind of every rollout of every task, decided before any text is drawn."""

import random
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from schemas.reasons import EnvType
from transforms.synthesis.credentials import SECRET_KINDS
from transforms.synthesis.vocabulary import stream


class LakeFormat(StrEnum):
    """A format the lake is written in."""

    CHAT_JSONL = "chat_jsonl"
    CHAT_PARQUET = "chat_parquet"
    SWE_AGENT = "swe_agent"


class Planted(StrEnum):
    """What a rollout is: one kind each."""

    PLAIN = "plain"
    EXACT_COPY = "exact_copy"
    """The messages of its original under an id of its own."""
    REPEAT = "repeat"
    """Its original's record once more, id included."""
    NEAR_COPY = "near_copy"
    """Its original with a known share of the words replaced."""
    NEAR_MISS = "near_miss"
    """A failure in which at least 70 % of the tests pass."""
    LOOP = "loop"
    """A failure that makes the same one or two calls at least four times in a row."""
    INFRA = "infra"
    """A run that its surroundings ended: a timeout, a 5xx answer, a failed installation."""
    UNSCORED = "unscored"
    """A run that was never judged."""


class Category(StrEnum):
    """How a task goes: its true pass rate is the same figure for every policy only at the ends."""

    MASTERED = "mastered"
    UNSTABLE = "unstable"
    HARD = "hard"
    NEVER_SOLVED = "never_solved"


COPIES: Final = (Planted.EXACT_COPY, Planted.REPEAT, Planted.NEAR_COPY)
NOISE_RATIOS: Final = (0.005, 0.01, 0.02, 0.05)
"""Shares of replaced words in near-copies: word-5-gram Jaccards of about .95, .91, .82, .63, on both sides of .8."""
INFRA_CAUSES: Final = ("timeout", "http_5xx", "install_failure")
MODEL_NAMES: Final = ("north-7b", "south-14b", "west-32b")

_WORLDS: Final = (
    (EnvType.TERMINAL, LakeFormat.CHAT_JSONL),
    (EnvType.CODE_REPO, LakeFormat.SWE_AGENT),
    (EnvType.CROSS_TOOL, LakeFormat.CHAT_PARQUET),
    (EnvType.TERMINAL, LakeFormat.CHAT_PARQUET),
    (EnvType.CODE_REPO, LakeFormat.CHAT_JSONL),
    (EnvType.CROSS_TOOL, LakeFormat.CHAT_JSONL),
)
_CATEGORIES: Final = (
    Category.UNSTABLE,
    Category.MASTERED,
    Category.NEVER_SOLVED,
    Category.UNSTABLE,
    Category.HARD,
    Category.MASTERED,
    Category.UNSTABLE,
    Category.NEVER_SOLVED,
)
_PASS_RATES: Final = {
    Category.MASTERED: (1.0, 1.0),
    Category.UNSTABLE: (0.3, 0.7),
    Category.HARD: (0.06, 0.2),
    Category.NEVER_SOLVED: (0.0, 0.0),
}
_KIND_CYCLE: Final = (
    Planted.EXACT_COPY,
    Planted.NEAR_COPY,
    Planted.NEAR_MISS,
    Planted.LOOP,
    Planted.NEAR_COPY,
    Planted.INFRA,
    Planted.UNSCORED,
    Planted.REPEAT,
)
_FAILURES: Final = (Planted.NEAR_MISS, Planted.LOOP)


class RolloutPlan(NamedTuple):
    """One rollout to come: its kind, policy and outcome; copies have those of their original.

    `is_success` is None where nothing was judged; `infra_reward` is then what an infrastructure failure states: 0 or
    nothing. `original` is the index of the copied rollout in the same task.
    """

    rollout_index: int
    kind: Planted
    model_name: str
    is_success: bool | None
    original: int | None = None
    noise_ratio: float | None = None
    infra_cause: str | None = None
    infra_reward: float | None = None
    secret_kind: str | None = None


class TaskPlan(NamedTuple):
    """A task and its rollouts; `pass_rates` are the true success probabilities by model."""

    number: int
    task_id: str
    env_type: EnvType
    lake_format: LakeFormat
    category: Category
    pass_rates: Mapping[str, float]
    rollouts: tuple[RolloutPlan, ...]


def worlds(only: LakeFormat | None) -> tuple[tuple[EnvType, LakeFormat], ...]:
    """Return the pairs that tasks cycle through; SWE-agent files hold code repositories only."""
    if only is None:
        return _WORLDS
    if only is LakeFormat.SWE_AGENT:
        return ((EnvType.CODE_REPO, only),)
    return tuple((env_type, only) for env_type in (EnvType.TERMINAL, EnvType.CODE_REPO, EnvType.CROSS_TOOL))


def plan_task(seed: int, index: int, *, num_rollouts: int, only: LakeFormat | None = None) -> TaskPlan:
    """Plan a task: three rollouts in eight are planted kinds, the rest are plain; the first is always plain."""
    cycle = worlds(only)
    env_type, lake_format = cycle[index % len(cycle)]
    category = _CATEGORIES[(index + index // len(cycle)) % len(_CATEGORIES)]
    rng = stream(seed, "plan", index)
    low, high = _PASS_RATES[category]
    models = rng.sample(MODEL_NAMES, k=rng.choice((2, 3)))
    pass_rates = {model: round(rng.uniform(low, high), 3) for model in sorted(models)}
    kinds = _place_kinds(rng, index, num_rollouts=num_rollouts, category=category)
    if lake_format is LakeFormat.SWE_AGENT:
        # A SWE-agent record is known by its path, so the same record cannot stand in the lake twice.
        kinds = {at: Planted.EXACT_COPY if kind is Planted.REPEAT else kind for at, kind in kinds.items()}
    rollouts: list[RolloutPlan] = []
    for at in range(num_rollouts):
        kind = kinds.get(at, Planted.PLAIN)
        number = index * num_rollouts + at
        rollouts.append(_plan_rollout(rng, at, kind=kind, number=number, pass_rates=pass_rates, earlier=rollouts))
    task_id = f"{env_type.value.replace('_', '-')}-{index:06d}"
    return TaskPlan(index, task_id, env_type, lake_format, category, pass_rates, tuple(rollouts))


def _place_kinds(rng: random.Random, index: int, *, num_rollouts: int, category: Category) -> dict[int, Planted]:
    count = num_rollouts * 3 // 8
    places = rng.sample(range(1, num_rollouts), k=count) if count else []
    kinds = {}
    for turn, place in enumerate(places):
        kind = _KIND_CYCLE[(index * count + turn) % len(_KIND_CYCLE)]
        is_refused = category is Category.MASTERED and kind in _FAILURES
        kinds[place] = Planted.EXACT_COPY if is_refused else kind
    return kinds


def _plan_rollout(
    rng: random.Random,
    at: int,
    *,
    kind: Planted,
    number: int,
    pass_rates: Mapping[str, float],
    earlier: list[RolloutPlan],
) -> RolloutPlan:
    if kind in COPIES:
        source = rng.choice([plan for plan in earlier if plan.kind in (Planted.PLAIN, Planted.NEAR_MISS)])
        noise_ratio = NOISE_RATIOS[number % len(NOISE_RATIOS)] if kind is Planted.NEAR_COPY else None
        return source._replace(rollout_index=at, kind=kind, original=source.rollout_index, noise_ratio=noise_ratio)
    model_name = tuple(pass_rates)[at % len(pass_rates)]
    is_lucky = rng.random() < pass_rates[model_name]
    secret_kind = SECRET_KINDS[number // 11 % len(SECRET_KINDS)] if number % 11 == 0 else None
    plan = RolloutPlan(at, kind, model_name, is_lucky, secret_kind=secret_kind)
    if kind in _FAILURES:
        return plan._replace(is_success=False)
    if kind is Planted.INFRA:
        return plan._replace(
            is_success=None, infra_cause=rng.choice(INFRA_CAUSES), infra_reward=rng.choice((0.0, None))
        )
    if kind is Planted.UNSCORED:
        return plan._replace(is_success=None)
    return plan
