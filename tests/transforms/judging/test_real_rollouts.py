import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from schemas.tables import SCHEMAS
from transforms.judging.near_miss import partial_results, sibling_aucs
from transforms.judging.outcomes import outcome_classes
from transforms.judging.verdicts import JudgingRules, SlimRollout, judge_policies, judge_task, tally_of

_COLUMNS = [
    *("traj_id", "env_name", "env_type", "reward", "reward_components", "scored", "reward_valid", "termination"),
    *("tests_passed", "tests_failed"),
]
_RULES = JudgingRules(prior_strength=1.0, hard_max=0.25, easy_min=0.75)


def _table(rewards: Sequence[float]) -> pa.Table:
    rows = [
        {
            "traj_id": f"t{number}",
            "env_name": "real",
            "env_type": "other",
            "reward": float(reward),
            "scored": True,
            "reward_valid": True,
            "termination": "finished",
        }
        for number, reward in enumerate(rewards)
    ]
    return pa.Table.from_pylist(rows, pa.schema([SCHEMAS["trajectories"].field(name) for name in _COLUMNS]))


def _outcomes(rewards: Sequence[float]) -> list[str]:
    nobody = pa.table({"traj_id": pa.array([], pa.string()), "agent_acted": pa.array([], pa.bool_())})
    classes = outcome_classes(_table(rewards), nobody, success_threshold=1.0, by_environment={}, component=None)
    return [str(outcome) for outcome in classes]


def _by_task(tasks: Sequence[str], policies: Sequence[str], outcomes: Sequence[str]) -> dict[str, list[SlimRollout]]:
    grouped: dict[str, list[SlimRollout]] = defaultdict(list)
    for task, policy, outcome in zip(tasks, policies, outcomes, strict=True):
        grouped[task].append(SlimRollout(policy, outcome, False, None, None))
    return grouped


def test_tau_airline_has_26_mixed_14_unsolved_and_10_mastered_tasks(real_rollouts: Path) -> None:
    runs = json.loads((real_rollouts / "tau-bench/historical_trajectories/gpt-4o-airline.json").read_text())
    outcomes = _outcomes([run["reward"] for run in runs])

    grouped = _by_task([str(run["task_id"]) for run in runs], ["gpt-4o"] * len(runs), outcomes)

    assert (outcomes.count("success"), outcomes.count("failure")) == (84, 116)
    reasons = [judge_task(rollouts, _RULES).reason for rollouts in grouped.values()]
    assert {reason: reasons.count(reason) for reason in set(reasons)} == {"mixed": 26, "all_fail": 14, "all_pass": 10}


def test_intercode_has_137_mixed_tasks_and_83_mixed_groups_and_its_near_misses_mean_nothing(
    real_rollouts: Path,
) -> None:
    runs = []
    for path in sorted((real_rollouts / "intercode-bash/data/results/bash").glob("*/*.json")):
        content = json.loads(path.read_text())
        runs += [(path.parent.name, run) for run in content.get("logs", content).values() if "query" in run]
    rewards = [run["summary"]["max_reward"] for _, run in runs]
    outcomes = _outcomes(rewards)
    tasks, models = [run["query"] for _, run in runs], [model for model, _ in runs]

    grouped = _by_task(tasks, models, outcomes)
    policies = [row for rollouts in grouped.values() for row in judge_policies(rollouts, _RULES)]
    partials = partial_results(_table(rewards), [1.0] * len(runs))
    aucs = sibling_aucs(["bash"] * len(runs), tasks, outcomes=outcomes, partials=partials)

    assert (len(runs), len(grouped), len(policies)) == (1802, 200, 1395)
    tallies = [tally_of(rollouts) for rollouts in grouped.values()]
    assert sum(0 < tally.successes < tally.trials for tally in tallies) == 137
    assert sum(0 < row["num_success"] < row["num_scored"] for row in policies) == 83
    assert 0.45 < aucs["bash"] < 0.55
