import orjson
import polars as pl
import pytest

from pipelines.cli import main
from schemas.errors import ConservationError
from tests.whole_runs import Curate, Path, chat_rollout, write_jsonl
from transforms.store.manifest import current_id

WORKERS = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]


def test_every_record_is_accounted_for(chat_lake: Path, curate: Curate) -> None:
    curated = curate(chat_lake)
    funnel = curated.manifest.funnel
    assert (funnel["read"], funnel["trajectories"], funnel["quarantined"], funnel["repeats"]) == (20, 20, 0, 0)
    decisions = curated.table("decisions")
    assert decisions.height == decisions["traj_id"].n_unique() == 20
    assert curated.table("trajectories")["traj_id"].to_list() == sorted(decisions["traj_id"].to_list())


@pytest.mark.slow
def test_two_worker_processes_give_the_same_bytes(chat_lake: Path, curate: Curate) -> None:
    assert curate(chat_lake).tree() == curate(chat_lake, store="other", flags=WORKERS).tree()


def test_an_equal_run_is_a_no_op(chat_lake: Path, curate: Curate) -> None:
    first = curate(chat_lake)
    before = first.tree()
    second = curate(chat_lake)
    assert second.result.was_done
    assert second.tree() == before


def test_new_files_are_added_to_what_is_kept(chat_lake: Path, curate: Curate) -> None:
    first = curate(chat_lake)
    write_jsonl(chat_lake / "c.jsonl", [chat_rollout("task9", n, reward=float(n % 2)) for n in range(4)])
    second = curate(chat_lake)
    whole = curate(chat_lake, store="whole")
    assert second.manifest.parent_id == first.manifest.snapshot_id
    assert set(first.manifest.packs) < set(second.manifest.packs)
    assert second.manifest.funnel == whole.manifest.funnel
    for table in ("decisions", "uses", "clusters", "tasks", "task_policies"):
        assert second.table(table).equals(whole.table(table)), table


def test_a_file_reached_twice_changes_nothing_but_repeats(chat_lake: Path, curate: Curate) -> None:
    once = curate(chat_lake)
    (chat_lake / "copy.jsonl").write_bytes((chat_lake / "a" / "part-0.jsonl").read_bytes())
    twice = curate(chat_lake, store="twice")
    assert twice.manifest.funnel == once.manifest.funnel | {"read": 31, "repeats": 11}
    assert twice.table("decisions").equals(once.table("decisions"))
    assert sorted(twice.table("inputs")["num_repeats"].to_list()) == [0, 0, 11]


def test_data_settings_change_the_snapshot_and_places_do_not(chat_lake: Path, curate: Curate) -> None:
    first = curate(chat_lake)
    assert curate(chat_lake, settings={"execution": {"progress": "plain", "device": "cpu"}}).result.was_done
    changed = curate(chat_lake, settings={"seed": 5})
    assert changed.manifest.parent_id == first.manifest.snapshot_id


def test_the_resolved_settings_lie_beside_the_output(chat_lake: Path, curate: Curate) -> None:
    curated = curate(chat_lake, settings={"seed": 5})
    written = curated.store.read_bytes(f"{curated.manifest.folder}/config.yaml").decode()
    assert "seed: 5" in written
    assert "boilerplate_min_share: 0.2" in written
    assert str(chat_lake) not in written


def test_a_run_keeps_its_costs(chat_lake: Path, curate: Curate) -> None:
    curated = curate(chat_lake)
    record = pl.read_json(curated.store.read_bytes(curated.result.run_file or ""))
    stages = record["stages"].explode().struct.unnest()
    assert stages["stage"].to_list()[0] == "ingest"
    assert stages["stage"].to_list()[-1] == "publish"
    assert (stages["peak_rss_mb"] > 0).all()


def test_what_a_run_warns_of_is_kept_with_its_costs_and_told_again_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [chat_rollout("any", number, reward=1.0) | {"task_id": f"task-{number}"} for number in range(3)]
    lake = write_jsonl(tmp_path / "lake" / "part.jsonl", records)
    conf = tmp_path / "c.yaml"
    conf.write_text(f"lake: {{root: {lake}}}\nstore: {tmp_path / 'store'}\n")

    assert main(["run", str(conf), "execution.progress=quiet"]) == 0
    (file,) = (tmp_path / "store" / "runs").glob("*.json")
    (warning,) = orjson.loads(file.read_bytes())["warnings"]
    assert "3 task ids were joined into 1 task groups" in warning
    assert warning in capsys.readouterr().out


def test_until_stops_before_publishing(chat_lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "c.yaml"
    conf.write_text(f"lake: {{root: {chat_lake}}}\nstore: {tmp_path / 'store'}\n")
    assert main(["run", str(conf), "--until", "copies", "execution.progress=quiet"]) == 0
    assert "nothing published" in capsys.readouterr().out
    assert not (tmp_path / "store" / "CURRENT").exists()
    assert list((tmp_path / "store").glob("snapshots/*/tables/clusters.parquet"))


def test_a_dry_run_writes_nothing(chat_lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "c.yaml"
    conf.write_text(f"lake: {{root: {chat_lake}}}\nstore: {tmp_path / 'store'}\n")
    assert main(["run", str(conf), "--dry-run"]) == 0
    assert "source units  2" in capsys.readouterr().out
    assert not (tmp_path / "store").exists()


def test_a_dry_run_refuses_what_a_run_would(chat_lake: Path, tmp_path: Path) -> None:
    conf = tmp_path / "c.yaml"
    conf.write_text(f"lake: {{root: {chat_lake}}}\nstore: {conf}\n")
    assert main(["run", str(conf), "--dry-run"]) == 4


def test_rows_that_go_missing_stop_the_publishing(
    chat_lake: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.stages import publish
    from pipelines.stages.context import StageContext

    first = curate(chat_lake)
    whole = publish.run

    def lose_one(context: StageContext, **rest: object) -> object:
        context.write("decisions", context.read("decisions")[1:])
        return whole(context, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(publish, "run", lose_one)
    with pytest.raises(ConservationError, match="decisions lacks"):
        curate(chat_lake, settings={"seed": 1})
    assert current_id(first.store) == first.manifest.snapshot_id
