"""Comparable texts of a trajectory: its body, its task's text and its skeleton, boilerplate left out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from schemas.records import Trajectory
from transforms.store.keys import short_id
from transforms.views.blocks import hash_of_block, is_block
from transforms.views.passages import Passage, PassageKind, paragraphs_of, passages_of
from transforms.views.skeletons import skeleton

_CUT = "\n…\n"


@dataclass(frozen=True, slots=True)
class View:
    """What is compared of a trajectory."""

    body: str
    skeleton: str
    task_text: str

    @property
    def comparable(self) -> str:
        """The text copies are found on: the body; a run without one is compared by its task's text."""
        return self.body if self.body.strip() else self.task_text

    @property
    def body_hash(self) -> str:
        """The hash of the comparable text; a body never equals a mere task text."""
        return short_id("body" if self.body.strip() else "task", self.comparable)

    @property
    def skeleton_hash(self) -> str:
        """The hash of the skeleton."""
        return short_id("skeleton", self.skeleton)


def view_of(trajectory: Trajectory, boilerplate: Collection[str], *, observation_edge_chars: int) -> View:
    """Return the trajectory's comparable texts.

    Args:
        trajectory: The rollout.
        boilerplate: Block hashes to leave out: those of the trajectory's environment.
        observation_edge_chars: Characters kept from the start and from the end of each observation.
    """
    return View(
        body=body_text(trajectory, boilerplate, observation_edge_chars=observation_edge_chars),
        skeleton=skeleton(trajectory),
        task_text=task_text(trajectory.header.task_text or "", boilerplate),
    )


def body_text(trajectory: Trajectory, boilerplate: Collection[str], *, observation_edge_chars: int) -> str:
    """Return thought, action and the edges of the observation of each step, boilerplate left out.

    The task's statement is no part of the body.
    """
    texts = (
        _passage_text(passage, boilerplate, observation_edge_chars=observation_edge_chars)
        for passage in passages_of(trajectory)
        if passage.kind is not PassageKind.TASK
    )
    return "\n".join(text for text in texts if text)


def task_text(statement: str, boilerplate: Collection[str]) -> str:
    """Return a task's statement without boilerplate; whole, where nothing else would be left."""
    paragraphs = paragraphs_of(statement)
    return "\n\n".join(_without_boilerplate(paragraphs, boilerplate, kind=PassageKind.TASK) or paragraphs)


def edges(text: str, num_chars: int) -> str:
    """Return the first and last `num_chars` characters of a text, and the whole of a text that short."""
    if len(text) <= 2 * num_chars:
        return text
    return text[:num_chars] + _CUT + text[-num_chars:] if num_chars else ""


def _passage_text(passage: Passage, boilerplate: Collection[str], *, observation_edge_chars: int) -> str:
    if passage.kind is not PassageKind.OBSERVATION:
        return "\n\n".join(passage.paragraphs)
    text = "\n\n".join(_without_boilerplate(passage.paragraphs, boilerplate, kind=passage.kind))
    return edges(text, observation_edge_chars)


def _without_boilerplate(
    paragraphs: Sequence[str], boilerplate: Collection[str], *, kind: PassageKind
) -> Sequence[str]:
    if not boilerplate:
        return paragraphs
    return [text for text in paragraphs if not (is_block(text, kind=kind) and hash_of_block(text) in boilerplate)]
