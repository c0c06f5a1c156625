import numpy as np
import pyarrow as pa

from transforms.similarity.cluster_rows import final_keepers, with_families, with_stars
from transforms.similarity.redundancy import STAR_SCHEMA


def clusters(filled_table, *rows: tuple[str, str, str]) -> pa.Table:
    return filled_table(
        "clusters",
        [
            {"traj_id": each, "keeper_id": keeper, "method": method, "similarity_to_keeper": 1.0, "verified": True}
            for each, keeper, method in rows
        ],
    )


def stars(*rows: tuple[int, int, float]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"row": row, "keeper": keeper, "similarity": similarity} for row, keeper, similarity in rows], STAR_SCHEMA
    )


LAKE = [("a", "a", "none"), ("b", "a", "exact"), ("c", "c", "none"), ("d", "c", "lexical"), ("e", "e", "none")]


def test_chains_end_at_the_row_that_stays():
    ids = pa.chunked_array([["a", "b", "c", "d"]])
    assert final_keepers(ids, pa.chunked_array([["a", "a", "b", "c"]])).tolist() == [0, 0, 0, 0]
    assert final_keepers(ids, ids).tolist() == [0, 1, 2, 3]


def test_stars_give_representatives_their_keeper_and_all_rows_their_group(filled_table):
    table = with_stars(clusters(filled_table, *LAKE), stars((0, 0, 1.0), (2, 0, 0.96), (4, 4, 1.0)))
    columns = ["traj_id", "keeper_id", "semantic_group", "similarity_to_keeper", "method", "group_size"]
    assert [tuple(row.values()) for row in table.select(columns).to_pylist()] == [
        ("a", "a", "a", 1.0, "none", 4),
        ("b", "a", "a", 1.0, "exact", 4),
        ("c", "a", "a", 0.96, "semantic", 4),
        ("d", "c", "a", 1.0, "lexical", 4),
        ("e", "e", "e", 1.0, "none", 1),
    ]


def test_rows_take_the_family_of_their_final_keeper(filled_table):
    table = with_families(
        with_stars(clusters(filled_table, *LAKE), stars((2, 0, 0.96))),
        ["F1", None, None, None, None],
        probabilities=np.array([0.9, 0, 0, 0, 0]),
        labels={"F1": "grep + cat"},
        medoids={"F1": "a"},
    )
    columns = ["family_id", "family_label", "family_medoid", "family_probability", "family_is_noise", "family_size"]
    member = ("F1", "grep + cat", "a", 0.9, False, 4)
    assert [tuple(row.values()) for row in table.select(columns).to_pylist()] == [
        member,
        member,
        member,
        member,
        (None, None, None, 0.0, True, None),
    ]
