"""SCA-04: environments of one to four records pass, and nothing is dropped for being in a small one."""

from pathlib import Path

from tests.whole_runs import Curate


def test_sca_04_small_environments_survive(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SCA-04" / "data")
    assert curated.manifest.funnel["trajectories"] == 10
    assert set(curated.table("decisions")["decision"]) == {"keep"}
    assert sorted(curated.table("trajectories").group_by("env_name").len()["len"].to_list()) == [1, 2, 3, 4]
