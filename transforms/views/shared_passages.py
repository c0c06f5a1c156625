"""What rollouts of unlike tasks have in common: the passage that boilerplate should have taken out and did not."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from schemas.records import Trajectory
from transforms.views.blocks import MIN_BLOCK_CHARS, hash_of_block, is_block
from transforms.views.passages import PassageKind, passages_of

_RUN_WORDS = 5
"""Words in a row by which texts are compared, as the signatures do that raise the alarm."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a body; `is_block` says whether boilerplate could take it out."""

    text: str
    is_block: bool


@dataclass(frozen=True, slots=True)
class SharedPassage:
    """A text that many tasks' bodies hold.

    Attributes:
        text: The text.
        block_hash: Its hash, as the table `blocks` has it.
        share: Share of the tasks looked at that hold it; of a run of words, the share that hold the rarest part of it.
        is_block: Whether it is a block of its own; else it is part of paragraphs that differ, or the agent's words.
    """

    text: str
    block_hash: str
    share: float
    is_block: bool


def body_paragraphs(trajectory: Trajectory, boilerplate: Collection[str]) -> list[Paragraph]:
    """Return the paragraphs of a trajectory's body, boilerplate and the task's statement left out."""
    paragraphs = []
    for passage in passages_of(trajectory):
        if passage.kind is PassageKind.TASK:
            continue
        for text in passage.paragraphs:
            could_go = is_block(text, kind=passage.kind)
            if not (could_go and hash_of_block(text) in boilerplate):
                paragraphs.append(Paragraph(text, could_go))
    return paragraphs


def most_shared(bodies: Mapping[str, Sequence[Paragraph]], *, min_share: float) -> SharedPassage | None:
    """Return the passage that makes up most of the text shared by at least `min_share` of the tasks.

    Whole paragraphs come first; where none is shared, the words that paragraphs which differ have in common in a row,
    whatever varies before, behind and between them: dates, ids, numbers.

    Args:
        bodies: Task → paragraphs of the body of one of its rollouts.
        min_share: Smallest share of the tasks, 0 to 1.
    """
    return _heaviest_paragraph(bodies, min_share=min_share) or _heaviest_run(bodies, min_share=min_share)


def _heaviest_paragraph(bodies: Mapping[str, Sequence[Paragraph]], *, min_share: float) -> SharedPassage | None:
    tasks: dict[Paragraph, set[str]] = defaultdict(set)
    num_chars: Counter[Paragraph] = Counter()
    for task, paragraphs in bodies.items():
        for paragraph in paragraphs:
            if len(paragraph.text) >= MIN_BLOCK_CHARS:
                tasks[paragraph].add(task)
                num_chars[paragraph] += len(paragraph.text)
    shared = [each for each, holders in tasks.items() if _is_shared(holders, bodies, min_share=min_share)]
    if not shared:
        return None
    best = min(shared, key=lambda each: (-num_chars[each], each.text, each.is_block))
    return SharedPassage(best.text, hash_of_block(best.text), len(tasks[best]) / len(bodies), best.is_block)


def _heaviest_run(bodies: Mapping[str, Sequence[Paragraph]], *, min_share: float) -> SharedPassage | None:
    """Return the run of words that makes up most of the text, each `_RUN_WORDS` of which stand in enough tasks."""
    tasks: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for task, paragraphs in bodies.items():
        for paragraph in paragraphs:
            for gram in _grams(paragraph.text.split()):
                tasks[gram].add(task)
    shared = {gram for gram, holders in tasks.items() if _is_shared(holders, bodies, min_share=min_share)}
    runs = Counter(run for each in bodies.values() for paragraph in each for run in _runs(paragraph.text, shared))
    long = [run for run in runs if len(run) >= MIN_BLOCK_CHARS]
    if not long:
        return None
    best = min(long, key=lambda run: (-runs[run] * len(run), run))
    num_tasks = min(len(tasks[gram]) for gram in _grams(best.split()))
    return SharedPassage(best, hash_of_block(best), num_tasks / len(bodies), is_block=False)


def _is_shared(holders: Collection[str], bodies: Collection[str], *, min_share: float) -> bool:
    return len(holders) > 1 and len(holders) >= min_share * len(bodies)


def _runs(text: str, shared: Collection[tuple[str, ...]]) -> Iterator[str]:
    """Give the longest runs of words of a text that consist of shared ones."""
    words = text.split()
    start = 0
    for is_shared, grams in groupby(_grams(words), key=lambda gram: gram in shared):
        end = start + len(list(grams))
        if is_shared:
            yield " ".join(words[start : end + _RUN_WORDS - 1])
        start = end


def _grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[place : place + _RUN_WORDS]) for place in range(len(words) - _RUN_WORDS + 1)]
