from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam import Create
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.errors import QualityError
from transforms.store.files import Store
from transforms.store.progress import ProgressFile
from transforms.store.tables import rows_to_table, write_table
from transforms.targets import assembling
from transforms.targets.assembling import AssembleShards, Shard, build_row_groups
from transforms.targets.catalog import TARGETS
from transforms.targets.contract import Conversation
from transforms.targets.encoding import encode_message
from transforms.targets.texts import TEXT_SCHEMA, text_row, text_writer

KTO = TARGETS["kto"]


def texts(*answers: str) -> pa.Table:
    rows = [
        text_row(
            answer,
            Conversation([encode_message("user", "q")], [encode_message("assistant", answer)], None),
            target=KTO,
        )
        for answer in answers
    ]
    return rows_to_table(rows, TEXT_SCHEMA)


def plan(*traj_ids: str) -> pa.Table:
    row: dict[str, Any] = {
        "label": True,
        "num_tokens": 1,
        "task_id": "1",
        "environment": "air",
        "weight": 1.0,
        "copies": 1,
        "copy_index": 0,
        "split": "train",
        "position_key": "00",
    }
    return rows_to_table([row | {"id": f"r-{name}", "traj_id": name} for name in traj_ids], KTO.plan_schema)


def test_a_shard_holds_the_planned_rows_in_order(tmp_path: Path) -> None:
    work, store = Store(str(tmp_path / "work")), Store(str(tmp_path / "store"))
    write_table(work, "plan/kto-train-00000.parquet", plan("b", "a"))
    for name, table in (("p1", texts("a", "spare")), ("p2", texts("b"))):
        with work.writer(f"texts/kto-train-00000/{name}.arrow") as file, text_writer(file) as writer:
            writer.write_table(table)
    shard = Shard("kto", "kto-train-00000", "exports/kto/train-00000-of-00001.parquet")
    with TestPipeline() as pipeline:
        counts = pipeline | Create([shard]) | AssembleShards(store, tmp_path / "work", ProgressFile(tmp_path / "done"))
        assert_that(counts, equal_to([2]))
    written = pq.read_table(tmp_path / "store" / shard.path)
    assert written.schema.equals(KTO.schema)
    assert [(row["id"], row["completion"][0]["content"]) for row in written.to_pylist()] == [
        ("r-b", "b"),
        ("r-a", "a"),
    ]


def test_row_groups_are_cut_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembling, "ROW_GROUP_BYTES", 6)
    groups = build_row_groups(KTO, plan("aaaa", "bbb", "cc", "d"), texts("aaaa", "bbb", "cc", "d"))
    assert [group["traj_id"].to_pylist() for group in groups] == [["aaaa", "bbb"], ["cc", "d"]]


def test_a_row_that_would_break_a_trainer_is_not_written() -> None:
    broken = text_row(
        "a", Conversation([encode_message("user", "q")], [encode_message("user", "a")], None), target=KTO
    )
    with pytest.raises(QualityError, match="kto row r-a: completion does not start with an assistant turn"):
        list(build_row_groups(KTO, plan("a"), rows_to_table([broken], TEXT_SCHEMA)))


def test_a_missing_text_is_an_error_and_not_a_null() -> None:
    with pytest.raises(KeyError, match="no text of trajectory b"):
        list(build_row_groups(KTO, plan("b"), texts("a")))
