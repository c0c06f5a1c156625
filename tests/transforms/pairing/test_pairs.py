import random
from collections import Counter
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.pairing.candidates import CANDIDATE_SCHEMA
from transforms.pairing.pairs import PairResult, mine_pairs


def candidate(traj_id: str, outcome: str, **other: Any) -> dict[str, Any]:
    row = {
        "traj_id": traj_id,
        "task_key": "id:1",
        "task_group": "id:1",
        "environment": "airline",
        "outcome_class": outcome,
        "reward": {"success": 1.0, "failure": 0.0}.get(outcome),
        "num_agent_steps": 5,
        "token_count": 100,
        "content_hash": traj_id,
        "semantic_group": traj_id,
        "educational_score": 0.5,
        "weight": 1.0,
        "kept": True,
        "has_audit_flag": False,
        "safety_severity": 0,
        "split": "train",
        "is_infrastructure": False,
    }
    return row | other


def mine(rows: list[dict[str, Any]], **other: Any) -> PairResult:
    options: dict[str, Any] = {
        "seed": 0,
        "max_per_task": 2,
        "max_uses_per_trajectory": 2,
        "min_margin": 0.2,
        "max_length_ratio": 2.0,
    }
    return mine_pairs(pa.Table.from_pylist(rows, schema=CANDIDATE_SCHEMA), **(options | other))


def sides(result: PairResult) -> list[tuple[str, str]]:
    return [(row["chosen_id"], row["rejected_id"]) for row in result.pairs.to_pylist()]


def reasons(result: PairResult) -> dict[str, str]:
    return {row["traj_id"]: row["reason"] for row in result.uses.to_pylist()}


def test_a_pair_is_written_with_its_facts_and_uses() -> None:
    result = mine(
        [
            candidate("s", "success", token_count=150, weight=4.0),
            candidate("f", "failure", reward=0.25, split="train"),
        ]
    )
    [pair] = result.pairs.to_pylist()
    row_id, position = pair.pop("row_id"), pair.pop("position_key")
    assert pair == {
        "pair_kind": "trajectory",
        "chosen_id": "s",
        "rejected_id": "f",
        "task_key": "id:1",
        "task_group": "id:1",
        "environment": "airline",
        "margin": 0.75,
        "chosen_reward": 1.0,
        "rejected_reward": 0.25,
        "num_tokens_chosen": 150,
        "num_tokens_rejected": 100,
        "weight": 2.0,
        "copies": 1,
        "split": "train",
    }
    use = {
        "dataset": "dpo",
        "task_key": "id:1",
        "row_id": row_id,
        "used": True,
        "reason": "used",
        "copies": 1,
        "split": "train",
        "position_key": position,
    }
    assert result.uses.to_pylist() == [
        use | {"role": "chosen", "traj_id": "s", "weight": 2.0},
        use | {"role": "rejected", "traj_id": "f", "weight": 2.0},
    ]


def test_the_most_efficient_success_is_chosen_first() -> None:
    rows = [
        candidate("a", "success", num_agent_steps=9),
        candidate("b", "success", num_agent_steps=3),
        candidate("f", "failure"),
    ]
    assert sides(mine(rows, max_per_task=1)) == [("b", "f")]


def test_a_failure_is_drawn_by_its_score_and_not_always_the_best() -> None:
    rows = [
        candidate("s", "success"),
        candidate("low", "failure", educational_score=0.1),
        candidate("high", "failure", educational_score=0.9),
    ]
    drawn = Counter(sides(mine(rows, seed=seed, max_per_task=1))[0][1] for seed in range(300))
    # p(high) = .9; three standard errors of 300 draws are .05.
    assert 0.85 <= drawn["high"] / 300 <= 0.95


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (candidate("x", "invalid"), "invalid_reward"),
        (candidate("x", "unscored"), "unscored"),
        (candidate("x", "failure", reward=None), "unscored"),
        (candidate("x", "failure", kept=False), "dropped_from_pool"),
        (candidate("x", "failure", is_infrastructure=True), "infrastructure"),
        (candidate("x", "failure", num_agent_steps=0), "no_assistant_turn"),
        (candidate("x", "success", has_audit_flag=True), "reward_audit"),
        (candidate("x", "success", safety_severity=2), "unsafe"),
        (candidate("x", "success", reward=0.1), "margin_too_small"),
        (candidate("x", "failure", task_group="id:2"), "no_opposite_outcome"),
    ],
)
def test_what_may_not_stand_in_a_pair_is_left_out_with_its_reason(row: dict[str, Any], reason: str) -> None:
    opposite = candidate("o", "failure" if row["outcome_class"] == "success" else "success")
    result = mine([row, opposite])
    assert sides(result) == []
    assert reasons(result)["x"] == reason


def test_the_smallest_margin_itself_is_enough() -> None:
    assert sides(mine([candidate("s", "success"), candidate("f", "failure", reward=0.8)])) == [("s", "f")]


def test_equal_content_never_stands_on_both_sides() -> None:
    result = mine([candidate("s", "success", content_hash="c"), candidate("f", "failure", content_hash="c")])
    assert reasons(result) == {"s": "identical_sides", "f": "identical_sides"}


def test_a_flagged_failure_may_be_rejected() -> None:
    rows = [candidate("s", "success"), candidate("f", "failure", has_audit_flag=True, safety_severity=3)]
    assert sides(mine(rows)) == [("s", "f")]


def test_two_groups_meet_once() -> None:
    rows = [candidate(f"s{i}", "success", semantic_group="g") for i in range(3)]
    rows += [candidate(f"f{i}", "failure", semantic_group="h") for i in range(3)]
    result = mine(rows)
    assert result.pairs.num_rows == 1
    assert Counter(reasons(result).values()) == {"used": 2, "pair_cap": 4}


