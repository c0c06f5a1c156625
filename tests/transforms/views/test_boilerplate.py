import json

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st

from transforms.store.files import Store
from transforms.views.blocks import hash_of_block
from transforms.views.boilerplate import OCCURRENCE, FindBoilerplate, boilerplate_rows, occurrences_of

ENVIRONMENTS = {0: ("airline", 10), 1: ("retail", 3)}
RULES = "Always answer in the tone of a patient librarian."


def occurrences(*quadruples):
    return np.array(list(quadruples), dtype=OCCURRENCE)


def test_boilerplate_counts_tasks_and_not_trajectories():
    found = occurrences(
        *[(0, 1, 1, task) for task in (0, 1, 2)],
        *[(0, 2, 2, task) for task in (0, 0, 0, 1)],
        *[(1, 1, 1, task) for task in (3, 4)],
    )

    rows = boilerplate_rows(found, environments=ENVIRONMENTS, min_share=0.3, min_tasks=3)

    assert rows == [{"environment": "airline", "block_hash": f"{1:016x}" * 2, "num_tasks": 3, "share": 0.3}]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.just(2**64 - 1), st.integers(0, 2)), min_size=1))
def test_boilerplate_depends_on_no_order_and_no_repeats(quadruples):
    once = occurrences(*sorted(set(quadruples)))
    settings = {"environments": ENVIRONMENTS, "min_share": 0.2, "min_tasks": 2}

    rows = boilerplate_rows(occurrences(*quadruples, *quadruples), **settings)

    assert rows == boilerplate_rows(once, **settings)
    assert all(row["num_tasks"] >= 2 and row["share"] >= 0.2 for row in rows)


def test_occurrences_leave_out_the_rest_and_foreign_trajectories():
    blocks = pa.table(
        {
            "traj_id": ["a", "a", "b", "z"],
            "block_index": [0, 1, 1, 1],
            "block_hash": ["f" * 32, "0" * 15 + "10" + "0" * 14 + "2", "0" * 15 + "10" + "0" * 14 + "2", "e" * 32],
        }
    )
    identities = pa.table({"traj_id": ["a", "b"], "environment": [1, 0], "task": [7, 8]})

    assert occurrences_of(blocks, identities).tolist() == [(0, 1, 2, 8), (1, 1, 2, 7)]


def test_find_boilerplate_over_packs(tmp_path, chat_trajectory, write_pack):
    store = Store(str(tmp_path / "store"))
    runs = [
        chat_trajectory(
            {
                "trajectory_id": f"t{number}",
                "messages": [
                    {"role": "user", "content": f"Book flight {number}."},
                    {"role": "assistant", "content": "Hello"},
                    {"role": "user", "content": f"{RULES}\n\nMy reservation has the long number {number}{number}."},
                ],
            }
        )
        for number in range(4)
    ]
    packs = [write_pack(store, runs[:2]), write_pack(store, runs[2:])]
    identities = pa.table(
        {"traj_id": [f"t{n}" for n in range(4)], "environment": [0] * 4, "task": list(range(4))},
        schema=pa.schema({"traj_id": pa.string(), "environment": pa.int32(), "task": pa.int32()}),
    )
    pq.write_table(identities, tmp_path / "identities.parquet")

    with TestPipeline() as pipeline:
        rows = (
            pipeline
            | beam.Create(packs)
            | FindBoilerplate(store, tmp_path / "identities.parquet", {0: ("airline", 4)}, min_share=0.2, min_tasks=3)
            | beam.FlatMapTuple(lambda _, rows: [json.dumps(row) for row in rows])
        )
        expected = {"environment": "airline", "block_hash": hash_of_block(RULES), "num_tasks": 4, "share": 1.0}
        assert_that(rows, equal_to([json.dumps(expected)]))
