"""Keeps the chosen side from being nearly always the longer, or nearly always the shorter one.

A preference set in which length alone tells the sides apart teaches length.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from transforms.pairing.choosing import Pair, PairLimits, TaskPool, choose_pairs
from transforms.store.keys import seeded_order

MIN_LONGER_SHARE: Final = 0.4
MAX_LONGER_SHARE: Final = 0.6
"""Bounds of the share of pairs whose chosen side is the longer one, per environment (EXPORTS 4)."""


def balance_lengths(
    pools: Mapping[str, TaskPool], chosen: Mapping[str, Sequence[Pair]], *, seed: int, limits: PairLimits
) -> dict[str, list[Pair]]:
    """Return the pairs by task group after single tasks took other pairs to bring their environment into the bounds.

    Tasks are asked in a drawn order until the environment is inside. A task changes only where it has as many pairs of
    the wanted kind within the length ratio, and only if the share comes nearer to one half.
    """
    result = {task: list(pairs) for task, pairs in chosen.items()}
    by_environment: dict[str, list[str]] = defaultdict(list)
    for task, pairs in result.items():
        if pairs:
            by_environment[pools[task].environment].append(task)
    for tasks in by_environment.values():
        _balance_environment(pools, result, seeded_order(tasks, seed=seed, purpose="length balance"), limits)
    return result


def _balance_environment(
    pools: Mapping[str, TaskPool], result: dict[str, list[Pair]], tasks: Sequence[str], limits: PairLimits
) -> None:
    longer = sum(_count(pools[task], result[task], 1) for task in tasks)
    shorter = sum(_count(pools[task], result[task], -1) for task in tasks)
    for task in tasks:
        share = _share(longer, shorter)
        if MIN_LONGER_SHARE <= share <= MAX_LONGER_SHARE:
            return
        pool, old = pools[task], result[task]
        new = choose_pairs(pool, limits=limits, prefer=-1 if share > MAX_LONGER_SHARE else 1)
        if len(new) < len(old) or _num_over_ratio(pool, new) > _num_over_ratio(pool, old):
            continue
        new_longer = longer + _count(pool, new, 1) - _count(pool, old, 1)
        new_shorter = shorter + _count(pool, new, -1) - _count(pool, old, -1)
        if abs(_share(new_longer, new_shorter) - 0.5) < abs(share - 0.5):
            result[task], longer, shorter = new, new_longer, new_shorter


def _share(longer: int, shorter: int) -> float:
    return longer / (longer + shorter) if longer + shorter else 0.5


def _count(pool: TaskPool, pairs: Sequence[Pair], direction: int) -> int:
    return sum(int(pool.longer[pair]) == direction for pair in pairs)


def _num_over_ratio(pool: TaskPool, pairs: Sequence[Pair]) -> int:
    return sum(bool(pool.is_over_ratio[pair]) for pair in pairs)
