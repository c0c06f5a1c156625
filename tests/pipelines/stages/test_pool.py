import pytest

from pipelines.stages.pool import build_pool, read_pool
from schemas.settings import Settings
from schemas.settings.selection import SelectionSettings

_SETTINGS = Settings.model_validate(
    {"lake": {"root": "."}, "store": "s", "identity": {"policy_fields": ["model_name"]}}
)


def _pool(filled_table, rows, settings=_SETTINGS):
    """Build the pool of rollouts given as (facts of each table)."""
    ids = [row["traj_id"] for row in rows]
    default = {"task_key": "id:1", "task_group": "id:1", "environment": "e", "outcome_class": "failure"}
    tables = {
        "clusters": filled_table("clusters", [default | _only(row, "clusters") for row in rows]),
        "trajectories": filled_table(
            "trajectories",
            [
                {"model_name": "m", "env_name": "e", "num_agent_steps": 2, "num_steps": 4} | _only(row, "trajectories")
                for row in rows
            ],
        ),
        "features": filled_table("features", [{"traj_id": name} for name in ids]),
        "behaviours": filled_table("behaviours", [{"agent_acted": True} | _only(row, "behaviours") for row in rows]),
        "audit": filled_table("audit", [_only(row, "audit") for row in rows]),
        "safety": filled_table("safety", [{"traj_id": name} for name in ids]),
    }
    tasks = filled_table("tasks", [{"task_key": "id:1", "curriculum": "medium"}])
    task_policies = filled_table("task_policies", [{"task_key": "id:1", "policy": "m", "learnability": 0.2}])
    return build_pool(tables, tasks=tasks, task_policies=task_policies, settings=settings).to_pylist()


_COLUMNS = {
    "clusters": ("outcome_class", "family_id", "method", "task_group"),
    "trajectories": ("reward", "tests_passed", "tests_failed", "termination", "num_steps"),
    "behaviours": ("agent_acted", "first_error_step", "recovered"),
    "audit": ("flags",),
}


def _only(row, table):
    return {"traj_id": row["traj_id"]} | {name: row[name] for name in _COLUMNS[table] if name in row}


def test_pool_row_holds_identity_and_stratum(filled_table):
    (row,) = _pool(filled_table, [{"traj_id": "a", "outcome_class": "success", "reward": 1.0}])

    wanted = {"traj_id": "a", "policy": "m", "stratum": "e/success/medium", "split": "train", "learnability": 0.2}
    assert {name: row[name] for name in wanted} == wanted
    assert (row["reward"], row["contrast"], row["is_weighed"], row["is_eligible"]) == (1.0, True, True, False)


def test_rows_that_no_dataset_weighs_are_unscored_invalid_or_failures_of_the_machinery(filled_table):
    rows = [
        {"traj_id": "a"},
        {"traj_id": "b", "termination": "infra_error"},
        {"traj_id": "c", "outcome_class": "unscored"},
        {"traj_id": "d", "outcome_class": "invalid"},
        {"traj_id": "e", "outcome_class": "success", "termination": "infra_error"},
        {"traj_id": "f", "flags": ["test_edit"]},
    ]

    pool = _pool(filled_table, rows)

    assert [row["is_weighed"] for row in pool] == [True, False, False, False, True, True]
    assert [row["is_eligible"] for row in pool] == [True, False, False, False, False, False]
    assert [row["has_audit_flag"] for row in pool] == [False] * 5 + [True]


def test_a_rollout_in_which_the_agent_did_nothing_goes_where_it_would_take_a_place(filled_table):
    rows = [
        {"traj_id": "a", "agent_acted": False, "method": "empty", "task_group": "one"},
        {"traj_id": "b", "agent_acted": False, "task_group": "two"},
        {"traj_id": "c", "agent_acted": True, "method": "empty", "task_group": "three"},
        {"traj_id": "d", "agent_acted": False, "task_group": "three"},
    ]

    pool = _pool(filled_table, rows)

    assert [row["is_empty"] for row in pool] == [True, False, False, True]
    assert [row["is_weighed"] for row in pool] == [False, False, True, False]
    assert [row["is_eligible"] for row in pool] == [False, False, True, False]
    scarce = _pool(
        filled_table, rows, settings=_SETTINGS.model_copy(update={"selection": SelectionSettings(budget=9)})
    )
    assert [row["is_empty"] for row in scarce] == [True, True, False, True]


def test_signs_are_null_where_nothing_is_known(filled_table):
    rows = [
        {"traj_id": "a", "family_id": "f", "first_error_step": 1, "recovered": True},
        {"traj_id": "b", "family_id": "f", "first_error_step": 9},
        {"traj_id": "c", "family_id": "g"},
        {"traj_id": "d", "num_steps": 0, "first_error_step": 1},
        {"traj_id": "e", "family_id": "h", "outcome_class": "success"},
    ]

    pool = _pool(filled_table, rows)

    assert [row["first_error"] for row in pool] == [0.25, 1.0, None, None, None]
    assert [row["novelty"] for row in pool] == [0.5, 0.5, 1.0, None, None]
    assert [row["recovered"] for row in pool] == [True, False, False, False, False]


@pytest.mark.parametrize(("least", "expected"), [(0.5, [0.5, 0.5, 1.0]), (0.6, [None, None, None])])
def test_near_misses_count_only_where_they_tell_of_a_siblings_success(filled_table, least, expected):
    settings = Settings.model_validate(
        _SETTINGS.model_dump() | {"selection": {"failures": {"near_miss_min_auc": least}}}
    )
    rows = [
        {"traj_id": "a", "tests_passed": 1, "tests_failed": 1},
        {"traj_id": "b", "tests_passed": 1, "tests_failed": 1},
        {"traj_id": "c", "outcome_class": "success", "reward": 1.0},
    ]

    assert [row["near_miss"] for row in _pool(filled_table, rows, settings)] == expected


def test_tables_that_do_not_match_are_refused(stage_over, chat_trajectory, filled_table):
    lake = [chat_trajectory({"trajectory_id": "a", "messages": [{"role": "user", "content": "x"}]})]
    context = stage_over(lake)
    context.write("clusters", filled_table("clusters", [{"traj_id": "b"}]))

    with pytest.raises(ValueError, match="trajectories and clusters do not have the same trajectories"):
        read_pool(context)
