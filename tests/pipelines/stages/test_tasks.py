from pipelines.stages.tasks import finish_tasks, slim_rollouts, task_facts
from schemas.settings import Settings
from transforms.judging.verdicts import SlimRollout
from transforms.selecting.seeds import SeedTask


def _settings(**sections):
    return Settings.model_validate({"lake": {"root": "."}, "store": "s"} | sections)


def _judged(key, decision, reason):
    facts = {"task_key": key, "task_group": key, "env_type": "dialog", "environment": "air", "instruction": "do"}
    counts = {"num_rollouts": 4, "num_policies": 1, "pass_rate": 0.5, "difficulty": 0.5, "curriculum": "medium"}
    return facts | counts | {"decision": decision, "reason": reason}


def test_task_is_described_by_its_smallest_rollout_that_states_it(filled_table):
    clusters = filled_table(
        "clusters",
        [{"traj_id": name, "task_key": "id:1", "task_group": "id:0", "environment": f"env-{name}"} for name in "abc"],
    )
    texts = [None, "first", "second"]
    trajectories = filled_table(
        "trajectories",
        [{"traj_id": n, "env_type": f"k-{n}", "instruction": t} for n, t in zip("abc", texts, strict=True)],
    )

    assert task_facts(trajectories, clusters) == {
        "id:1": {
            "task_key": "id:1",
            "task_group": "id:0",
            "environment": "env-a",
            "env_type": "k-a",
            "instruction": "first",
        }
    }


def test_near_misses_reach_judging_only_where_they_mean_something(filled_table):
    outcomes = ["failure", "failure", "success"]
    clusters = filled_table(
        "clusters",
        [
            {"traj_id": n, "task_group": "id:1", "environment": "e", "outcome_class": o}
            for n, o in zip("abc", outcomes, strict=True)
        ],
    )
    facts = {"env_name": "e", "model_name": "m", "tests_passed": 1, "tests_failed": 1}
    trajectories = filled_table(
        "trajectories",
        [facts | {"traj_id": n, "termination": t} for n, t in (("a", "finished"), ("b", "infra_error"), ("c", ""))],
    )

    def slim(least):
        failures = {"selection": {"failures": {"near_miss_min_auc": least}}}
        settings = _settings(identity={"policy_fields": ["model_name"]}, **failures)
        return slim_rollouts(trajectories, clusters, settings=settings)

    assert slim(0.5) == [
        SlimRollout("m", "failure", False, 0.5, 0.5),
        SlimRollout("m", "failure", True, 0.5, 0.5),
        SlimRollout("m", "success", False, 0.5, 0.5),
    ]
    assert [rollout.near_miss for rollout in slim(0.6)] == [None, None, None]


def test_seed_task_that_the_lake_knows_is_the_same_task_unless_it_is_mastered():
    rows = [_judged("id:b", "unsolved", "all_fail"), _judged("id:a", "mastered", "all_pass")]
    seeds = {key: SeedTask(key[3:], "text", "air", "{}") for key in ("id:a", "id:b", "id:c")}

    tasks = finish_tasks(rows, seeds, settings=_settings())

    columns = ("task_key", "decision", "reason", "is_seed", "seed_reason", "weight", "env_type", "num_rollouts")
    assert [tuple(task[name] for name in columns) for task in tasks] == [
        ("id:a", "mastered", "all_pass", False, None, 0.0, "dialog", 4),
        ("id:b", "hard_seed", "all_fail", True, "seed_file", 1.0, "dialog", 4),
        ("id:c", "hard_seed", "seed_file", True, "seed_file", 1.0, "dialog", 0),
    ]


def test_hard_task_of_the_lake_says_why_it_is_a_seed_and_tasks_have_the_split_of_their_group():
    row = _judged("id:a", "hard_seed", "near_miss")

    (task,) = finish_tasks([row], {}, settings=_settings(selection={"validation_share": 0.5}, seed=1))
    (same,) = finish_tasks(
        [row | {"task_key": "id:z"}], {}, settings=_settings(selection={"validation_share": 0.5}, seed=1)
    )

    assert (task["is_seed"], task["seed_reason"]) == (True, "near_miss")
    assert task["split"] == same["split"]
