from collections import Counter
from typing import Any

import pytest

from pipelines.stages import selection, tasks
from pipelines.stages.selection import finish_use
from schemas.errors import QualityError
from schemas.tables import SCHEMAS
from transforms.selecting.seeds import SeedTask
from transforms.store.tables import rows_to_table, write_table

_TEXTS = {"success": "The parser is fast.", "failure": "It is slow still."}


def rollout(chat_trajectory, traj_id, *, task="one", reward=1.0, model="m", text=None):
    said = text or f"{_TEXTS['success' if reward else 'failure']} {traj_id}"
    messages = [{"role": "user", "content": f"Do {task}"}, {"role": "assistant", "content": said}]
    row = {"trajectory_id": traj_id, "task_id": task, "reward": reward, "messages": messages, "model": model}
    return chat_trajectory(row | {"environment": "env"})


def outcome_of(reward: float | None) -> str:
    return "unscored" if reward is None else "success" if reward >= 1 else "failure"


def judged(
    context, trajectories, *, keepers=None, audit=(), unsafe=(), empty=(), vectors=None, hits=None, approaches=None
):
    """Write what the stages before would have written, then run `tasks` and `select`."""
    keepers, hits = keepers or {}, hits or {}
    (pack,) = context.packs
    clusters, embedded = [], []
    derived: dict[str, list[dict[str, Any]]] = {"features": [], "behaviours": [], "audit": [], "safety": []}
    for each in sorted(trajectories, key=lambda each: each.traj_id):
        name, keeper = each.traj_id, keepers.get(each.traj_id, each.traj_id)
        task = f"id:{each.header.task_id}"
        method = "empty" if name in empty else "none" if keeper == name else "exact"
        alike = {
            "method": method,
            "exact_group": keeper,
            "lexical_group": keeper,
            "semantic_group": keeper,
            "keeper_id": keeper,
            "approach_group": (approaches or {}).get(name, name),
        }
        cell = {"task_key": task, "task_group": task, "outcome_class": outcome_of(each.header.reward)}
        clusters.append({"traj_id": name, "environment": "env", "similarity_to_keeper": 1.0} | alike | cell)
        derived["features"].append({"traj_id": name, "content_hash": name, "token_count": 10})
        derived["behaviours"].append({"traj_id": name, "agent_acted": name not in empty})
        derived["audit"].append({"traj_id": name, "flags": ["test_edit"] if name in audit else []})
        derived["safety"].append({"traj_id": name, "severity": 2 if name in unsafe else 0, "flags": []})
        embedded.append(
            due("embeddings") | {"traj_id": name, "view": "fused", "vector": (vectors or {}).get(name, [0])}
        )
    context.write("clusters", [due("clusters") | row for row in clusters])
    context.write("embeddings", embedded)
    context.write(
        "reference_hits", [due("reference_hits") | {"traj_id": k, "reference_id": v} for k, v in hits.items()]
    )
    for table, rows in derived.items():
        whole = rows_to_table([due(table) | row for row in rows], SCHEMAS[table])
        write_table(context.store, pack.path(table), whole)
    tasks.run(context)
    selection.run(context)


def due(table: str) -> dict[str, Any]:
    empty = {"string": "", "bool": False, "double": 0.0}
    return {field.name: empty.get(str(field.type), 0) for field in SCHEMAS[table] if not field.nullable}


def rows_of(context, table, *columns):
    return [tuple(row.values()) for row in context.read(table, list(columns)).to_pylist()]


def test_every_trajectory_has_one_decision_and_one_use_in_each_dataset(stage_over, chat_trajectory):
    lake = [
        rollout(chat_trajectory, "a1"),
        rollout(chat_trajectory, "a2"),
        rollout(chat_trajectory, "a3", reward=0.0),
        rollout(chat_trajectory, "a4", reward=None),
        rollout(chat_trajectory, "b1", task="two"),
        rollout(chat_trajectory, "b2", task="two", reward=0.0),
        rollout(chat_trajectory, "c1", task="three"),
    ]
    context = stage_over(lake)

    judged(context, lake, keepers={"a2": "a1"}, audit=["b1"], unsafe=["c1"], empty=["b2"])

    assert rows_of(context, "decisions", "traj_id", "decision", "reason", "reference_id") == [
        ("a1", "keep", "kept", None),
        ("a2", "drop", "exact_copy", "a1"),
        ("a3", "keep", "kept", None),
        ("a4", "keep", "kept", None),
        ("b1", "keep", "kept", None),
        ("b2", "drop", "empty", None),
        ("c1", "keep", "kept", None),
    ]
    assert rows_of(context, "uses", "dataset", "role", "traj_id", "task_key", "reason") == [
        ("dpo", "chosen", "a1", "id:one", "used"),
        ("dpo", "chosen", "a2", "id:one", "dropped_from_pool"),
        ("dpo", "chosen", "b1", "id:two", "reward_audit"),
        ("dpo", "chosen", "c1", "id:three", "unsafe"),
        ("dpo", "rejected", "a3", "id:one", "used"),
        ("dpo", "rejected", "a4", "id:one", "unscored"),
        ("dpo", "rejected", "b2", "id:two", "dropped_from_pool"),
        ("kto", "sample", "a1", "id:one", "used"),
        ("kto", "sample", "a2", "id:one", "dropped_from_pool"),
        ("kto", "sample", "a3", "id:one", "used"),
        ("kto", "sample", "a4", "id:one", "unscored"),
        ("kto", "sample", "b1", "id:two", "reward_audit"),
        ("kto", "sample", "b2", "id:two", "dropped_from_pool"),
        ("kto", "sample", "c1", "id:three", "unsafe"),
        ("rl", "prompt", None, "id:one", "used"),
        ("rl", "prompt", None, "id:three", "used"),
        ("rl", "prompt", None, "id:two", "used"),
        ("sft", "demonstration", "a1", "id:one", "used"),
        ("sft", "demonstration", "a2", "id:one", "dropped_from_pool"),
        ("sft", "demonstration", "a3", "id:one", "not_a_success"),
        ("sft", "demonstration", "a4", "id:one", "unscored"),
        ("sft", "demonstration", "b1", "id:two", "reward_audit"),
        ("sft", "demonstration", "b2", "id:two", "not_a_success"),
        ("sft", "demonstration", "c1", "id:three", "unsafe"),
    ]
    assert context.read("pairs").num_rows == 1


