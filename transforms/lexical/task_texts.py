"""Task groups: tasks whose statements are the same but for their wording."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from transforms.lexical.candidates import similar_pairs
from transforms.lexical.run_labels import without_run_labels
from transforms.lexical.shingles import jaccard, shingles
from transforms.lexical.signatures import SignatureEngine, sign_strings
from transforms.lexical.time_stamps import without_time_stamps

_ESTIMATE_MARGIN = 0.15
"""How far below the threshold an estimate may lie before the pair is checked: four standard errors at .8."""

_KEPT_SHINGLE_SETS = 4096

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{1,200})'(?!\w)")
_FILE_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}")
_AROUND_PATHS = ".,;:!?()[]{}<>\"'`"


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task.

    Attributes:
        task_key: Its key.
        text: The text that states it.
        scope: What else must be equal for two tasks to be one: environment, repository, commit.
        has_id: Whether its rollouts name it by an id of their own.
    """

    task_key: str
    text: str
    scope: str = ""
    has_id: bool = False


def join_task_texts(tasks: Iterable[TaskText], engine: SignatureEngine, *, min_similarity: float) -> dict[str, str]:
    """Return the task group of each task key: the smallest task key of the tasks joined.

    Two tasks join when the word 5-gram Jaccard similarity of their texts, computed exactly, reaches `min_similarity`
    (texts under five words: when they are equal), and never when they differ in their scope, or in a number, path or
    quoted name. Tasks joined to a common third are one group, so that no near-duplicate leaks into another split.
    Time stamps and labels of runs are left out of the comparison: an instruction handed out on two days is one task.
    Two tasks with ids of their own are one only when their texts are equal but for these, case and white space: the
    ids of a template's tasks tell that the one word in which they differ matters. A task without text joins none.

    Args:
        tasks: Tasks with unique keys, in any order.
        engine: Makes the signatures that find candidates.
        min_similarity: Smallest similarity, 0 to 1.
    """
    ordered = sorted((as_asked(task) for task in tasks), key=_task_key)
    edges = [
        edge
        for members in joinable_classes(ordered)
        for edge in _verified_edges(ordered, members, engine=engine, min_similarity=min_similarity)
    ]
    return name_groups([task.task_key for task in ordered], edges)


def as_asked(task: TaskText) -> TaskText:
    """Return the task with what its text says of one run, when and which try it is, replaced by placeholders."""
    return replace(task, text=without_run_labels(without_time_stamps(task.text)))


def joined_ids(tasks: Iterable[TaskText], groups: Mapping[str, str]) -> list[list[TaskText]]:
    """Return the tasks with ids of each group that has several, ordered by key; the largest group first.

    Args:
        tasks: Tasks with unique keys, in any order.
        groups: Task key → task group.
    """
    members: dict[str, list[TaskText]] = defaultdict(list)
    for task in sorted(tasks, key=_task_key):
        if task.has_id:
            members[groups[task.task_key]].append(task)
    joined = [each for each in members.values() if len(each) > 1]
    return sorted(joined, key=lambda each: (-len(each), each[0].task_key))


def joinable_classes(tasks: Sequence[TaskText]) -> list[list[int]]:
    """Return the positions of the tasks that may be one: those of equal scope, numbers, paths and quoted names.

    Classes of one are left out, and so are tasks without text.
    """
    alike: dict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    for index, task in enumerate(tasks):
        if task.text.strip():
            alike[task.scope, distinguishing_marks(task.text)].append(index)
    return [members for members in alike.values() if len(members) > 1]


def name_groups(keys: Sequence[str], edges: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the group of each key: the smallest key of those that edges between positions connect.

    Args:
        keys: Unique keys, in ascending order.
        edges: Pairs of positions.
    """
    labels = _component_labels(len(keys), edges)
    smallest: dict[int, str] = {}
    for key, label in zip(keys, labels, strict=True):
        smallest.setdefault(label, key)
    return {key: smallest[label] for key, label in zip(keys, labels, strict=True)}


def distinguishing_marks(text: str) -> frozenset[str]:
    """Return the numbers, paths, file names and quoted names of a text: two tasks that differ in one are two tasks."""
    numbers = (f"number {match.group()}" for match in _NUMBER.finditer(text))
    quoted = (f"name {next(filter(None, match.groups()))}" for match in _QUOTED.finditer(text))
    words = (word.strip(_AROUND_PATHS) for word in text.split())
    paths = (f"path {word}" for word in words if "/" in word or "\\" in word or _FILE_NAME.fullmatch(word))
    return frozenset([*numbers, *quoted, *paths])


def _task_key(task: TaskText) -> str:
    return task.task_key


def _verified_edges(
    tasks: Sequence[TaskText], members: Sequence[int], *, engine: SignatureEngine, min_similarity: float
) -> Iterator[tuple[int, int]]:
    """Give edges that connect what belongs together: not every similar pair, where others connect it already.

    Equal texts come first; texts that are alike then never connect two tasks with ids, also not by way of a third.
    """
    first_with: dict[str, int] = {}
    holds_id: dict[int, bool] = {}
    for index in members:
        first = first_with.setdefault(" ".join(tasks[index].text.lower().split()), index)
        holds_id[first] = holds_id.get(first, False) or tasks[index].has_id
        if first != index:
            yield first, index
    distinct = list(first_with.values())
    signatures = sign_strings(engine, [tasks[index].text for index in distinct]).minhash

    @lru_cache(_KEPT_SHINGLE_SETS)
    def shingles_of(place: int) -> set[str]:
        return shingles(tasks[distinct[place]].text)

    leader = list(range(len(distinct)))
    is_named = [holds_id[index] for index in distinct]

    def leader_of(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    for left, right in similar_pairs(signatures, min_similarity=max(0.0, min_similarity - _ESTIMATE_MARGIN)):
        ends = leader_of(left), leader_of(right)
        if ends[0] == ends[1] or (is_named[ends[0]] and is_named[ends[1]]):
            continue
        if jaccard(shingles_of(left), shingles_of(right)) >= min_similarity:
            leader[max(ends)] = min(ends)
            is_named[min(ends)] = is_named[ends[0]] or is_named[ends[1]]
            yield distinct[left], distinct[right]


def _component_labels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    if not count:
        return []
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    return [int(label) for label in labels]
