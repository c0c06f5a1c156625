"""What rollouts of unlike tasks have in common: the passage that boilerplate should have taken out and did not."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.records import Trajectory
from transforms.views.blocks import MIN_BLOCK_CHARS, hash_of_block, is_block
from transforms.views.passages import PassageKind, passages_of

_ENDS = re.compile(r"(?<=[.!?:;])\s+|\s*\n\s*")


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
        share: Share of the tasks looked at that hold it.
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

    Whole paragraphs come first; where none is shared, the sentences and lines of paragraphs that differ.

    Args:
        bodies: Task → paragraphs of the body of one of its rollouts.
        min_share: Smallest share of the tasks, 0 to 1.
    """
    return _heaviest(bodies, _whole, min_share=min_share) or _heaviest(bodies, _pieces, min_share=min_share)


def _heaviest(
    bodies: Mapping[str, Sequence[Paragraph]],
    parts_of: Callable[[Paragraph], Iterator[Paragraph]],
    *,
    min_share: float,
) -> SharedPassage | None:
    tasks: dict[Paragraph, set[str]] = defaultdict(set)
    num_chars: Counter[Paragraph] = Counter()
    for task, paragraphs in bodies.items():
        for paragraph in paragraphs:
            for part in parts_of(paragraph):
                tasks[part].add(task)
                num_chars[part] += len(part.text)
    shared = [part for part, holders in tasks.items() if len(holders) > 1 and len(holders) >= min_share * len(bodies)]
    if not shared:
        return None
    best = min(shared, key=lambda part: (-num_chars[part], part.text, part.is_block))
    return SharedPassage(best.text, hash_of_block(best.text), len(tasks[best]) / len(bodies), best.is_block)


def _whole(paragraph: Paragraph) -> Iterator[Paragraph]:
    if len(paragraph.text) >= MIN_BLOCK_CHARS:
        yield paragraph


def _pieces(paragraph: Paragraph) -> Iterator[Paragraph]:
    for piece in _ENDS.split(paragraph.text):
        if len(piece) >= MIN_BLOCK_CHARS:
            yield Paragraph(piece, is_block=False)
