import pyarrow as pa

from schemas.tables import SCHEMAS
from transforms.lexical.cluster_rows import cluster_table, copy_figures
from transforms.lexical.copies import GROUPING_SCHEMA


def labels(*empty):
    count = len(empty)
    return pa.table(
        {
            "traj_id": [f"t{row}" for row in range(count)],
            "task_key": ["id:1"] * count,
            "task_group": ["id:0"] * count,
            "environment": ["airline"] * count,
            "outcome_class": ["success"] * count,
            "is_empty": list(empty),
        }
    )


def test_clusters_tell_how_each_member_was_found():
    columns = [
        [3, 0, 1, 2, 4, 5],
        [3, 3, 1, 1, 4, 5],
        [3, 3, 5, 5, 4, 5],
        [5, 5, 5, 5, 4, 5],
        [0.97, 0.97, 0.85, 0.85, 1.0, 1.0],
        [5, 3, 3, 3, 4, 5],
    ]
    groupings = pa.table(columns, schema=GROUPING_SCHEMA)

    table = cluster_table(labels(False, False, False, False, True, False), groupings)

    assert table.schema == SCHEMAS["clusters"]
    wanted = [
        "traj_id",
        "exact_group",
        "lexical_group",
        "semantic_group",
        "keeper_id",
        "similarity_to_keeper",
        "method",
    ]
    assert [tuple(row.values()) for row in table.select([*wanted, "group_size"]).to_pylist()] == [
        ("t0", "t3", "t3", "t5", "t5", 0.97, "containment", 5),
        ("t1", "t1", "t5", "t5", "t5", 0.85, "lexical", 5),
        ("t2", "t1", "t5", "t5", "t5", 0.85, "lexical", 5),
        ("t3", "t3", "t3", "t5", "t5", 0.97, "containment", 5),
        ("t4", "t4", "t4", "t4", "t4", 1.0, "empty", 1),
        ("t5", "t5", "t5", "t5", "t5", 1.0, "none", 5),
    ]
    assert table["approach_group"].to_pylist() == ["t3", "t3", "t3", "t5", "t4", "t5"]
    assert table["family_id"].null_count == 6


def test_figures_count_groups_and_action_repeats_inside_a_cell():
    clusters = pa.table(
        {
            "traj_id": list("abcdef"),
            "task_group": ["x", "x", "x", "y", "y", "y"],
            "outcome_class": ["success", "success", "failure", "success", "success", "success"],
            "semantic_group": ["a", "a", "c", "d", "d", "f"],
            "group_size": [2, 2, 1, 2, 2, 1],
        }
    )
    features = pa.table(
        {"traj_id": list("fedcba"), "actions_hash": ["1", "1", "0", "1", "1", "1"], "num_calls": [2, 2, 0, 2, 2, 2]}
    )

    assert copy_figures(clusters, features) == (4, 2, 4, 2)
    assert copy_figures(clusters.slice(0, 0), features) == (0, 0, 0, 0)
