"""Batches curated one after the other: what an earlier one kept is not taken again."""

from pathlib import Path

import orjson
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import InputError, SettingsError
from tests.whole_runs import Curate, Curated, chat_rollout, write_jsonl
from transforms.lexical.signatures import make_engine


def _batch(folder: Path, numbers: list[int], *, name: str) -> Path:
    records = []
    for number in numbers:
        record = chat_rollout(f"task{number % 5}", number, reward=float(number % 2))
        record["trajectory_id"] = f"{name}-{number}"
        records.append(record)
    return write_jsonl(folder / name / "part.jsonl", records)


@pytest.fixture
def first(tmp_path: Path, curate: Curate) -> Curated:
    return curate(_batch(tmp_path, list(range(20)), name="one"), store="first")


def _second(tmp_path: Path, curate: Curate, **settings: object) -> Curated:
    lake = _batch(tmp_path, [*range(6), *range(20, 34)], name="two")
    return curate(lake, store="second", settings=settings)


def test_copies_of_an_earlier_batch_are_dropped_and_named(tmp_path: Path, curate: Curate, first: Curated) -> None:
    second = _second(tmp_path, curate, reference_sets=[first.store.root])

    decisions = second.table("decisions").filter(reason="in_reference_set")
    hits = second.table("reference_hits")
    natives = dict(second.table("trajectories").select("traj_id", "native_id").iter_rows())
    earlier = dict(first.table("trajectories").select("traj_id", "native_id").iter_rows())
    pairs = {
        natives[ours]: earlier[theirs] for ours, theirs in decisions.select("traj_id", "reference_id").iter_rows()
    }
    assert pairs == {f"two-{number}": f"one-{number}" for number in range(6)}
    assert set(decisions["stage"]) == {"references"}
    assert hits["traj_id"].to_list() == decisions["traj_id"].to_list()
    assert set(hits["reference_set"]) == {first.manifest.snapshot_id}
    assert second.manifest.funnel["dropped/in_reference_set"] == 6
    assert second.manifest.funnel["kept"] == 14


def test_a_batch_that_kept_nothing_is_compared_with_too(tmp_path: Path, curate: Curate, first: Curated) -> None:
    repeats = curate(
        _batch(tmp_path, list(range(20)), name="same"),
        store="repeats",
        settings={"reference_sets": [first.store.root]},
    )
    assert repeats.manifest.funnel["kept"] == 0

    second = _second(tmp_path, curate, reference_sets=[first.store.root, repeats.store.root])
    assert second.manifest.funnel["dropped/in_reference_set"] == 6


def test_flagged_copies_stay_and_stand_in_the_table(tmp_path: Path, curate: Curate, first: Curated) -> None:
    place = f"{first.store.root}@{first.manifest.snapshot_id}"
    second = _second(tmp_path, curate, reference_sets=[place], references={"action": "flag", "by_vectors": False})

    assert second.table("reference_hits").height == 6
    assert second.manifest.funnel["kept"] == 20


def test_any_file_of_signatures_is_a_reference_set(tmp_path: Path, curate: Curate, first: Curated) -> None:
    (file,) = first.manifest.tables["signatures"]
    second = _second(tmp_path, curate, reference_sets=[str(Path(first.store.root) / file.path)])

    assert second.manifest.funnel["dropped/in_reference_set"] == 6
    assert set(second.table("reference_hits")["method"]) == {"lexical"}
    (warning,) = second.result.warnings
    assert (
        f"of the 20 items of {Path(first.store.root) / file.path} 20 tell no task_key and 20 tell no outcome"
        in warning
    )
    assert "of any task and of any outcome, successes with failures" in warning


def test_a_file_that_tells_task_and_outcome_is_compared_with_these_alone(
    tmp_path: Path, curate: Curate, first: Curated
) -> None:
    views = first.table("views").select("traj_id", "view_hash").join(first.table("signatures"), on="view_hash")
    told = views.join(first.table("clusters").select("traj_id", "task_key", "outcome_class"), on="traj_id")
    told = told.with_columns(outcome_class=pl.lit("success"))
    told.write_parquet(tmp_path / "told.parquet")
    second = _second(tmp_path, curate, reference_sets=[str(tmp_path / "told.parquet")])

    assert second.result.warnings == ()
    assert second.manifest.funnel["dropped/in_reference_set"] == 3


