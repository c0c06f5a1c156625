import numpy as np
import pyarrow as pa

from transforms.similarity.cluster_rows import with_families, with_stars
from transforms.similarity.redundancy import STAR_SCHEMA


def clusters(filled_table, *rows: tuple[str, str, str]) -> pa.Table:
    return filled_table(
        "clusters",
        [
            {
                "traj_id": each,
                "keeper_id": keeper,
                "exact_group": keeper if method == "exact" else each,
                "method": method,
                "similarity_to_keeper": 0.9 if method == "lexical" else 1.0,
            }
            for each, keeper, method in rows
        ],
    )


def stars(*rows: tuple[int, int, float]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"row": row, "keeper": keeper, "similarity": similarity} for row, keeper, similarity in rows], STAR_SCHEMA
    )


LAKE = [
    ("a", "a", "none"),
    ("b", "a", "exact"),
    ("c", "c", "none"),
    ("d", "c", "lexical"),
    ("e", "c", "exact"),
    ("f", "c", "lexical"),
    ("g", "g", "none"),
]


def test_every_row_names_a_keeper_that_stays_and_copies_share_that_of_their_text(filled_table):
    moved = with_stars(
        clusters(filled_table, *LAKE),
        stars((0, 0, 1.0), (2, 0, 0.96), (3, 0, 0.97), (5, 5, 1.0), (6, 6, 1.0)),
    )
    columns = ["traj_id", "keeper_id", "semantic_group", "similarity_to_keeper", "method", "group_size"]
    assert [tuple(row.values()) for row in moved.select(columns).to_pylist()] == [
        ("a", "a", "a", 1.0, "none", 5),
        ("b", "a", "a", 1.0, "exact", 5),
        ("c", "a", "a", 0.96, "semantic", 5),
        ("d", "a", "a", 0.97, "semantic", 5),
        ("e", "a", "a", 0.96, "semantic", 5),
        ("f", "f", "f", 1.0, "none", 1),
        ("g", "g", "g", 1.0, "none", 1),
    ]


def test_what_vectors_leave_alone_stays_as_text_had_it(filled_table):
    table = clusters(filled_table, *LAKE)
    kept = with_stars(table, stars((0, 0, 1.0), (2, 2, 1.0), (6, 6, 1.0)))
    columns = ["traj_id", "keeper_id", "similarity_to_keeper", "method"]
    assert kept.select(columns).to_pylist() == table.select(columns).to_pylist()


def test_rows_take_the_family_of_their_keeper(filled_table):
    table = with_families(
        clusters(filled_table, ("a", "a", "none"), ("b", "a", "exact"), ("c", "a", "lexical"), ("d", "d", "none")),
        ["F1", None, None, None],
        probabilities=np.array([0.9, 0, 0, 0]),
        labels={"F1": "grep + cat"},
        medoids={"F1": "a"},
    )
    columns = ["family_id", "family_label", "family_medoid", "family_probability", "family_is_noise", "family_size"]
    member = ("F1", "grep + cat", "a", 0.9, False, 3)
    assert [tuple(row.values()) for row in table.select(columns).to_pylist()] == [
        member,
        member,
        member,
        (None, None, None, 0.0, True, None),
    ]
