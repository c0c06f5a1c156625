import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from transforms.store.files import Store
from transforms.views.blocks import blocks_of, hash_of_block, view_hash
from transforms.views.hashes import HashViews, boilerplate_by_environment, hash_views

RULES = "Always answer in the tone of a patient librarian."
REPLY = "The reservation is confirmed under the name of the caller."


def run(traj_id):
    messages = [
        {"role": "user", "content": "Book a flight."},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": f"{RULES}\n\n{REPLY}"},
    ]
    return {"trajectory_id": traj_id, "messages": messages}


def expected_hash(trajectory, left_out):
    rows = [(row["block_index"], row["step_id"], row["block_hash"]) for row in blocks_of(trajectory)]
    return view_hash(rows, left_out, observation_edge_chars=300)


def test_hash_views_counts_the_blocks_that_stay_and_passes_over_repeats(chat_trajectory):
    left, right = chat_trajectory(run("a")), chat_trajectory(run("b"))
    blocks = pa.Table.from_pylist([*blocks_of(right), *blocks_of(left), *blocks_of(left)])

    assert hash_views(blocks, {"a": {hash_of_block(RULES)}}, observation_edge_chars=300) == [
        {"traj_id": "a", "view_hash": expected_hash(left, {hash_of_block(RULES)}), "num_blocks": 1}
    ]


def test_hash_views_of_a_pack_by_environment(tmp_path, chat_trajectory, write_pack):
    store = Store(str(tmp_path / "store"))
    trajectories = [chat_trajectory(run(name)) for name in ("a", "b", "elsewhere")]
    pack = write_pack(store, trajectories)
    schema = {"traj_id": pa.string(), "pack_id": pa.string(), "environment": pa.int32()}
    identities = {"traj_id": ["a", "b", "elsewhere"], "pack_id": [pack.pack_id] * 2 + ["x"], "environment": [0, 1, 0]}
    pq.write_table(pa.table(identities, schema=pa.schema(schema)), tmp_path / "identities.parquet")
    boilerplate = pa.table({"environment": ["airline"], "block_hash": [hash_of_block(RULES)]})
    pq.write_table(boilerplate, tmp_path / "boilerplate.parquet")

    with TestPipeline() as pipeline:
        rows = (
            pipeline
            | beam.Create([pack])
            | HashViews(
                store, tmp_path / "identities.parquet", ["airline", "retail"], tmp_path / "boilerplate.parquet", 300
            )
            | beam.MapTuple(lambda pack_id, rows: (pack_id, [tuple(row.values()) for row in rows]))
        )
        with_rules = ("a", expected_hash(trajectories[0], {hash_of_block(RULES)}), 1)
        without = ("b", expected_hash(trajectories[1], set()), 2)
        assert_that(rows, equal_to([(pack.pack_id, [with_rules, without])]))


def test_boilerplate_by_environment_gives_sets():
    table = pa.table({"environment": ["a", "b", "a"], "block_hash": ["1", "2", "3"]})

    assert boilerplate_by_environment(table) == {"a": frozenset({"1", "3"}), "b": frozenset({"2"})}
