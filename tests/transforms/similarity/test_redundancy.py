from pathlib import Path

import apache_beam as beam
import numpy as np
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that

from transforms.similarity.redundancy import MEMBER, GroupRedundant, group_redundant

VECTORS = np.array([[1, 0], [0.999, 0.01], [0, 1], [0, 0], [0, 0]], dtype=np.float16)
MEMBERS = np.array(
    [
        (10, 0, 2, 0, 10),
        (11, 0, 1, 1, 11),
        (12, 0, 3, 2, 12),
        (13, 1, 4, 0, 13),
        (14, 2, 5, 3, 14),
        (15, 2, 6, 4, 15),
    ],
    dtype=MEMBER,
)


def test_only_members_of_one_cell_are_grouped():
    stars = group_redundant(MEMBERS, VECTORS, min_similarity=0.95, neighbours=20, seed=0)
    assert stars["row"].to_pylist() == [10, 11, 12, 13, 14, 15]
    assert stars["keeper"].to_pylist() == [11, 11, 12, 13, 14, 15]
    assert stars["similarity"].to_pylist()[1:] == [1, 1, 1, 1, 1]
    assert 0.999 < stars["similarity"].to_pylist()[0] < 1


def at_angles(*degrees):
    turned = np.deg2rad(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1)


def test_what_a_dropped_representative_stood_for_joins_what_it_is_near_to_or_stays():
    # Ten degrees are near. Row 1 goes for row 0; of its near-copies row 2 is near to that, rows 3 and 4 are not.
    vectors = at_angles(0, 8, 4, 16, 20, 60, 66)
    repeats = [0, 1, 1, 1, 1, 5, 5]
    members = np.array([(row, 0, row, row, repeats[row]) for row in range(7)], dtype=MEMBER)

    stars = group_redundant(members, vectors, min_similarity=np.cos(np.deg2rad(10)), neighbours=20, seed=0)

    # Row 6 is not asked: what it repeats stays.
    assert list(zip(stars["row"].to_pylist(), stars["keeper"].to_pylist(), strict=True)) == [
        (0, 0), (1, 0), (2, 0), (3, 3), (4, 3), (5, 5)
    ]  # fmt: skip
    assert stars["similarity"].to_pylist() == pytest.approx(np.cos(np.deg2rad([0, 8, 4, 0, 4, 0])))


def test_what_was_left_behind_displaces_no_representative():
    # Row 3 is near to row 4, which comes after it in the order of keepers.
    vectors = at_angles(0, 8, 90, 16, 24)
    members = np.array([(row, 0, row, row, [0, 1, 2, 1, 4][row]) for row in range(5)], dtype=MEMBER)

    stars = group_redundant(members, vectors, min_similarity=np.cos(np.deg2rad(10)), neighbours=20, seed=0)

    assert stars["keeper"].to_pylist() == [0, 0, 2, 4, 4]


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
