import dataclasses
import json

import fsspec
import pytest

from schemas.reasons import QuarantineReason
from schemas.settings.ingest import IngestSettings
from transforms.formats.records import MAX_NAME_CHARS, Repeat, read_unit
from transforms.formats.units import list_lake, plan_units
from transforms.redaction.engine import Redactor

FS = fsspec.filesystem("file")
TOKEN = "ghp_" + "".join(f"{chr(97 + n)}{n % 10}{chr(90 - n)}" for n in range(12))
GOOD = '{"id": "a", "messages": [{"role": "user", "content": "%s"}]}\n'


def read(root, *, settings=None):
    settings = settings or IngestSettings()
    units = plan_units(FS, str(root), list_lake(FS, str(root), ["**/*"]), settings)
    return [
        item
        for unit in units
        for item in read_unit(unit, filesystem=FS, root=str(root), settings=settings, redactor=Redactor())
    ]


def test_every_record_has_one_fate_in_the_order_of_the_file(folder_of):
    items = read(folder_of({"a.jsonl": GOOD % "x" + "junk\n" + GOOD % "x" + GOOD % "y"}))
    assert [(type(item).__name__, item.record_key) for item in items] == [
        ("Trajectory", "line:1"),
        ("BadRecord", "line:2"),
        ("Repeat", "line:3"),
        ("Trajectory", "line:4"),
    ]
    assert items[2] == Repeat("line:3", items[0].traj_id)


def test_secrets_leave_neither_in_steps_nor_in_excerpts(folder_of):
    items = read(folder_of({"a.jsonl": GOOD % f"token {TOKEN}" + f'{{"x": "{TOKEN}\n'}))
    assert all(TOKEN not in repr(item) for item in items)
    assert sum(items[0].secrets_redacted.values()) == 2
    assert items[1].reason is QuarantineReason.INVALID_JSON


def test_warnings_and_names_of_lost_fields_are_cut_once_they_are_redacted(folder_of):
    said = {"role": "user", "content": "x"}
    line = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": said}
    odd = {"type": f"{'n' * (MAX_NAME_CHARS - 20)} {TOKEN} {'n' * MAX_NAME_CHARS}", "sessionId": "s"}
    (item,) = read(folder_of({"a.jsonl": f"{json.dumps(line)}\n{json.dumps(odd)}\n"}))
    (lost,) = item.lost_fields
    assert "<" in lost[-20:]
    assert max(map(len, item.parse_warnings)) == len(lost) == MAX_NAME_CHARS


def test_record_that_breaks_the_assembly_is_set_aside(folder_of):
    items = read(folder_of({"a.jsonl": GOOD % "x" + '{"messages": [{"role": "assistant", "tool_calls": "{"}]}\n'}))
    assert [type(item).__name__ for item in items] == ["Trajectory", "BadRecord"]
    assert items[1].reason is QuarantineReason.INVALID_JSON


def test_file_that_vanishes_between_plan_and_read_is_unreadable(folder_of):
    folder = folder_of({"a.jsonl": GOOD % "x"})
    (unit,) = plan_units(FS, str(folder), ["a.jsonl"], IngestSettings())
    (folder / "a.jsonl").unlink()
    (bad,) = read_unit(unit, filesystem=FS, root=str(folder), settings=IngestSettings(), redactor=Redactor())
    assert (bad.reason, bad.message) == (QuarantineReason.UNREADABLE, "No such file or directory")


def test_ids_depend_on_content_and_path_facts_only(folder_of):
    (one,) = read(folder_of({"a.jsonl": GOOD % "x"}, "here"))
    (other,) = read(folder_of({"deep/b.jsonl": GOOD.replace(": ", ":") % "x"}, "there"))
    assert one.traj_id == other.traj_id


def test_damaged_packing_keeps_what_came_before(folder_of):
    import gzip

    packed = gzip.compress((GOOD % "x").encode()) + b"\x1f\x8bjunk junk junk"
    items = read(folder_of({"a.jsonl.gz": packed}))
    assert [type(item).__name__ for item in items] == ["Trajectory", "BadRecord"]
    assert items[1].reason is QuarantineReason.UNREADABLE


@pytest.mark.parametrize("limit", [1])
def test_record_over_the_limit_is_set_aside(folder_of, limit):
    items = read(folder_of({"a.jsonl": GOOD % ("x" * 2_000_000)}), settings=IngestSettings(max_record_mb=limit))
    assert [(item.reason, item.byte_offset) for item in items] == [(QuarantineReason.TOO_LARGE, 0)]


def test_trajectories_are_plain_records(folder_of):
    (item,) = read(folder_of({"a.jsonl": GOOD % "x"}))
    assert dataclasses.asdict(item)["header"]["source_format"] == "openai_chat"


def test_a_result_that_names_no_call_is_told(read_lake):
    call = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    rows = [{"messages": [*talk, {"role": "tool", "tool_call_id": name, "content": "r"}]} for name in ("a", "b")]
    read = read_lake({"a.json": rows})
    assert [one.parse_warnings for one in read.trajectories] == [(), ("unknown_result_id",)]
