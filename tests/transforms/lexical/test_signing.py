import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.tables import SCHEMAS
from transforms.lexical.signatures import FastEngine, make_engine, sign_strings
from transforms.lexical.signing import SignViews, sign_views
from transforms.store.tables import work_writer
from transforms.views.bodies import View
from transforms.views.rendering import BODY_SCHEMA


def views(*rows):
    """Return views of (body, skeleton, task text), named v0, v1 …"""
    bodies, skeletons, tasks = zip(*rows, strict=True)
    names = [f"v{number}" for number in range(len(rows))]
    columns = {"view_hash": names, "traj_id": names, "body": bodies, "skeleton": skeletons, "task_text": tasks}
    return pa.table([columns[name] for name in BODY_SCHEMA.names], schema=BODY_SCHEMA)


def test_an_empty_view_has_no_shingle_and_zeros():
    (row,) = sign_views(views((" ", "", "")), FastEngine()).to_pylist()

    assert set(row) == set(SCHEMAS["signatures"].names)
    assert (row["num_shingles"], row["minhash"], row["bottom"]) == (0, [0] * 128, [])


def test_hashes_are_those_of_the_views_texts():
    texts = [("git push ☃", "bash:git - ok", "one"), ("", "", "two"), ("\n", "s", "näh")]
    signed = sign_views(views(*texts), FastEngine()).to_pylist()

    expected = [View(body=body, skeleton=skeleton, task_text=task) for body, skeleton, task in texts]
    assert [row["body_hash"] for row in signed] == [view.body_hash for view in expected]
    assert [row["skeleton_hash"] for row in signed] == [view.skeleton_hash for view in expected]


def test_a_view_without_body_is_signed_by_its_task():
    rows = [("", "", "a b c d e f"), ("ls", "", "x"), (" ", "", ""), ("g h i j k l m", "", "x")]
    signed = sign_views(views(*rows), FastEngine())
    expected = sign_strings(FastEngine(), ["a b c d e f", "ls", "", "g h i j k l m"])

    assert signed["minhash"].to_pylist() == expected.minhash.tolist()
    assert signed["num_shingles"].to_pylist() == [2, 1, 0, 3]
    assert signed["bottom"].combine_chunks().flatten().to_pylist() == expected.bottom.tolist()


def test_equal_bodies_of_different_tasks_have_equal_signatures():
    left, right = sign_views(views(("ls", "s", "one"), ("ls", "s", "two")), FastEngine()).to_pylist()

    assert left | {"view_hash": ""} == right | {"view_hash": ""}


@pytest.mark.parametrize("engine", ["fast", "datasketch"])
def test_sign_views_reads_files_of_any_row_groups(tmp_path, engine):
    texts = views(*((f"git push {number} to the origin of main", "s", "t") for number in range(5)))
    with (tmp_path / "pack.parquet").open("wb") as file, work_writer(file, BODY_SCHEMA) as writer:
        writer.write_table(texts, row_group_size=2)
        writer.write_table(texts.slice(0, 0))
    expected = sign_views(texts, make_engine(engine))

    with TestPipeline() as pipeline:
        signed = pipeline | beam.Create([tmp_path / "pack.parquet"]) | SignViews(engine)
        rows = signed | beam.MapTuple(lambda name, table: (name, table.to_pylist()))
        assert_that(rows, equal_to([("pack", expected.to_pylist())]))