def test_unwanted_datasets_have_no_uses(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, "a1"), rollout(chat_trajectory, "a2", reward=0.0)]
    context = stage_over(lake, settings={"export": {"targets": ["sft"]}})

    judged(context, lake)

    assert {dataset for (dataset,) in rows_of(context, "uses", "dataset")} == {"sft"}
    assert context.read("pairs").num_rows == 0


def test_cap_and_budget_drop_what_is_over_them_and_no_task(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}") for n in range(6)]
    lake += [rollout(chat_trajectory, f"b{n}", task="two", reward=0.0) for n in range(4)]
    context = stage_over(lake, settings={"selection": {"max_per_task": 3, "budget": 4}})

    judged(context, lake)

    reasons = Counter(reason for _, reason in rows_of(context, "decisions", "traj_id", "reason"))
    assert reasons == {"kept": 4, "task_cap": 4, "budget": 2}
    kept = [name for name, reason in rows_of(context, "decisions", "traj_id", "reason") if reason == "kept"]
    assert kept == ["a0", "a1", "b0", "b1"]


@pytest.mark.parametrize(("spread", "kept"), [("coverage", {"a2", "a4"}), ("turns", {"a0", "a1"})])
def test_budget_goes_to_rows_that_stand_for_others(stage_over, chat_trajectory, spread, kept):
    lake = [rollout(chat_trajectory, f"a{n}") for n in range(5)]
    vectors = {"a0": [0, 0, 1], "a1": [1, 0, 0], "a2": [1, 0.1, 0], "a3": [0, 1, 0], "a4": [0, 1, 0.1]}
    context = stage_over(lake, settings={"selection": {"budget": 2, "spread": spread}})

    judged(context, lake, vectors=vectors)

    reasons = dict(rows_of(context, "decisions", "traj_id", "reason"))
    assert {name for name, reason in reasons.items() if reason == "kept"} == kept


def test_groups_of_rollouts_stay_or_go_together(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}", reward=float(n % 2)) for n in range(4)]
    lake += [rollout(chat_trajectory, f"b{n}", task="two") for n in range(4)]
    lake += [rollout(chat_trajectory, f"c{n}", task="three", reward=float(n % 2)) for n in range(4)]
    settings = {"selection": {"budget": 9, "keep_groups": True}}
    context = stage_over(lake, settings=settings)

    judged(context, lake, keepers={"a3": "a1", "b1": "b0"})

    reasons = dict(rows_of(context, "decisions", "traj_id", "reason"))
    assert {name for name, reason in reasons.items() if reason == "kept"} == {
        f"{t}{n}" for t in "ac" for n in range(4)
    }
    assert {reasons[f"b{n}"] for n in range(4)} == {"budget"}


def test_every_row_of_a_group_that_goes_names_one_that_stays_with_similarity_and_rule(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}", model="m") for n in range(2)]
    lake += [rollout(chat_trajectory, f"b{n}", model="n") for n in range(2)]
    # One group holds the keepers of both but one rollout, which stands in the group of the best run.
    context = stage_over(lake, settings={"selection": {"keep_groups": True}})

    judged(context, lake, keepers={"a0": "b0", "b1": "a1"})

    columns = ("traj_id", "decision", "reference_id", "similarity", "keeper_rule")
    assert rows_of(context, "decisions", *columns) == [
        ("a0", "keep", None, None, None),
        ("a1", "keep", None, None, None),
        ("b0", "drop", "a0", 1.0, "smallest_id"),
        ("b1", "drop", "a1", 1.0, "smallest_id"),
    ]