def test_a_pair_within_the_length_ratio_is_sought_and_another_taken_where_there_is_none() -> None:
    long_success = candidate("long", "success", token_count=1000, num_agent_steps=1)
    rows = [long_success, candidate("fit", "success", token_count=120), candidate("f", "failure")]
    assert sides(mine(rows, max_per_task=1)) == [("fit", "f")]
    assert sides(mine([long_success, rows[2]])) == [("long", "f")]


def test_chosen_is_longer_in_about_half_the_pairs_where_there_is_a_choice() -> None:
    rows = []
    for task in range(50):
        key = {"task_key": f"id:{task}", "task_group": f"id:{task}"}
        rows += [
            candidate(f"{task}-short", "success", token_count=80, num_agent_steps=4, **key),
            candidate(f"{task}-long", "success", token_count=120, num_agent_steps=6, **key),
            candidate(f"{task}-fail", "failure", **key),
        ]
    pairs = mine(rows, max_per_task=1).pairs
    longer = sum(chosen > 100 for chosen in pairs["num_tokens_chosen"].to_pylist())
    assert (pairs.num_rows, longer) == (50, 20)


def test_weights_are_materialised_as_copies() -> None:
    rows = []
    for task in range(200):
        key = {"task_key": f"id:{task}", "task_group": f"id:{task}", "weight": 0.5}
        rows += [candidate(f"{task}-s", "success", **key), candidate(f"{task}-f", "failure", **key)]
    result = mine(rows, materialise_weights=True)
    # Binomial: 100 of 200, standard deviation 7; four of them.
    assert 72 <= result.pairs.num_rows <= 128
    assert set(reasons(result).values()) == {"used", "not_drawn"}
    assert sum(result.uses["copies"].to_pylist()) == 2 * result.pairs.num_rows


def test_mining_takes_polars_and_refuses_missing_columns() -> None:
    table = pa.Table.from_pylist([candidate("s", "success"), candidate("f", "failure")], schema=CANDIDATE_SCHEMA)
    options = {"seed": 0, "max_per_task": 1, "max_uses_per_trajectory": 1, "min_margin": 0.2, "max_length_ratio": 2.0}
    assert mine_pairs(pl.DataFrame(table), **options).pairs.equals(mine_pairs(table, **options).pairs)
    with pytest.raises(ValueError, match=r"lack the columns \['reward', 'split'\]"):
        mine_pairs(table.drop_columns(["reward", "split"]), **options)


def test_an_empty_lake_gives_no_pairs() -> None:
    result = mine([])
    assert (result.pairs.num_rows, result.uses.num_rows) == (0, 0)


@st.composite
def lakes(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for index in range(draw(st.integers(0, 30))):
        outcome = draw(st.sampled_from(["success", "failure", "failure", "unscored", "invalid"]))
        task = draw(st.sampled_from(["id:1", "id:2", "id:3"]))
        rows.append(
            candidate(
                f"t{index:02d}",
                outcome,
                task_key=task,
                task_group=task,
                environment=draw(st.sampled_from(["e", "f"])),
                reward=draw(st.sampled_from([1.0, 0.9]))
                if outcome == "success"
                else draw(st.sampled_from([0.0, 0.8])),
                num_agent_steps=draw(st.integers(0, 4)),
                token_count=draw(st.integers(1, 400)),
                content_hash=draw(st.sampled_from("abcdefgh")),
                semantic_group=draw(st.sampled_from("ghijkl")),
                educational_score=draw(st.one_of(st.none(), st.floats(0, 1))),
                kept=draw(st.booleans()),
                has_audit_flag=draw(st.booleans()),
                safety_severity=draw(st.integers(0, 3)),
            )
        )
    return rows


@settings(max_examples=150)
@given(lakes(), st.integers(0, 3), st.integers(1, 4), st.integers(1, 3), st.randoms(use_true_random=False))
def test_mining_holds_its_promises_on_any_lake(
    rows: list[dict[str, Any]], seed: int, per_task: int, per_trajectory: int, shuffle: random.Random
) -> None:
    options = {"seed": seed, "max_per_task": per_task, "max_uses_per_trajectory": per_trajectory}
    result = mine(rows, **options)
    by_id = {row["traj_id"]: row for row in rows}
    pairs = [(by_id[one], by_id[other]) for one, other in sides(result)]
    for chosen, rejected in pairs:
        assert chosen["task_group"] == rejected["task_group"]
        assert (chosen["outcome_class"], rejected["outcome_class"]) == ("success", "failure")
        assert (chosen["kept"], rejected["kept"]) == (True, True)
        assert not chosen["has_audit_flag"]
        assert chosen["safety_severity"] < 2
        assert chosen["reward"] - rejected["reward"] >= 0.2 - 1e-9
        assert chosen["content_hash"] != rejected["content_hash"]
    assert all(count <= per_task for count in Counter(chosen["task_group"] for chosen, _ in pairs).values())
    uses = Counter(side["traj_id"] for pair in pairs for side in pair)
    assert all(count <= per_trajectory for count in uses.values())
    groups = Counter((one["task_group"], one["semantic_group"], other["semantic_group"]) for one, other in pairs)
    assert all(count == 1 for count in groups.values())
    expected = [traj_id for traj_id in sorted(by_id) for _ in range(uses[traj_id] or 1)]
    assert sorted(result.uses["traj_id"].to_pylist()) == expected
    assert {row["traj_id"] for row in result.uses.to_pylist() if row["used"]} == set(uses)
    shuffled = list(rows)
    shuffle.shuffle(shuffled)
    again = mine(shuffled, **options)
    assert again.pairs.equals(result.pairs)
    assert again.uses.equals(result.uses)
