"""Task groups joined by vectors, and the copy rule applied again inside the groups that became one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables.clusters import METHOD_CONTAINMENT, METHOD_EXACT, METHOD_LEXICAL
from transforms.lexical.task_texts import TaskText, as_asked, joinable_classes, name_groups
from transforms.similarity.cluster_rows import final_keepers, replaced
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
    """Return `clusters` with the copies found among representatives whose cells became one.

    A row keeps its direct keeper, against which it was verified; its groups follow those of its keepers.

    Args:
        clusters: The table as `copies` wrote it; row i is trajectory i.
        groupings: Table of `GROUPING_SCHEMA`: representatives and their keepers.
    """
    ids = clusters["traj_id"].to_pylist()
    keeper_ids, methods = clusters["keeper_id"].to_pylist(), clusters["method"].to_pylist()
    similarities = clusters["similarity_to_keeper"].to_numpy().copy()
    exact, lexical = np.arange(len(ids)), np.arange(len(ids))
    known = clusters["traj_id"].combine_chunks()
    approach = pc.index_in(clusters["approach_group"], value_set=known).to_numpy().copy()
    for grouping in groupings.to_pylist():
        row, keeper = grouping["row"], grouping["keeper"]
        exact[row], lexical[row] = grouping["exact_keeper"], grouping["lexical_keeper"]
        approach[row] = grouping["approach"]
        if keeper != row:
            keeper_ids[row], similarities[row] = ids[keeper], grouping["similarity"]
            methods[row] = _method(grouping)
    lexical = lexical[pc.index_in(clusters["lexical_group"], value_set=known).to_numpy()]
    keepers = final_keepers(clusters["traj_id"], pa.chunked_array([pa.array(keeper_ids, pa.string())]))
    return replaced(
        clusters,
        {
            "exact_group": known.take(
                pa.array(exact[pc.index_in(clusters["exact_group"], value_set=known).to_numpy()])
            ),
            "lexical_group": known.take(pa.array(lexical)),
            "semantic_group": known.take(pa.array(keepers)),
            "approach_group": known.take(pa.array(approach[lexical])),
            "keeper_id": pa.array(keeper_ids, pa.string()),
            "similarity_to_keeper": pa.array(similarities),
            "method": pa.array(methods, pa.string()),
            "group_size": pa.array(np.bincount(keepers, minlength=len(keepers))[keepers], pa.int32()),
        },
    )


def _method(grouping: Mapping[str, int]) -> str:
    if grouping["keeper"] != grouping["lexical_keeper"]:
        return METHOD_CONTAINMENT
    return METHOD_EXACT if grouping["exact_keeper"] == grouping["keeper"] else METHOD_LEXICAL
