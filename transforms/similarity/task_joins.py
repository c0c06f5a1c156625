"""Task groups joined by vectors, and the copy rule applied again inside the groups that became one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.tables.clusters import METHOD_EMPTY
from transforms.lexical.cluster_rows import methods_of
from transforms.lexical.task_texts import TaskText, as_asked, joinable_classes, name_groups
from transforms.similarity.cluster_rows import replaced, row_numbers, with_keepers
from transforms.similarity.rescoring import CANDIDATE_MARGIN, Matrix, pair_cosines, unit_rows

_BLOCK_TASKS: Final = 512
"""Tasks compared with all others of their class at a time; bounds memory, changes no result."""


def join_task_vectors(
    tasks: Sequence[TaskText], vectors: Matrix, *, groups: Mapping[str, str], min_similarity: float
) -> dict[str, str]:
    """Return the task group of each task key: the smallest key of the tasks joined so far or by their vectors.

    Two tasks join when the cosine of their vectors reaches `min_similarity`, and never when they differ in their
    scope, or in a number, path or quoted name; time stamps are left out of that comparison. All pairs of tasks that
    agree in these are compared.

    Args:
        tasks: Tasks with unique keys, in any order.
        vectors: Vector of each task, shape (tasks, dimensions); a task whose vector is zero joins none.
        groups: Task key → the group it is in already; every task's key is there.
        min_similarity: Smallest cosine, 0 to 1.
    """
    stated = [as_asked(task) for task in tasks]
    keys = sorted(groups)
    place = {key: position for position, key in enumerate(keys)}
    edges = [(place[key], place[group]) for key, group in groups.items()]
    for members in joinable_classes(stated):
        for left, right in _alike(vectors, np.array(members, dtype=np.int64), min_similarity=min_similarity):
            edges.append((place[tasks[left].task_key], place[tasks[right].task_key]))
    return name_groups(keys, edges)


def _alike(vectors: Matrix, members: NDArray[np.int64], *, min_similarity: float) -> Iterator[tuple[int, int]]:
    units = unit_rows(vectors[members])
    for start in range(0, len(members), _BLOCK_TASKS):
        scores = units[start : start + _BLOCK_TASKS] @ units.T
        left, right = np.nonzero(scores >= np.float32(min_similarity - CANDIDATE_MARGIN))
        left += start
        once = left < right
        first, second = members[left[once]], members[right[once]]
        close = pair_cosines(vectors, first, second) >= min_similarity
        yield from zip(first[close].tolist(), second[close].tolist(), strict=True)


def join_rules(before: Mapping[str, str], after: Mapping[str, str], rules: Mapping[str, str]) -> dict[str, str]:
    """Return the rule that put each key in its group: `vector` where the group named after the key became another's.

    Args:
        before: Task key → group before vectors were asked.
        after: Task key → group afterwards.
        rules: Task key → rule before.
    """
    return {key: "vector" if before[key] == key and after[key] != key else rules[key] for key in sorted(before)}


def with_copies(clusters: pa.Table, groupings: pa.Table) -> pa.Table:
    """Return `clusters` with the rows of cells that became one grouped anew.

    Args:
        clusters: The table as `copies` wrote it; row i is trajectory i.
        groupings: Table of `GROUPING_SCHEMA`: all rows of those cells.
    """
    rows = groupings["row"].to_numpy()
    keepers = row_numbers(clusters, "keeper_id")
    keepers[rows] = groupings["keeper"].to_numpy()
    methods = np.array(clusters["method"].to_pylist(), dtype=object)
    is_grouped = methods[rows] != METHOD_EMPTY
    methods[rows[is_grouped]] = methods_of(groupings)[is_grouped]
    similarities = clusters["similarity_to_keeper"].to_numpy().copy()
    similarities[rows] = groupings["similarity"].to_numpy()
    groups: dict[str, pa.Array] = {}
    for group, column in (
        ("exact_group", "exact_keeper"),
        ("lexical_group", "lexical_keeper"),
        ("approach_group", "approach"),
    ):
        named = row_numbers(clusters, group)
        named[rows] = groupings[column].to_numpy()
        groups[group] = clusters["traj_id"].combine_chunks().take(pa.array(named))
    return replaced(with_keepers(clusters, keepers, methods=methods, similarities=similarities), groups)
