"""At equal budget a selection reaches more tasks and covers more of the lake than chance, and takes no more junk."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from pipelines.plan import layer_key
from pipelines.run import execute
from pipelines.settings_files import LoadedSettings, load_settings
from tests.gates.planted_lakes import PlantedLake, Rollout, plant
from tests.whole_runs import Curated
from transforms.judging.posterior import difficulty_class
from transforms.selecting.budget import BudgetRow, spend_budget
from transforms.selecting.strata import Stratum, target_shares
from transforms.store.files import Store
from transforms.store.packs import read_commits, read_trajectories
from transforms.views.bodies import view_of

BUDGETS = {100: 1.15, 200: 1.3, 400: 1.2}
"""Places → least ratio of distinct tasks to those of a random set."""

NUM_SEEDS = 10
MORE_COVER = 0.03
"""Least gain of the mean cosine of a clean rollout to its nearest chosen one."""

_EXAMPLE = Path(__file__).parents[2] / "conf" / "examples" / "intercode_bash.yaml"

pytestmark = pytest.mark.slow


class Figures(NamedTuple):
    """What a chosen set is like."""

    tasks: float
    cover: float
    junk: float


Selector = Callable[[PlantedLake, int, random.Random], Sequence[int]]


@pytest.fixture(scope="module")
def lake_settings(real_rollouts: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LoadedSettings]:
    store = tmp_path_factory.mktemp("intercode")
    places = [f"lake.root={real_rollouts / 'intercode-bash'}", f"store={store}", "execution.progress=quiet"]
    return lambda *overrides: load_settings([_EXAMPLE], [*places, *overrides])


@pytest.fixture(scope="module")
def intercode(lake_settings: Callable[..., LoadedSettings]) -> Curated:
    loaded = lake_settings()
    return Curated(Store(loaded.settings.store), execute(loaded))


@pytest.fixture(scope="module")
def rollouts(intercode: Curated, lake_settings: Callable[..., LoadedSettings]) -> list[Rollout]:
    clusters = {row["traj_id"]: row for row in intercode.table("clusters").to_dicts()}
    found = [
        (each.traj_id, view_of(each, frozenset(), observation_edge_chars=300), each.header.reward or 0.0)
        for commit in read_commits(intercode.store, layer_key=layer_key(lake_settings()))
        for each in read_trajectories(intercode.store, commit.pack, set(clusters))
    ]
    return [
        Rollout(clusters[name]["task_group"], view.task_text, view.body, clusters[name]["outcome_class"], reward)
        for name, view, reward in sorted(found, key=lambda each: each[0])
    ]


def _figures(lake: PlantedLake, chosen: Sequence[int]) -> Figures:
    clean = [row for row, each in enumerate(lake.rollouts) if not each.is_junk]
    cover = (lake.vectors[clean] @ lake.vectors[list(chosen)].T).max(axis=1).mean()
    taken = [lake.rollouts[row] for row in chosen]
    tasks = {each.task for each in taken if not each.is_junk}
    return Figures(len(tasks), float(cover), sum(each.is_junk for each in taken) / len(taken))


def _by_budget(lake: PlantedLake, budget: int, draws: random.Random) -> list[int]:
    passes: dict[str, list[bool]] = defaultdict(list)
    for each in lake.rollouts:
        passes[each.task].append(each.outcome_class == "success")
    difficulty = {
        task: difficulty_class(float(np.mean(each)), hard_max=0.25, easy_min=0.75) for task, each in passes.items()
    }
    best_first = sorted(range(len(lake.rollouts)), key=lambda row: (-lake.rollouts[row].reward, row))
    rank = {row: place for place, row in enumerate(best_first)}
    rows = [
        BudgetRow(
            rank[row], str(row), Stratum("bash", each.outcome_class, difficulty[each.task]), each.task, weight=1.0
        )
        for row, each in enumerate(lake.rollouts)
    ]
    shares = target_shares(Counter(row.stratum for row in rows), 0.5, targets={})
    return sorted(int(name) for name in spend_budget(rows, budget, shares=shares, vectors=lake.vectors))


def _by_chance(lake: PlantedLake, budget: int, draws: random.Random) -> list[int]:
    return draws.sample(range(len(lake.rollouts)), budget)


def _by_cap_alone(lake: PlantedLake, budget: int, draws: random.Random) -> list[int]:
    """Return rows drawn by chance, at most three of a task."""
    taken: Counter[str] = Counter()
    chosen: list[int] = []
    for row in draws.sample(range(len(lake.rollouts)), len(lake.rollouts)):
        task = lake.rollouts[row].task
        if taken[task] < 3 and len(chosen) < budget:
            taken[task] += 1
            chosen.append(row)
    return chosen


def _by_k_center(lake: PlantedLake, budget: int, draws: random.Random) -> list[int]:
    """Return rows each of which is the farthest from those before it."""
    chosen = [draws.randrange(len(lake.rollouts))]
    nearest = lake.vectors @ lake.vectors[chosen[0]]
    while len(chosen) < budget:
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, lake.vectors @ lake.vectors[chosen[-1]])
    return chosen


SELECTORS: dict[str, Selector] = {
    "random": _by_chance,
    "coverage": _by_budget,
    "cap alone": _by_cap_alone,
    "k-center": _by_k_center,
}


def test_budget_by_coverage_is_more_diverse_than_chance_and_takes_no_junk(rollouts: list[Rollout]) -> None:
    found: dict[tuple[str, int], list[Figures]] = defaultdict(list)
    lake_junk = []
    for seed in range(NUM_SEEDS):
        lake = plant(rollouts, seed=seed)
        lake_junk.append(sum(each.is_junk for each in lake.rollouts) / len(lake.rollouts))
        for name, selector in SELECTORS.items():
            for budget in BUDGETS:
                draws = random.Random(f"{name} {budget} {seed}")
                found[name, budget].append(_figures(lake, selector(lake, budget, draws)))
    means = {key: Figures(*np.mean(each, axis=0)) for key, each in found.items()}
    passing = {}
    for (name, budget), mean in means.items():
        chance = means["random", budget]
        passing[name, budget] = (
            mean.tasks >= BUDGETS[budget] * chance.tasks
            and mean.cover >= chance.cover + MORE_COVER
            and mean.junk <= np.mean(lake_junk)
        )
        print(
            f"{budget} rows by {name}: {mean.tasks:.1f} tasks ({mean.tasks / chance.tasks:.2f} x random), "
            f"cover {mean.cover:.3f}, junk {mean.junk:.2%}: {'passes' if passing[name, budget] else 'fails'}"
        )
    assert all(passing["coverage", budget] for budget in BUDGETS)
    assert not any(passing[name, budget] for name in ("cap alone", "k-center") for budget in BUDGETS)


def test_whole_run_with_a_budget_reaches_more_tasks_than_chance(
    intercode: Curated, lake_settings: Callable[..., LoadedSettings]
) -> None:
    loaded = lake_settings("selection.budget=200")
    small = Curated(Store(loaded.settings.store), execute(loaded))
    clusters = small.table("clusters")
    kept = small.table("decisions").filter(decision="keep").join(clusters, on="traj_id")
    groups = clusters["task_group"].to_list()
    chance = np.mean([len(set(random.Random(seed).sample(groups, 200))) for seed in range(NUM_SEEDS)])
    print(f"200 rows of a whole run: {kept['task_group'].n_unique()} tasks, by chance {chance:.1f}")
    assert kept.height == 200
    assert kept["task_group"].n_unique() >= 1.3 * chance
    assert kept.filter(pl.col("outcome_class") == "success").height >= 50
