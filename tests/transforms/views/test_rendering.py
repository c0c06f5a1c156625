import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from transforms.store.files import Store
from transforms.views.rendering import BODY_SCHEMA, WANTED_SCHEMA, RenderViews


def test_render_views_writes_the_wanted_texts_of_each_pack(tmp_path, chat_trajectory, write_pack):
    store = Store(str(tmp_path / "store"))
    chats = {
        name: [{"role": "user", "content": f"Task {name}"}, {"role": "assistant", "content": f"I am {name}."}]
        for name in "abc"
    }
    made = [chat_trajectory({"trajectory_id": name, "messages": messages}) for name, messages in chats.items()]
    packs = [write_pack(store, made[:2]), write_pack(store, made[2:])]
    wanted = pa.table({"traj_id": ["b"], "view_hash": ["v"], "environment": ["e"]}).cast(WANTED_SCHEMA)
    (tmp_path / "wanted").mkdir()
    pq.write_table(wanted, tmp_path / "wanted" / f"{packs[0].pack_id}.parquet")
    pq.write_table(
        pa.table({"environment": pa.array([], pa.string()), "block_hash": pa.array([], pa.string())}),
        tmp_path / "boilerplate.parquet",
    )

    with TestPipeline() as pipeline:
        paths = (
            pipeline
            | beam.Create(packs)
            | RenderViews(store, tmp_path / "wanted", tmp_path / "boilerplate.parquet", tmp_path / "bodies", 300)
        )
        assert_that(paths, equal_to([tmp_path / "bodies" / f"{packs[0].pack_id}.parquet"]))

    (path,) = (tmp_path / "bodies").iterdir()
    table = pq.read_table(path)
    assert table.schema.names == BODY_SCHEMA.names
    assert table.to_pylist() == [
        {"view_hash": "v", "traj_id": "b", "task_text": "Task b", "body": "I am b.", "skeleton": "say - ok"}
    ]
