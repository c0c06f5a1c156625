"""IDN: the user's ids stay, missing or equal ones never touch the wrong record, one record counts once."""

import shutil
from pathlib import Path

import duckdb
import polars as pl

from tests.whole_runs import Curate, chat_rollout, write_jsonl


def test_idn_02_equal_ids_count_once_only_when_the_content_is_equal(shared_dir: Path, curate: Curate) -> None:
    lake = shared_dir / "cases" / "inputs" / "IDN-02" / "data"
    curated = curate(lake)
    funnel = curated.manifest.funnel
    assert (funnel["read"], funnel["trajectories"], funnel["repeats"]) == (6, 5, 1)
    rows = curated.table("trajectories")
    assert rows["traj_id"].n_unique() == 5
    assert sorted(rows.filter(rows["native_id"] == "idn-r0")["reward"].to_list()) == [0.0, 1.0]
    assert rows["native_id"].null_count() == 2
    again = curate(lake, store="again")
    assert again.table("trajectories")["traj_id"].to_list() == rows["traj_id"].to_list()


def test_idn_01_every_output_leads_back_to_the_users_id(tmp_path: Path, curate: Curate) -> None:
    rollouts = [chat_rollout(f"task-{n % 2}", n, reward=float(n % 3 == 0)) for n in range(6)]
    copy = rollouts[0] | {"trajectory_id": "user-copy"}
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", [*rollouts, copy]))
    native = dict(curated.table("trajectories").select("traj_id", "native_id").iter_rows())
    assert set(native.values()) == {*(rollout["trajectory_id"] for rollout in rollouts), "user-copy"}
    root = Path(curated.store.root) / curated.manifest.folder
    exports = sorted((root / "exports").glob("*/**/*.parquet"))
    assert exports
    for path in exports:
        rows = pl.read_parquet(path)
        ids = [name for name in ("traj_id", "chosen_id", "rejected_id") if name in rows.columns]
        assert ids, path
        for name in ids:
            assert set(rows[name].drop_nulls()) <= native.keys()
        assert set(rows["task_id"]) <= {"task-0", "task-1"}
    with duckdb.connect(str(root / "catalog.duckdb"), read_only=True) as catalog:
        removed = catalog.execute("SELECT native_id, task_id, reason FROM dropped").fetchall()
    assert len(removed) == 1
    assert removed[0][0] in {"user-copy", rollouts[0]["trajectory_id"]}
    assert removed[0][1:] == ("task-0", "exact_copy")


def test_idn_05_a_file_reached_twice_counts_once_and_a_copy_is_told(tmp_path: Path, curate: Curate) -> None:
    lake = tmp_path / "lake"
    write_jsonl(lake / "runs" / "a.jsonl", [chat_rollout("t", n, reward=1.0) for n in range(3)])
    (lake / "latest").symlink_to(lake / "runs", target_is_directory=True)
    linked = curate(lake, store="linked", include=["**/*", "runs/*", "latest/**", "**/a.jsonl"])
    shutil.copy(lake / "runs" / "a.jsonl", lake / "copy.jsonl")
    copied = curate(lake, store="copied", include=["runs/*", "copy.jsonl"])
    for run, other in ((linked, "latest/a.jsonl"), (copied, "copy.jsonl")):
        funnel = run.manifest.funnel
        assert (funnel["read"], funnel["trajectories"], funnel["repeats"]) == (6, 3, 3)
        inputs = run.table("inputs")
        assert sorted(inputs["uri"]) == sorted(["runs/a.jsonl", other])
        counts = inputs.select("num_records", "num_trajectories", "num_repeats").rows()
        assert sorted(counts) == [(3, 0, 3), (3, 3, 0)]
