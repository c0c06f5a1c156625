import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.copies import GROUPING_SCHEMA
from transforms.lexical.task_texts import TaskText
from transforms.similarity.task_joins import join_rules, join_task_vectors, with_copies

ALIKE = np.array([[1, 0], [1, 0.1], [0, 1], [0, 0]], dtype=np.float16)


def joined(texts, vectors=ALIKE, *, groups=None, scopes=None, min_similarity=0.95):
    tasks = [TaskText(f"id:{n}", text, (scopes or {}).get(n, "")) for n, text in enumerate(texts)]
    known = {task.task_key: task.task_key for task in tasks} | (groups or {})
    found = join_task_vectors(tasks, vectors[: len(texts)], groups=known, min_similarity=min_similarity)
    return list(found.values())


def test_tasks_whose_vectors_agree_join_under_the_smallest_key():
    assert joined(["mend it", "repair it", "sing", "mend it"]) == ["id:0", "id:0", "id:2", "id:3"]


def test_tasks_that_differ_in_a_mark_or_scope_stay_apart():
    assert joined(["mend 3", "mend 4"]) == ["id:0", "id:1"]
    assert joined(["mend src/a.py", "mend src/b.py"]) == ["id:0", "id:1"]
    assert joined(["mend `a`", "mend `b`"]) == ["id:0", "id:1"]
    assert joined(["mend it", "repair it"], scopes={0: "one@", 1: "two@"}) == ["id:0", "id:1"]
    assert joined(["as of 2026-11-30 mend it", "as of 2026-12-01 repair it"]) == ["id:0", "id:0"]


def test_groups_that_text_joined_are_joined_as_a_whole():
    groups = {"id:2": "id:1", "id:8": "id:8", "id:9": "id:8"}
    assert joined(["mend it", "repair it", "repair it"], groups=groups) == ["id:0", "id:0", "id:0", "id:8", "id:8"]


@given(st.integers(0, 50), st.randoms(use_true_random=False))
def test_joins_depend_on_no_order_and_equal_those_of_all_pairs(seed, random):
    vectors = np.random.default_rng(seed).normal(size=(12, 3)).astype(np.float16)
    tasks = [TaskText(f"id:{n:02}", "mend it") for n in range(12)]
    groups = {task.task_key: task.task_key for task in tasks}
    found = join_task_vectors(tasks, vectors, groups=groups, min_similarity=0.9)
    order = list(range(12))
    random.shuffle(order)
    assert join_task_vectors([tasks[n] for n in order], vectors[order], groups=groups, min_similarity=0.9) == found
    units = vectors.astype(np.float64) / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    for left, right in zip(*np.nonzero(units @ units.T >= 0.9), strict=True):
        assert found[tasks[left].task_key] == found[tasks[right].task_key]


def test_the_rule_of_a_key_is_the_one_that_joined_it():
    before = {"a": "a", "b": "b", "c": "b", "d": "d"}
    after = {"a": "a", "b": "a", "c": "a", "d": "d"}
    rules = {"a": "alias", "b": "id", "c": "near_text", "d": "text_hash"}
    assert join_rules(before, after, rules) == rules | {"b": "vector"}


def test_joined_cells_are_grouped_anew_and_the_others_stay(filled_table):
    before = {"a": "a", "b": "a", "c": "c", "d": "c", "e": "e", "f": "e"}
    clusters = filled_table(
        "clusters",
        [
            {"traj_id": each, "exact_group": each, "lexical_group": keeper, "keeper_id": keeper,
             "approach_group": keeper, "similarity_to_keeper": 1.0 if each == keeper else 0.9,
             "method": "none" if each == keeper else "lexical"}
            for each, keeper in before.items()
        ],
    )  # fmt: skip
    groupings = pa.Table.from_pylist(
        [
            {"row": 0, "exact_keeper": 2, "lexical_keeper": 2, "keeper": 2, "similarity": 1.0, "approach": 2},
            {"row": 1, "exact_keeper": 1, "lexical_keeper": 1, "keeper": 1, "similarity": 1.0, "approach": 1},
            {"row": 2, "exact_keeper": 2, "lexical_keeper": 2, "keeper": 2, "similarity": 1.0, "approach": 2},
            {"row": 3, "exact_keeper": 3, "lexical_keeper": 3, "keeper": 2, "similarity": 0.97, "approach": 2},
        ],
        schema=GROUPING_SCHEMA,
    )

    found = with_copies(clusters, groupings)

    columns = ["keeper_id", "exact_group", "lexical_group", "method", "similarity_to_keeper", "group_size"]
    assert [tuple(row.values()) for row in found.select(columns).to_pylist()] == [
        ("c", "c", "c", "exact", 1.0, 3),
        ("b", "b", "b", "none", 1.0, 1),
        ("c", "c", "c", "none", 1.0, 3),
        ("c", "d", "d", "containment", 0.97, 3),
        ("e", "e", "e", "none", 1.0, 2),
        ("e", "f", "e", "lexical", 0.9, 2),
    ]
    assert found["approach_group"].to_pylist() == ["c", "b", "c", "c", "e", "e"]
    assert found["semantic_group"].to_pylist() == found["keeper_id"].to_pylist()
