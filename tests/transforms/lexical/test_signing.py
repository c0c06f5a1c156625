import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.tables import SCHEMAS
from transforms.lexical.signatures import DatasketchEngine
from transforms.lexical.signing import SignViews, signature_row
from transforms.views.bodies import View
from transforms.views.rendering import BODY_SCHEMA


def test_an_empty_view_has_no_shingle_and_zeros():
    row = signature_row("v", View(body=" ", skeleton="", task_text=""), engine=DatasketchEngine())

    assert set(row) == set(SCHEMAS["signatures"].names)
    assert (row["num_shingles"], row["minhash"]) == (0, [0] * 128)


def test_equal_bodies_of_different_tasks_have_equal_signatures():
    left = signature_row("v", View(body="ls", skeleton="s", task_text="one"), engine=DatasketchEngine())
    right = signature_row("w", View(body="ls", skeleton="s", task_text="two"), engine=DatasketchEngine())

    assert left | {"view_hash": ""} == right | {"view_hash": ""}


def test_sign_views_reads_a_file_of_texts(tmp_path):
    texts = [("v1", "a", "task", "git push", "bash:git - ok"), ("v2", "b", "ls", "", "")]
    columns = [list(column) for column in zip(*texts, strict=True)]
    pq.write_table(pa.table(columns, schema=BODY_SCHEMA), tmp_path / "pack.parquet")
    engine = DatasketchEngine()
    expected = [
        signature_row("v1", View(body="git push", skeleton="bash:git - ok", task_text="task"), engine=engine),
        signature_row("v2", View(body="", skeleton="", task_text="ls"), engine=engine),
    ]

    with TestPipeline() as pipeline:
        rows = pipeline | beam.Create([tmp_path / "pack.parquet"]) | SignViews("datasketch")
        assert_that(rows, equal_to([("pack", expected)]))
