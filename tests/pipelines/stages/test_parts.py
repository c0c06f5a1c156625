import apache_beam as beam
import pyarrow as pa
from apache_beam.testing.test_pipeline import TestPipeline

from pipelines.stages.parts import WriteParts, read_parts

SCHEMA = pa.schema([pa.field("traj_id", pa.string(), nullable=False), pa.field("rank", pa.int32(), nullable=False)])


def test_parts_come_back_in_the_order_of_their_names(tmp_path):
    rows = [{"traj_id": "b", "rank": 2}]
    table = pa.table({"rank": [1, 0], "traj_id": ["a", "z"]})

    with TestPipeline() as pipeline:
        _ = pipeline | beam.Create([("00001", rows), ("00000", table)]) | WriteParts(tmp_path / "parts", SCHEMA)

    assert read_parts(tmp_path / "parts", SCHEMA).to_pylist() == [
        {"traj_id": "a", "rank": 1},
        {"traj_id": "z", "rank": 0},
        {"traj_id": "b", "rank": 2},
    ]
    assert read_parts(tmp_path / "parts", SCHEMA, columns=["rank"]).to_pydict() == {"rank": [1, 0, 2]}


def test_no_part_gives_an_empty_table(tmp_path):
    assert read_parts(tmp_path / "none", SCHEMA).equals(SCHEMA.empty_table())
