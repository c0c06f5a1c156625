import apache_beam as beam
import numpy as np
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.copies import MEMBER, GroupCopies, group_cell, group_cells
from transforms.lexical.signatures import DatasketchEngine

BASE = {f"w{number}" for number in range(100)}
TEXTS = [BASE, BASE | {"x"}, {"other"}, BASE | {"x", "y"}, set()]
SIGNATURES = DatasketchEngine().sign(TEXTS)


def member(row, *, cell=0, rank, text):
    return (row, cell, rank, -1 if text == 4 else text, text)


def members(*rows):
    return np.array(list(rows), dtype=MEMBER)


def test_exact_copies_follow_the_best_and_near_copies_join_it():
    cell = members(
        member(0, rank=3, text=0),
        member(1, rank=0, text=1),
        member(2, rank=1, text=0),
        member(3, rank=2, text=2),
        member(4, rank=5, text=1),
        member(5, rank=4, text=4),
        member(6, rank=6, text=4),
    )

    grouped = group_cell(cell, SIGNATURES, min_similarity=0.8)

    near = float((SIGNATURES[0] == SIGNATURES[1]).mean())
    assert sorted(grouped.tolist()) == [
        (0, 2, 1, near),
        (1, 1, 1, 1.0),
        (2, 2, 1, near),
        (3, 3, 3, 1.0),
        (4, 1, 1, 1.0),
        (5, 5, 5, 1.0),
        (6, 6, 6, 1.0),
    ]


def test_members_of_two_cells_are_never_grouped():
    cells = members(member(0, cell=0, rank=0, text=0), member(1, cell=1, rank=1, text=0))

    assert group_cells(cells, SIGNATURES, min_similarity=0.8).tolist() == [(0, 0, 0, 1.0), (1, 1, 1, 1.0)]


def test_group_copies_reads_files_and_gives_every_row_once(tmp_path):
    all_members = members(*(member(row, cell=row % 3, rank=9 - row, text=row % 2) for row in range(10)))
    np.save(tmp_path / "members.npy", all_members)
    np.save(tmp_path / "signatures.npy", SIGNATURES)
    expected = group_cells(all_members, SIGNATURES, min_similarity=0.8).tolist()

    with TestPipeline() as pipeline:
        rows = (
            pipeline
            | beam.Create([(0, 4), (4, 10)])
            | GroupCopies(tmp_path / "members.npy", tmp_path / "signatures.npy", min_similarity=0.8, num_partitions=2)
            | beam.FlatMapTuple(lambda _, table: [tuple(row.values()) for row in table.to_pylist()])
        )
        assert_that(rows, equal_to(expected))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=12), st.randoms())
def test_kept_and_dropped_are_what_was_seen_in_any_order(kinds, random):
    ranks = list(range(len(kinds)))
    random.shuffle(ranks)
    rows = [member(row, cell=cell, rank=ranks[row], text=text) for row, (cell, text) in enumerate(kinds)]

    grouped = group_cells(members(*rows), SIGNATURES, min_similarity=0.8)
    random.shuffle(rows)

    assert grouped["row"].tolist() == list(range(len(kinds)))
    assert group_cells(members(*rows), SIGNATURES, min_similarity=0.8).tolist() == grouped.tolist()
    for row, exact, lexical, similarity in grouped.tolist():
        assert ranks[lexical] <= ranks[exact] <= ranks[row]
        assert kinds[exact] == kinds[row]
        assert kinds[lexical][0] == kinds[row][0]
        assert similarity >= 0.8
        assert lexical == row or kinds[row][1] != 4


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_grouping_the_kept_again_keeps_them_all(texts):
    rows = members(*(member(row, rank=row, text=text) for row, text in enumerate(texts)))
    grouped = group_cells(rows, SIGNATURES, min_similarity=0.8)
    kept = rows[grouped["lexical_keeper"] == grouped["row"]]

    again = group_cells(kept, SIGNATURES, min_similarity=0.8)

    assert again["lexical_keeper"].tolist() == kept["row"].tolist()
