from typing import Any

import polars as pl

from schemas.reasons import UseReason
from transforms.selecting.seeds import SeedTask
from transforms.targets.rows import mark_refused, refused_rows, sample_rows, task_rows

FACTS = pl.DataFrame(
    {
        "traj_id": ["a", "b", "c"],
        "task_id": ["1", "1", "text:h"],
        "task_key": ["id:1", "id:1", "text:h"],
        "environment": ["air", "air", "air"],
        "outcome_class": ["failure", "success", "success"],
        "reward": [0.0, 1.0, 1.0],
        "num_agent_steps": [0, 3, 2],
        "token_count": [10, 20, 30],
    }
)


def uses(*rows: dict[str, Any]) -> pl.DataFrame:
    whole = {"traj_id": None, "used": True, "reason": "used", "weight": 1.0, "copies": 1, "split": "train"}
    return pl.DataFrame(
        [whole | {"position_key": "00"} | row for row in rows],
        schema={
            "dataset": pl.String,
            "role": pl.String,
            "traj_id": pl.String,
            "task_key": pl.String,
            "row_id": pl.String,
            "used": pl.Boolean,
            "reason": pl.String,
            "weight": pl.Float64,
            "copies": pl.Int32,
            "split": pl.String,
            "position_key": pl.String,
        },
    )


def test_samples_are_the_used_trajectories_with_their_verdict() -> None:
    table = uses(
        {"dataset": "kto", "role": "sample", "traj_id": "b", "task_key": "id:1", "row_id": "r1"},
        {"dataset": "kto", "role": "sample", "traj_id": "a", "task_key": "id:1", "row_id": "r2"},
        {"dataset": "kto", "role": "sample", "traj_id": "c", "task_key": "text:h", "used": False, "copies": 0},
        {"dataset": "sft", "role": "demonstration", "traj_id": "c", "task_key": "text:h", "row_id": "r4"},
    )
    rows = sample_rows(table, FACTS, dataset="kto")
    assert rows.select("id", "traj_id", "label", "num_tokens", "task_id", "environment").rows() == [
        ("r1", "b", True, 20, "1", "air"),
        ("r2", "a", False, 10, "1", "air"),
    ]


def test_a_task_takes_its_prompt_from_the_seed_file_or_a_rollout_in_which_the_agent_acted() -> None:
    prompts = [
        {"dataset": "rl", "role": "prompt", "task_key": key, "row_id": key}
        for key in ("id:1", "id:9", "text:h", "id:0")
    ]
    tasks = pl.DataFrame(
        {
            "task_key": ["id:0", "id:1", "id:9", "text:h"],
            "environment": ["air"] * 4,
            "env_type": ["dialog"] * 4,
            "is_seed": [False, False, True, False],
            "pass_rate": [None, 0.5, None, 1.0],
        }
    )
    seeds = {"id:9": SeedTask("9", "Do it now.", "air", '{"ground_truth":"42"}')}
    rows = task_rows(uses(*prompts), FACTS, tasks=tasks, seeds=seeds, data_source=None)
    names = ("id", "traj_id", "seed_prompt", "task_id", "data_source", "ability", "tokens")
    assert rows.select(names).rows() == [
        ("id:1", "b", None, "1", "air", "dialog", 20),
        ("id:9", None, "Do it now.", "9", "air", "dialog", 2),
        ("text:h", "c", None, "text:h", "air", "dialog", 30),
        ("id:0", None, None, "id:0", "air", "dialog", 0),
    ]
    rendered = pl.DataFrame(
        {"traj_id": ["b", "c"], "dataset": ["rl", "rl"], "reason": [None, "no_assistant_turn"], "completion_hash": "h"}
    )
    assert refused_rows(rows, rendered, dataset="rl", sides=("traj_id",)) == {
        "text:h": UseReason.NO_ASSISTANT_TURN,
        "id:0": UseReason.UNUSABLE_CONVERSATION,
    }


def test_a_pair_falls_with_either_side_and_when_both_render_alike() -> None:
    rendered = pl.DataFrame(
        {
            "traj_id": ["a", "b", "c", "d", "a"],
            "dataset": ["dpo"] * 4 + ["kto"],
            "reason": [None, None, "unusable_conversation", None, "no_assistant_turn"],
            "completion_hash": ["h", "h", None, "i", None],
        }
    )
    rows = pl.DataFrame({"id": ["1", "2", "3"], "chosen_id": ["a", "a", "a"], "rejected_id": ["b", "c", "d"]})
    assert refused_rows(rows, rendered, dataset="dpo", sides=("chosen_id", "rejected_id")) == {
        "1": UseReason.IDENTICAL_SIDES,
        "2": UseReason.UNUSABLE_CONVERSATION,
    }


def test_a_refused_row_says_why_in_uses() -> None:
    table = uses(
        {"dataset": "kto", "role": "sample", "traj_id": "a", "task_key": "id:1", "row_id": "r1"},
        {"dataset": "sft", "role": "demonstration", "traj_id": "a", "task_key": "id:1", "row_id": "r1"},
    )
    marked = mark_refused(table, {("kto", "r1"): UseReason.NO_ASSISTANT_TURN})
    assert marked.select("dataset", "used", "reason", "copies", "row_id", "position_key").rows() == [
        ("kto", False, "no_assistant_turn", 0, None, None),
        ("sft", True, "used", 1, "r1", "00"),
    ]
    assert marked.schema == table.schema
    assert mark_refused(table, {}).equals(table)
