from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline

from transforms.judging.shards import WriteShards, read_shards
from transforms.store.files import Store

_ROWS = [("b", {"x": 0.1, "y": None}), ("a", [1, "é"]), ("c\n", {"x": 1e-300})]


@pytest.mark.parametrize("num_shards", [1, 3])
def test_rows_come_back_whole_and_sorted_by_key(tmp_path: Path, num_shards: int) -> None:
    store = Store(str(tmp_path))

    with TestPipeline() as pipeline:
        _ = pipeline | beam.Create(_ROWS) | WriteShards(store, "tasks", num_shards)

    assert read_shards(store, "tasks") == sorted(_ROWS)
    assert all(path.startswith("tasks/0000") for path in store.list("tasks"))


def test_nothing_written_is_nothing_read(tmp_path: Path) -> None:
    assert read_shards(Store(str(tmp_path)), "tasks") == []


def test_shards_do_not_depend_on_the_order_of_the_rows(tmp_path: Path) -> None:
    contents = []
    for name, rows in (("one", _ROWS), ("two", _ROWS[::-1])):
        store = Store(str(tmp_path / name))
        with TestPipeline() as pipeline:
            _ = pipeline | beam.Create(rows) | WriteShards(store, "tasks", 2)
        contents.append({path: store.read_bytes(path) for path in store.list("tasks")})

    assert contents[0] == contents[1]
