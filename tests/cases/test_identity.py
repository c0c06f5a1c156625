"""IDN-02: ids that are missing, padded or not unique never remove or overwrite the wrong record."""

from pathlib import Path

from tests.whole_runs import Curate


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
