import pyarrow as pa

from transforms.reporting.frames import to_frames
from transforms.reporting.likeness import background, task_joins


def test_joins_are_counted_by_rule(small_tables: dict[str, pa.Table]) -> None:
    found = task_joins(to_frames(small_tables))
    assert (found["num_keys"], found["num_groups"]) == (3, 2)
    assert [(row["rule"], row["count"]) for row in found["rules"] if row["count"]] == [("id", 2), ("near_text", 1)]


def test_environments_come_by_their_background_and_only_with_one(small_tables: dict[str, pa.Table]) -> None:
    frames = to_frames(small_tables)
    assert [row["environment"] for row in background(frames, limit=None)] == ["sea", "air"]
    assert [row["environment"] for row in background(frames, limit=1)] == ["sea"]


def test_an_empty_snapshot_has_no_joins() -> None:
    assert task_joins(to_frames({}))["num_groups"] == 0
    assert background(to_frames({}), limit=3) == []
