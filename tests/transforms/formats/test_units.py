import json
import os

import fsspec
import pytest

from schemas.reasons import QuarantineReason
from schemas.settings.ingest import IngestSettings
from transforms.formats.units import ingest_key, list_lake, plan_units

FS = fsspec.filesystem("file")
LINE = '{"messages": [{"role": "user", "content": "x"}], "id": "%d"}\n'


def plan(root, *, settings=None, **options):
    uris = list_lake(FS, str(root), ["**/*"])
    return plan_units(FS, str(root), uris, settings or IngestSettings(), **options)


def test_key_says_nothing_of_place_or_time(folder_of):
    text = LINE % 1
    here, there = folder_of({"a.jsonl": text}, "here"), folder_of({"x/y/b.jsonl": text}, "there")
    os.utime(there / "x/y/b.jsonl", (1, 1))
    (one,), (other,) = plan(here), plan(there)
    assert one.unit_key == other.unit_key
    assert (one.uri, other.uri) == ("a.jsonl", "x/y/b.jsonl")


def test_key_tells_content_path_facts_and_settings_apart(folder_of):
    record = '{"0": {"query": "q", "turn_history": {"actions": []}}}'
    folder = folder_of({"m1/a.json": record, "m2/a.json": record, "b.jsonl": LINE % 1, "c.jsonl": LINE % 2})
    units = plan(folder) + plan(folder, settings=IngestSettings(max_depth=100))
    assert len({unit.unit_key for unit in units}) == 8


def test_only_settings_that_change_data_enter_the_key():
    same = IngestSettings(format="openai_chat", max_bad_ratio=0.1)
    assert ingest_key(same) == ingest_key(IngestSettings()) != ingest_key(IngestSettings(max_record_mb=1))


def test_line_file_is_cut_into_ranges_that_give_every_record_once(folder_of, read_folder):
    folder = folder_of({"a.jsonl": "".join(LINE % number for number in range(10))})
    units = plan(folder, range_bytes=150)
    assert [(unit.byte_start, unit.byte_end) for unit in units] == [(0, 180), (180, 300), (300, 480), (480, 600)]
    assert len({unit.unit_key for unit in units}) == 4
    read = read_folder(folder, range_bytes=150)
    assert [one.native_id for one in read.trajectories] == [str(number) for number in range(10)]
    assert [one.record_key for one in read.trajectories[2:4]] == ["line:3", "byte:180"]


def test_file_of_no_known_format_is_told_once(read_lake):
    read = read_lake({"a.jsonl": LINE % 1, "README.md": "# Hello", "tasks.json": [{"query": "a", "gold": "b"}]})
    assert [(unit.uri, unit.adapter) for unit in read.units] == [
        ("README.md", "unknown"),
        ("a.jsonl", "openai_chat"),
        ("tasks.json", "unknown"),
    ]
    assert [bad.reason for bad in read.bad] == [QuarantineReason.UNKNOWN_FORMAT] * 2
    assert "document with the keys gold, query" in read.bad[1].message
    assert len(read.trajectories) == 1


def test_row_longer_than_the_head_is_told_by_all_its_fields(folder_of):
    messages = [{"role": "user", "content": "x" * 100_000}]
    row = {"messages": messages, "instance_id": "i", "resolved": True, "model": "m", "traj_id": "a", "patch": ""}
    folder = folder_of({"a.jsonl": json.dumps(row) + "\n", "b.jsonl": json.dumps(row | {"messages": "y" * 2_000_000})})
    limited = IngestSettings(max_record_mb=1)
    assert [unit.adapter for unit in plan(folder)] == ["swe_smith", "swe_smith"]
    assert [unit.adapter for unit in plan(folder, settings=limited)] == ["swe_smith", "openai_chat"]


@pytest.mark.parametrize("field", ["messages", "query"])
def test_every_line_counts_in_a_file_of_nothing_but_cut_lines(read_lake, field):
    line = f'{{"{field}": [{{"role": "user", "content": "x\n'
    read = read_lake({"a.jsonl": line * 4})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        (f"line:{number}", QuarantineReason.INVALID_JSON) for number in range(1, 5)
    ]


def test_empty_line_file_has_no_records_and_damaged_parquet_is_unreadable(read_lake):
    read = read_lake({"a.jsonl": LINE % 1, "b.jsonl": "", "c.parquet": b"PAR1 damaged"})
    assert (len(read.trajectories), len(read.units)) == (1, 3)
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [("file", QuarantineReason.UNREADABLE)]


def test_empty_parquet_is_unreadable_by_its_name(read_lake):
    read = read_lake({"a.jsonl": LINE % 1, "c.parquet": b"", "d.traj": b""})
    assert [bad.reason for bad in read.bad] == [QuarantineReason.UNREADABLE, QuarantineReason.TRUNCATED]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_is_unreadable(folder_of, read_folder):
    folder = folder_of({"a.jsonl": LINE % 1, "b.jsonl": LINE % 2})
    (folder / "b.jsonl").chmod(0)
    read = read_folder(folder)
    assert (len(read.trajectories), [bad.reason for bad in read.bad]) == (1, [QuarantineReason.UNREADABLE])


