"""DED-02 and DED-05: what a lake shares is no similarity, and short texts are no copies of each other."""

from pathlib import Path

from tests.whole_runs import Curate


def test_ded_02_a_shared_prompt_joins_nothing(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "DED-02" / "data")
    names = curated.table("trajectories").select("traj_id", "native_id")
    groups = curated.table("clusters").join(names, on="traj_id").group_by("semantic_group").agg("native_id")
    assert groups.height == 12
    assert sorted(max(groups["native_id"].to_list(), key=len)) == ["bp3-copy0", "bp3-copy1", "bp3-copy2", "bp3-r0"]


def test_ded_05_short_runs_stay_apart_and_an_empty_one_is_set_aside(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "DED-05" / "data")
    table = curated.table("decisions").join(
        curated.table("trajectories").select("traj_id", "native_id", "instruction"), on="traj_id"
    )
    kept = table.filter(table["decision"] == "keep")
    assert sorted(kept["instruction"].drop_nulls().to_list()) == sorted(
        set(kept["instruction"].drop_nulls().to_list())
    )
    assert kept["instruction"].n_unique() >= 5
    assert kept.filter(kept["instruction"] == "git push").height == 1
    assert table.filter(table["reason"] == "empty").height == 1
    assert table.height + curated.manifest.funnel["quarantined"] == 7
