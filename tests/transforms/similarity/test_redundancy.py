from pathlib import Path

import apache_beam as beam
import numpy as np
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that

from transforms.similarity.redundancy import MEMBER, GroupRedundant, group_redundant

VECTORS = np.array([[1, 0], [0.999, 0.01], [0, 1], [0, 0], [0, 0]], dtype=np.float16)
MEMBERS = np.array(
    [(10, 0, 2, 0), (11, 0, 1, 1), (12, 0, 3, 2), (13, 1, 4, 0), (14, 2, 5, 3), (15, 2, 6, 4)], dtype=MEMBER
)


def test_only_members_of_one_cell_are_grouped():
    stars = group_redundant(MEMBERS, VECTORS, min_similarity=0.95, neighbours=20, seed=0)
    assert stars["row"].to_pylist() == [10, 11, 12, 13, 14, 15]
    assert stars["keeper"].to_pylist() == [11, 11, 12, 13, 14, 15]
    assert stars["similarity"].to_pylist()[1:] == [1, 1, 1, 1, 1]
    assert 0.999 < stars["similarity"].to_pylist()[0] < 1


def test_groups_do_not_depend_on_the_order_of_members():
    expected = group_redundant(MEMBERS, VECTORS, min_similarity=0.95, neighbours=20, seed=0)
    assert group_redundant(MEMBERS[::-1], VECTORS, min_similarity=0.95, neighbours=20, seed=0).equals(expected)


def test_group_redundant_gives_a_part_per_partition(tmp_path: Path):
    np.save(tmp_path / "members.npy", MEMBERS)
    np.save(tmp_path / "vectors.npy", VECTORS)

    def check(parts: list) -> None:
        found = sorted((name, table["row"].to_pylist(), table["keeper"].to_pylist()) for name, table in parts)
        assert found == [("00000", [10, 11, 12, 14, 15], [11, 11, 12, 14, 15]), ("00001", [13], [13])]

    with TestPipeline() as pipeline:
        parts = (
            pipeline
            | beam.Create([(0, 2), (2, 6)])
            | GroupRedundant(
                members_path=tmp_path / "members.npy",
                vectors_path=tmp_path / "vectors.npy",
                min_similarity=0.95,
                neighbours=20,
                seed=0,
                num_partitions=2,
            )
        )
        assert_that(parts, check)
