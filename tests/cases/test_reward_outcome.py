"""RWD-01 and RWD-03: one table converts rewards; what was not scored is no failure."""

from pathlib import Path

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