def test_a_better_row_whose_group_goes_names_the_rule_that_groups_stay_whole(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, "a0", model="m")]
    lake += [rollout(chat_trajectory, f"b{n}", model="n") for n in range(2)]
    context = stage_over(lake, settings={"selection": {"keep_groups": True}})

    judged(context, lake, keepers={"b0": "a0"})

    columns = ("traj_id", "decision", "reference_id", "similarity", "keeper_rule")
    assert rows_of(context, "decisions", *columns) == [
        ("a0", "drop", "b0", 1.0, "keep_groups"),
        ("b0", "keep", None, None, None),
        ("b1", "keep", None, None, None),
    ]


def test_an_approach_is_capped_apart_from_its_task_where_the_settings_say_so(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}", model="m" if n < 5 else "other") for n in range(6)]
    approaches = {f"a{n}": "a0" for n in (0, 1, 2, 5)}
    for limit, expected in ((None, {"kept": 6}), (2, {"kept": 5, "approach_cap": 1})):
        settings = {"selection": {"max_per_approach": limit}}
        context = stage_over(lake, name=f"run{limit}", store=f"store{limit}", settings=settings)

        judged(context, lake, approaches=approaches)

        reasons = dict(rows_of(context, "decisions", "traj_id", "reason"))
        assert Counter(reasons.values()) == expected
        assert limit is None or reasons["a2"] == "approach_cap"


def test_weights_bring_outcomes_to_their_targets(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}") for n in range(6)]
    lake += [rollout(chat_trajectory, f"b{n}", reward=0.0) for n in range(3)]
    targets = {"*/success/*": 0.5, "*/failure/*": 0.5}
    context = stage_over(lake, settings={"selection": {"balance": {"targets": targets}}})

    judged(context, lake)

    balance = context.read("balance").to_pylist()
    assert [(row["stratum"], row["num_available"], row["num_selected"]) for row in balance] == [
        ("env/failure/medium", 3, 3),
        ("env/success/medium", 6, 6),
    ]
    assert [row["weighted_share"] for row in balance] == pytest.approx([0.5, 0.5])
    weights = dict(rows_of(context, "decisions", "traj_id", "weight"))
    assert sum(weights.values()) == pytest.approx(9)
    assert weights["a0"] == pytest.approx(0.75)
    assert weights["b0"] == pytest.approx(1.5)


def test_selection_that_drops_too_much_fails_the_run(stage_over, chat_trajectory):
    lake = [rollout(chat_trajectory, f"a{n}") for n in range(4)]
    context = stage_over(lake, settings={"selection": {"max_per_task": 1, "max_drop_ratio": 0.5}})

    with pytest.raises(QualityError, match=r"selection drops 3 of 4 trajectories, more than .*max_drop_ratio=0\.5"):
        judged(context, lake)


def test_tasks_and_policies_have_one_row_each_seed_tasks_included(stage_over, chat_trajectory):
    lake = [
        rollout(chat_trajectory, "a1", model="x"),
        rollout(chat_trajectory, "a2", model="y", reward=0.0),
        *[rollout(chat_trajectory, f"b{n}", task="two") for n in range(3)],
    ]
    context = stage_over(lake, settings={"identity": {"policy_fields": ["model_name"]}})
    context.seed_tasks = [
        SeedTask("nine", "Do nine", "env", '{"v":1}'),
        SeedTask("two", "Do two", "env", '{"v":1}'),
        SeedTask("one", "Do one", "env", '{"v":1}'),
        SeedTask("ten", "Do ten", "terminal", '{"v":1}'),
    ]

    judged(context, lake)

    columns = (
        "task_key",
        "env_type",
        "instruction",
        "num_rollouts",
        "is_seed",
        "seed_reason",
        "decision",
        "curriculum",
    )
    assert rows_of(context, "tasks", *columns) == [
        ("id:nine", "other", "Do nine", 0, True, "seed_file", "hard_seed", "unknown"),
        ("id:one", "other", "Do one", 2, True, "seed_file", "hard_seed", "medium"),
        ("id:ten", "terminal", "Do ten", 0, True, "seed_file", "hard_seed", "unknown"),
        ("id:two", "other", "Do two", 3, False, None, "mastered", "easy"),
    ]
    assert rows_of(context, "task_policies", "task_key", "policy", "num_scored", "num_success", "pass_rate") == [
        ("id:one", "x", 1, 1, 1.0),
        ("id:one", "y", 1, 0, 0.0),
        ("id:two", "m", 3, 3, 1.0),
    ]


def test_empty_lake_has_empty_tables(stage_over, chat_trajectory):
    context = stage_over([])

    judged(context, [])

    assert [context.read(table).num_rows for table in ("tasks", "task_policies", "decisions", "uses", "balance")] == [
        0
    ] * 5


def test_used_row_is_written_once_or_as_often_as_its_weight_says():
    row = {"dataset": "kto", "row_id": "r", "used": True, "reason": "used", "weight": 2.0}

    assert finish_use(row, seed=0, materialise=False)["copies"] == 1
    assert finish_use(row, seed=0, materialise=True)["copies"] == 2
    light = finish_use(row | {"weight": 0.0}, seed=0, materialise=True)
    assert (light["used"], light["reason"], light["row_id"], light["copies"]) == (False, "not_drawn", None, 0)
    unused = finish_use(row | {"used": False}, seed=0, materialise=True)
    assert (unused["copies"], unused["position_key"]) == (0, None)