def test_file_that_went_away_is_unreadable(folder_of):
    folder = folder_of({"a.jsonl": LINE % 1})
    (unit,) = plan_units(FS, str(folder), ["gone.jsonl"], IngestSettings())
    (other,) = plan_units(FS, str(folder), ["missing.jsonl"], IngestSettings())
    assert (unit.adapter, unit.size) == ("unreadable", 0)
    assert unit.unit_key != other.unit_key


def test_named_format_overrides_detection(folder_of):
    folder = folder_of({"a.jsonl": '{"dialogue": []}\n'})
    assert [unit.adapter for unit in plan(folder)] == ["unknown"]
    assert [unit.adapter for unit in plan(folder, settings=IngestSettings(format="openai_chat"))] == ["openai_chat"]


def test_named_format_does_not_make_a_sidecar_a_unit(folder_of):
    history = {"history": [{"role": "user", "content": "x"}]}
    folder = folder_of({"r/a.traj": history, "r/report.json": {"resolved_ids": ["a"]}})
    units = plan(folder, settings=IngestSettings(format="swe_agent"))
    assert [(unit.uri, unit.sidecars) for unit in units] == [("r/a.traj", ("r/report.json",))]


@pytest.mark.parametrize("named", ["auto", "harbor"])
def test_parts_of_a_record_of_several_files_are_no_units(folder_of, named):
    result = {"id": "1", "task_name": "t", "trial_name": "t__1"}
    steps = {"schema_version": "ATIF-v1.6", "agent": {"name": "a", "version": "1"}, "steps": []}
    folder = folder_of({"t1/result.json": result, "t1/agent/trajectory.json": steps, "t1/agent/log.txt": "x"})
    units = plan(folder, settings=IngestSettings(format=named))
    assert [(unit.uri, unit.adapter, unit.sidecars) for unit in units] == [
        ("t1/agent/log.txt", "unknown", ()),
        ("t1/result.json", "harbor", ("t1/agent/trajectory.json",)),
    ]


def test_first_file_of_a_folder_of_events_stands_for_all(folder_of):
    event = {"id": 0, "timestamp": "2026-01-05", "source": "user", "kind": "MessageEvent"}
    folder = folder_of({f"c/events/event-{number}.json": {**event, "id": number} for number in range(3)})
    (unit,) = plan(folder)
    assert (unit.uri, unit.sidecars) == (
        "c/events/event-0.json",
        ("c/events/event-1.json", "c/events/event-2.json"),
    )


def test_sidecar_that_holds_rollouts_stays_a_unit(folder_of):
    history = {"history": [{"role": "user", "content": "x"}]}
    results = [{"task_id": 1, "reward": 0, "info": {}, "traj": [], "trial": 0}]
    units = plan(folder_of({"r/a.traj": history, "results.json": results}))
    assert [(unit.uri, unit.adapter) for unit in units] == [("r/a.traj", "swe_agent"), ("results.json", "tau_bench")]


TRIED = {"name": "t", "prompt": "p", "is_solved": True, "solution": "s"}
HISTORY = {"history": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("name", "content", "fact"), [("a.jsonl", json.dumps(TRIED) + "\n", "run"), ("a.traj", HISTORY, "run")]
)
@pytest.mark.parametrize("link", ["latest", "zz"])
def test_file_that_a_link_shows_again_is_the_same_unit_by_its_own_path(folder_of, name, content, fact, link):
    folder = folder_of({f"real/{name}": content})
    (folder / link).symlink_to(folder / "real", target_is_directory=True)
    units = plan(folder)
    assert {unit.uri for unit in units} == {f"real/{name}", f"{link}/{name}"}
    assert [dict(unit.path_facts)[fact] for unit in units] == ["real", "real"]
    assert len({unit.unit_key for unit in units}) == 1


def test_file_outside_the_lake_counts_once_however_many_links_lead_to_it(folder_of):
    outside, folder = folder_of({"r/a.jsonl": json.dumps(TRIED) + "\n"}, "outside"), folder_of({}, "lake")
    folder.mkdir(exist_ok=True)
    for link in ("two", "one"):
        (folder / link).symlink_to(outside / "r", target_is_directory=True)
    units = plan(folder)
    assert [(unit.uri, dict(unit.path_facts)["run"]) for unit in units] == [
        ("one/a.jsonl", "one"),
        ("two/a.jsonl", "one"),
    ]
    assert len({unit.unit_key for unit in units}) == 1


def test_link_that_puts_other_files_beside_a_file_stays_a_unit(folder_of):
    folder = folder_of({"real/i.traj": HISTORY, "judged/report.json": {"resolved_ids": ["i"]}})
    (folder / "judged" / "i.traj").symlink_to(folder / "real" / "i.traj")
    units = plan(folder)
    assert [(unit.uri, unit.sidecars, dict(unit.path_facts)["run"]) for unit in units] == [
        ("judged/i.traj", ("judged/report.json",), "judged"),
        ("real/i.traj", (), "real"),
    ]


def test_copies_of_a_file_stay_units_of_their_own(folder_of):
    folder = folder_of({f"{run}/a.jsonl": json.dumps(TRIED) + "\n" for run in ("one", "two")})
    assert [dict(unit.path_facts)["run"] for unit in plan(folder)] == ["one", "two"]