def test_other_boilerplate_in_the_set_is_warned_of_and_the_same_record_known_all_the_same(
    tmp_path: Path, curate: Curate
) -> None:
    banner = "\n".join(
        f"welcome to the sandbox, notice {number} of the administrators for all" for number in range(30)
    )

    def batch(tasks: range, *, name: str, prefix: str) -> Path:
        records = []
        for task in tasks:
            record = chat_rollout(f"task{task}", task, reward=1.0)
            record["trajectory_id"] = f"{prefix}{task}"
            record["messages"][3]["content"] += f"\n\n{banner}"
            records.append(record)
        return write_jsonl(tmp_path / name / "part.jsonl", records)

    many = curate(batch(range(8), name="many", prefix="t"), store="many")
    few = {"store": "few", "settings": {"reference_sets": [many.store.root]}}
    repeated = curate(batch(range(2), name="few", prefix="t"), **few)

    assert set(repeated.table("reference_hits")["method"]) == {"exact"}
    assert repeated.manifest.funnel["dropped/in_reference_set"] == 2
    (warning,) = repeated.result.warnings
    assert "takes other text of environment 'repo' for boilerplate than this run" in warning


def test_another_reference_set_is_another_run(tmp_path: Path, curate: Curate, first: Curated) -> None:
    alone = _second(tmp_path, curate)
    compared = _second(tmp_path, curate, reference_sets=[first.store.root])

    assert not compared.result.was_done
    assert compared.manifest.run_key != alone.manifest.run_key
    assert _second(tmp_path, curate, reference_sets=[first.store.root]).result.was_done


def test_sets_that_cannot_be_compared_stop_the_run_before_data_is_read(
    tmp_path: Path, curate: Curate, first: Curated
) -> None:
    with pytest.raises(InputError, match=r"no store with a published snapshot"):
        _second(tmp_path, curate, reference_sets=[str(tmp_path / "nowhere")])
    with pytest.raises(SettingsError, match=r"was embedded by hashed-256.*references\.by_vectors=false"):
        _second(tmp_path, curate, reference_sets=[first.store.root], embedding={"dimensions": 64})
    foreign = tmp_path / "foreign.parquet"
    slots = pa.array([[1] * 128], pa.list_(pa.uint32(), 128))
    pq.write_table(pa.table({"minhash": slots, "scheme": ["other-engine"]}), foreign)
    with pytest.raises(SettingsError, match=r"was signed as other-engine, this run signs as .*lexical\.engine"):
        _second(tmp_path, curate, reference_sets=[str(foreign)])
    (tmp_path / "no.parquet").write_bytes(orjson.dumps({"not": "parquet"}))
    with pytest.raises(InputError, match=r"no\.parquet is no Parquet file that can be read"):
        _second(tmp_path, curate, reference_sets=[str(tmp_path / "no.parquet")])
    with pytest.raises(InputError, match=r"there is no file .*gone\.parquet"):
        _second(tmp_path, curate, reference_sets=[str(tmp_path / "gone.parquet")])
    with pytest.raises(SettingsError, match=r"a store cannot be compared with itself"):
        _second(tmp_path, curate, reference_sets=[str(tmp_path / "second")])
    assert not (tmp_path / "second").exists()


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"scheme": [None, None]}, "do not say how they were made"),
        ({"minhash": [["a"] * 128] * 2}, "no list of 128 whole numbers"),
        ({"minhash": [[-1] * 128] * 2}, "no list of 128 whole numbers"),
        ({"minhash": [[None] * 128] * 2}, "no list of 128 whole numbers"),
        ({"task_key": [["a"], ["b"]]}, "expected text"),
    ],
)
def test_damaged_files_of_signatures_are_refused_by_name(
    tmp_path: Path, curate: Curate, columns: dict[str, list[object]], fault: str
) -> None:
    scheme = make_engine("fast").scheme
    good: dict[str, list[object]] = {"minhash": [[1] * 128] * 2, "scheme": [scheme, scheme]}
    pq.write_table(pa.table(good | columns), tmp_path / "damaged.parquet")
    with pytest.raises(InputError, match=fault):
        _second(tmp_path, curate, reference_sets=[str(tmp_path / "damaged.parquet")])
