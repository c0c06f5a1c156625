"""Task groups: tasks whose statements are the same but for their wording."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from transforms.lexical.candidates import similar_pairs
from transforms.lexical.shingles import jaccard, shingles
from transforms.lexical.signatures import SignatureEngine, sign_strings

_ESTIMATE_MARGIN = 0.15
"""How far below the threshold an estimate may lie before the pair is checked: four standard errors at .8."""

_KEPT_SHINGLE_SETS = 4096

_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_NAMED_DAY = rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_MOMENT = rf"(?:{_DAY}|{_NAMED_DAY})(?:(?:t|,? at |,? ){_TIME})?|{_TIME}"
_RUN_DATE = re.compile(
    rf"(?i)\b(?:today(?:'s date)?|(?:current|today's|present) (?:local )?(?:date(?:time)?|time|day)(?: and time)?|now)"
    rf"(?: is|:| =|,)? ?(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?(?:{_MOMENT})"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{1,200})'(?!\w)")
_FILE_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}")
_AROUND_PATHS = ".,;:!?()[]{}<>\"'`"


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task: its key, the text that states it, and what else must be equal for two tasks to be one (repository …)."""

    task_key: str
    text: str
    scope: str = ""


def join_task_texts(tasks: Iterable[TaskText], engine: SignatureEngine, *, min_similarity: float) -> dict[str, str]:
    """Return the task group of each task key: the smallest task key of the tasks joined.

    What a text says of the day it was run on (`Today is 2026-11-30`) is passed over: a dated instruction is the same
    task every day. Two tasks join when the word 5-gram Jaccard similarity of their texts, computed exactly, reaches
    `min_similarity` (texts under five words: when they are equal), and never when they differ in their scope, or in a
    number, path or quoted name. Tasks joined to a common third are one group, so that no near-duplicate leaks into
    another split. A task without text joins none.

    Args:
        tasks: Tasks with unique keys, in any order.
        engine: Makes the signatures that find candidates.
        min_similarity: Smallest similarity, 0 to 1.
    """
    ordered = [
        TaskText(task.task_key, without_run_date(task.text), task.scope)
        for task in sorted(tasks, key=lambda task: task.task_key)
    ]
    alike: dict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    for index, task in enumerate(ordered):
        if task.text.strip():
            alike[task.scope, distinguishing_marks(task.text)].append(index)
    edges = [
        edge
        for members in alike.values()
        if len(members) > 1
        for edge in _verified_edges(ordered, members, engine=engine, min_similarity=min_similarity)
    ]
    labels = _component_labels(len(ordered), edges)
    smallest: dict[int, str] = {}
    for task, label in zip(ordered, labels, strict=True):
        smallest.setdefault(label, task.task_key)
    return {task.task_key: smallest[label] for task, label in zip(ordered, labels, strict=True)}


def without_run_date(text: str) -> str:
    """Return a text without the dates and times that it gives as those of today or now."""
    return _RUN_DATE.sub("", text)


def distinguishing_marks(text: str) -> frozenset[str]:
    """Return the numbers, paths, file names and quoted names of a text: two tasks that differ in one are two tasks."""
    numbers = (f"number {match.group()}" for match in _NUMBER.finditer(text))
    quoted = (f"name {next(filter(None, match.groups()))}" for match in _QUOTED.finditer(text))
    words = (word.strip(_AROUND_PATHS) for word in text.split())
    paths = (f"path {word}" for word in words if "/" in word or "\\" in word or _FILE_NAME.fullmatch(word))
    return frozenset([*numbers, *quoted, *paths])


def _verified_edges(
    tasks: Sequence[TaskText], members: Sequence[int], *, engine: SignatureEngine, min_similarity: float
) -> Iterator[tuple[int, int]]:
    """Give edges that connect what belongs together: not every similar pair, where others connect it already."""
    first_with: dict[str, int] = {}
    for index in members:
        first = first_with.setdefault(" ".join(tasks[index].text.split()), index)
        if first != index:
            yield first, index
    distinct = list(first_with.values())
    signatures = sign_strings(engine, [tasks[index].text for index in distinct]).minhash

    @lru_cache(_KEPT_SHINGLE_SETS)
    def shingles_of(place: int) -> set[str]:
        return shingles(tasks[distinct[place]].text)

    leader = list(range(len(distinct)))

    def leader_of(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    for left, right in similar_pairs(signatures, min_similarity=max(0.0, min_similarity - _ESTIMATE_MARGIN)):
        ends = leader_of(left), leader_of(right)
        if ends[0] != ends[1] and jaccard(shingles_of(left), shingles_of(right)) >= min_similarity:
            leader[max(ends)] = min(ends)
            yield distinct[left], distinct[right]


def _component_labels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    if not count:
        return []
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    return [int(label) for label in labels]
