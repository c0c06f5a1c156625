"""RWD: one table converts rewards; what was not scored, or not the policy's doing, is no failure."""

from pathlib import Path

import polars as pl
import pytest

from tests.whole_runs import Curate, chat_rollout, write_jsonl


def test_rwd_01_every_spelling_of_a_reward_has_one_meaning(shared_dir: Path, curate: Curate) -> None:
    lake = shared_dir / "cases" / "inputs" / "RWD-01" / "data"
    curated = curate(lake, settings={"ingest": {"reward_range": [0.0, 10.0]}})
    table = curated.table("trajectories")
    rows = {row["native_id"]: row for row in table.to_dicts()}
    assert (len(rows), curated.manifest.funnel["quarantined"]) == (18, 0)
    expected: dict[str, float | None] = {
        "zoo-r0": 1.0, "zoo-r1": 0.0, "zoo-r2": 1.0, "zoo-r3": 0.5, "zoo-r4": 1.0, "zoo-r5": 0.0, "zoo-r6": 1.0,
        "zoo-r7": 0.0, "zoo-r8": 1.0, "zoo-r9": 1.0, "zoo-r12": 1.0, "zoo-r13": 0.7, 
        "zoo-r10": None, "zoo-r11": None, "zoo-r14": None, "zoo-r15": None, "zoo-r16": None, "zoo-r99": None,
    }  # fmt: skip
    assert {name: row["reward"] for name, row in rows.items()} == expected
    for name in ("zoo-r14", "zoo-r15"):
        assert "reward_out_of_range" in rows[name]["parse_warnings"]
    unscored = {name for name, row in rows.items() if row["reward"] is None}
    classes = curated.table("clusters").join(table, on="traj_id").filter(table["native_id"].is_in(sorted(unscored)))
    assert set(classes["outcome_class"]) == {"unscored"}


def test_rwd_03_missing_rewards_are_unscored_and_never_failures(tmp_path: Path, curate: Curate) -> None:
    rollouts = [chat_rollout("t", n, reward=float(n == 0)) for n in range(8)]
    for missing in (3, 4, 5):
        del rollouts[missing]["reward"]
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", rollouts))
    unscored = {f"t-r{n}" for n in (3, 4, 5)}
    names = curated.table("trajectories").select("traj_id", "native_id")
    classes = curated.table("clusters").join(names, on="traj_id")
    assert dict(classes.select("native_id", "outcome_class").iter_rows()) == {
        f"t-r{n}": "unscored" if f"t-r{n}" in unscored else "success" if n == 0 else "failure" for n in range(8)
    }
    (task,) = curated.table("task_policies").to_dicts()
    assert (task["num_rollouts"], task["num_scored"], task["num_success"]) == (8, 5, 1)
    uses = curated.table("uses").join(names, on="traj_id").filter("used")
    assert uses.height > 0
    assert not unscored & set(uses["native_id"])
    decisions = curated.table("decisions").join(names, on="traj_id")
    assert decisions.filter(decisions["native_id"].is_in(sorted(unscored)))["educational_score"].is_null().all()


def test_rwd_04_infrastructure_endings_are_no_failures(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "RWD-04" / "data")
    table = curated.table("trajectories")
    rows = {row["native_id"]: row for row in table.to_dicts()}
    infra = {f"inf-r{n}" for n in (2, 3, 4)}
    assert {name for name, row in rows.items() if not row["reward_valid"]} == infra
    assert {rows[name]["termination"] for name in infra} == {"infra_error"}
    assert [rows[f"inf-r{n}"]["termination"] for n in (5, 6)] == ["timeout_agent", "max_steps"]
    (task,) = curated.table("task_policies").to_dicts()
    assert (task["num_rollouts"], task["num_infra"], task["num_scored"], task["num_success"]) == (8, 3, 5, 1)
    names = table.select("traj_id", "native_id")
    used = curated.table("uses").join(names, on="traj_id").filter("used")
    assert not infra & set(used["native_id"])
    decisions = curated.table("decisions").join(names, on="traj_id").filter(pl.col("native_id").is_in(sorted(infra)))
    assert decisions.select("reason", "weight").unique().to_dicts() == [{"reason": "invalid_reward", "weight": 0.0}]


def test_rwd_06_a_reward_its_parts_refute_is_flagged_and_never_chosen(tmp_path: Path, curate: Curate) -> None:
    rollouts = [chat_rollout("t", n, reward=float(n < 2)) for n in range(4)]
    rollouts[0]["reward_components"] = {"unit_test_pass": 0.0, "db_match": 1.0}
    rollouts[1]["reward_components"] = {"unit_test_pass": 1.0}
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", rollouts))
    names = curated.table("trajectories").select("traj_id", "native_id")
    flags = curated.table("audit").join(names, on="traj_id")
    flagged = flags.filter(pl.col("flags").list.contains("contradicting_components"))
    assert flagged["native_id"].to_list() == ["t-r0"]
    chosen = curated.table("uses").join(names, on="traj_id").filter(pl.col("used") & (pl.col("role") == "chosen"))
    assert set(chosen["native_id"]) == {"t-r1"}


def test_rwd_08_the_outcome_stays_with_the_run_not_with_an_empty_last_step(tmp_path: Path, curate: Curate) -> None:
    rollout = chat_rollout("t", 0, reward=1.0)
    rollout["messages"][2]["step_reward"] = 0.25
    rollout["messages"].append({"role": "assistant", "content": "", "reasoning_content": "I am done."})
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", [rollout]))
    (row,) = curated.table("trajectories").to_dicts()
    assert (row["reward"], row["reward_name"]) == (1.0, "reward")
    steps = curated.table("steps").sort("step_id")
    assert (steps["message"][-1], steps["reasoning"][-1]) == ("", "I am done.")
    assert steps["step_reward"].drop_nulls().to_list() == [0.25]
    assert steps["step_reward"][-1] is None


@pytest.mark.parametrize("role", ["chosen", "rejected"])
def test_conflicting_labels_are_on_no_side_of_an_exported_pair(tmp_path: Path, curate: Curate, role: str) -> None:
    rollouts = [chat_rollout("t", n, reward=float(n < 3)) for n in range(6)]
    rollouts[0]["success"] = False
    rollouts[5]["success"] = True
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", rollouts))
    names = curated.table("trajectories").select("traj_id", "native_id")
    warned = curated.table("trajectories").filter(pl.col("parse_warnings").list.contains("conflicting_label"))
    assert set(warned["native_id"]) == {"t-r0", "t-r5"}
    used = curated.table("uses").join(names, on="traj_id").filter(pl.col("used") & (pl.col("role") == role))
    assert used.height > 0
    assert not {"t-r0", "t-r5"} & set(used["native_id"])
